"""What runs: versions of the program, schema, database and Python, its processes, and whether a backup is due."""

import platform
from datetime import timedelta
from typing import Final

from signalpost.admin import backups
from signalpost.admin.backups import Age
from signalpost.admin.schemas import BackupAge, PaymentProvider, System, SystemProcess
from signalpost.billing import provider
from signalpost.billing.provider import Heard
from signalpost.context import AppContext
from signalpost.health.views import uptime_seconds
from signalpost.kit import clock

PROCESSES_MAX: Final = 100

_VERSIONS: Final = """
select split_part(current_setting('server_version'), ' ', 1),
    (select max(revision) from schema_migration where finished_at is not null)
"""
_PROCESSES: Final = "select id, host, started_at, seen_at from worker order by started_at, id limit $1"


async def read_system(context: AppContext) -> System:
    """Return what runs."""
    async with context.database.connection() as db:
        row = await db.fetchrow(_VERSIONS)
        assert row is not None  # noqa: S101 - a select without a table has one row
        processes = await db.fetch(_PROCESSES, PROCESSES_MAX)
        age = await backups.age(db)
        heard = await provider.heard(db) if context.settings.stripe_secret_key else None
    return System(
        version=context.version,
        revision=row[1],
        migrations="current" if row[1] == context.revision else "pending",
        postgresql=row[0],
        python=platform.python_version(),
        started_at=clock.wire(clock.now() - timedelta(seconds=uptime_seconds())),
        processes=[
            SystemProcess(str(process[0]), process[1], clock.wire(process[2]), clock.wire(process[3]))
            for process in processes
        ],
        backup=_backup(age, context.settings.backup_age_warning_days),
        payments=_payments(heard) if heard and context.settings.billing_enabled else None,
    )


def _payments(heard: Heard) -> PaymentProvider:
    return PaymentProvider(
        clock.wire_or_none(heard.notified_at), clock.wire_or_none(heard.refused_at), heard.is_deaf,
        heard.remedy if heard.is_deaf else None, clock.wire_or_none(heard.compared_at),
    )  # fmt: skip


def _backup(age: Age | None, warning_days: int) -> BackupAge:
    if age is None:
        return BackupAge(None, 0, warning_days, too_old=False)
    return BackupAge(
        clock.wire_or_none(age.made_at), int(age.seconds), warning_days, too_old=age.is_too_old(warning_days)
    )
