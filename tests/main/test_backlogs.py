"""Every periodic job ends, however much has gathered, and none of its transactions does more for a larger backlog."""

from typing import Any, Final, NamedTuple

import pytest
from tests.faults.scene import sizes
from tests.figures.record import Record, holds
from tests.helpers.counted import CountedLease
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.kit import batches
from signalpost.kit.db import Database
from signalpost.main import wiring

ROWS: Final = batches.ROWS + 1_200
"""More than any transaction may work on."""


class Backlog(NamedTuple):
    """How `$1` rows come that a job has to work on; the table that it writes; and how many are still to be done."""

    fill: str
    table: str
    left: str


_OLD: Final = "now() - interval '100 days'"
BACKLOGS: Final = {
    "audit.seal": Backlog(
        "insert into audit (id, workspace_id, action, actor) select pg_temp.id_of(n), w.id, 'old', '{}'"
        " from generate_series(1, $1::int) n"
        " cross join lateral (select id from workspace order by id desc offset n % 3 limit 1) w",
        "audit_seal",
        "select count(*) from audit a where a.action = 'old' and not exists"
        " (select from audit_seal s where s.workspace_id = a.workspace_id and s.audit_id = a.id)",
    ),
    "web.purge": Backlog(
        "insert into idempotency (credential, key, fingerprint, created_at)"
        f" select 'backlog', n::text, '', {_OLD} from generate_series(1, $1::int) n",
        "idempotency",
        "select count(*) from idempotency where credential = 'backlog'",
    ),
    "account.purge_flows": Backlog(
        "insert into oauth_flow (state_hash, workspace_id, profile_id, platform, code_verifier, started_by, expires_at)"
        f" select sha256(n::text::bytea), workspace_id, id, 'sandbox', '', '{{}}', {_OLD}"
        " from (select * from profile order by id desc limit 1) p, generate_series(1, $1::int) n",
        "oauth_flow",
        "select count(*) from oauth_flow where expires_at < now() - interval '1 day'",
    ),
    "engine.purge": Backlog(
        "insert into job (id, queue, kind, state, failed_at)"
        f" select pg_temp.id_of(n), pg_temp.id_of(n), 'old', 'failed', {_OLD} from generate_series(1, $1::int) n",
        "job",
        "select count(*) from job where kind = 'old'",
    ),
    "identity.purge": Backlog(
        "insert into one_time_token (hash, purpose, expires_at)"
        f" select sha256(n::text::bytea), 'oidc', {_OLD} from generate_series(1, $1::int) n",
        "one_time_token",
        "select count(*) from one_time_token where expires_at < now() - interval '1 day'",
    ),
    "mail.purge": Backlog(
        "insert into mail_message (id, recipient, mailbox, template, state, created_at)"
        f" select pg_temp.id_of(n), '', '', 'old', 'sent', {_OLD} from generate_series(1, $1::int) n",
        "mail_message",
        "select count(*) from mail_message where template = 'old'",
    ),
    "messenger.purge": Backlog(
        f"insert into messenger_guess (sender_hash, updated_at) select sha256(n::text::bytea), {_OLD}"
        " from generate_series(1, $1::int) n",
        "messenger_guess",
        "select count(*) from messenger_guess where updated_at < now() - interval '1 day'",
    ),
    "posts.count": Backlog(
        "insert into post_count_change select id, id, 'live', 'draft', '', null, 0 from workspace,"
        " generate_series(1, $1::int) limit $1",
        "post_count_change",
        "select count(*) from post_count_change",
    ),
}
_BATCH: Final = "each of its statements has a limit, by reading; a backlog of its own is still to be written here"
_PAGES: Final = "goes from page to page by a cursor, by reading; a backlog of its own is still to be written here"
OTHERS: Final = {
    "account.notices": _BATCH, "account.recheck_due": _BATCH,
    "analytics.plan": "tests/analytics/test_backlog.py", "analytics.purge": _BATCH, "billing.upkeep": _PAGES,
    "media.sweep": _BATCH, "plans.fit": _PAGES, "plans.notices": _BATCH, "plans.purge_audit": _PAGES,
    "posts.purge": _BATCH, "posts.recurrence": "one series in a transaction", "posts.search": _PAGES,
    "posts.zone_rules": _PAGES, "request_log.rotate": "drops partitions, one a day",
    "status.sample": "a row for each component", "support.close": _BATCH, "team.expire": _BATCH,
    "webhooks.purge": _BATCH, "workspaces.erase": "tests/workspaces/test_deletion.py",
    "workspaces.expire_exports": _BATCH,
}  # fmt: skip
"""Job -> why it needs no row above, or where its backlog is."""


def test_every_periodic_job_has_its_row(context: AppContext) -> None:
    kinds = {job.kind for job in wiring.job_kinds(context) if job.every_seconds is not None}
    assert kinds | {"engine.purge"} == BACKLOGS.keys() | OTHERS.keys()
    assert not BACKLOGS.keys() & OTHERS.keys()


@holds("R22")
@sizes("rows", quick=ROWS, heavy=200_000)
@pytest.mark.parametrize("kind", BACKLOGS)
async def test_a_backlog_is_worked_off_in_bounded_transactions(
    make: Make, context: AppContext, database: Database, record: Record, kind: str, rows: int
) -> None:
    for _ in range(3):
        await make.owner()
    backlog = BACKLOGS[kind]
    async with database.transaction() as db:
        await db.execute(
            "create or replace function pg_temp.id_of(n int) returns uuid language sql as"
            " $$ select ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid $$"
        )
        await db.execute(backlog.fill, rows)
        assert await db.fetchval(backlog.left) >= rows
    handlers = {job.kind: job.handler for job in wiring.job_kinds(context)} | {"engine.purge": jobs._purge}
    handler = handlers[kind]
    lease: Any = CountedLease(database)
    while await handler(lease, {}):
        pass
    written = [step.written.get(backlog.table, 0) for step in lease.transactions]
    async with database.connection() as db:
        left = await db.fetchval(backlog.left)
    record("R22", tried={"jobs": 1, "rows": rows}, measured={"rows of a transaction": max(written), "rows left": left})
    assert sum(written) >= rows
    assert max(written) <= batches.ROWS
    assert left == 0
