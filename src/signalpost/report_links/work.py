"""Work of this room: the mails of each month."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.report_links.actions import remind

JOB: Final = "report_links.mail"
EVERY_SECONDS: Final = 900
BATCH: Final = 50
"""Links of one run: other jobs of the lane wait meanwhile."""


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def mail(lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Mail links to those whose report is due."""
        async with lease.transaction() as db:
            await remind.rest_deleted(db)
        for _ in range(BATCH):
            async with lease.transaction() as db:
                if not await remind.mail_next(context, db):
                    return None
        return RunAgain(0)

    return [JobKind(JOB, mail, EVERY_SECONDS)]
