"""Mail to the owner of a workspace when accounts stop working: one for each change of state, several in one message."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from signalpost import mail, networks
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind, RunAgain
from signalpost.kit import batches
from signalpost.kit.db import Db, Row

NOTICES = "account.notices"
EVERY_SECONDS = 60
WORKSPACES_MAX = 200
"""How many of them one run looks at."""
ACCOUNTS_MAX = 20
"""Named in one message; the others are counted."""

_FORGET = batches.update(
    "account",
    "noticed_status = null",
    "noticed_status is not null and status not in ('needs_reauth', 'restricted', 'expiring')",
)
_UNNOTICED = "status in ('needs_reauth', 'restricted', 'expiring') and noticed_status is distinct from status"
_WORKSPACES = f"""
select distinct workspace_id from account where {_UNNOTICED} and ($1::uuid is null or workspace_id > $1)
order by workspace_id limit $2
"""  # noqa: S608 - constants only
_TAKE = f"""
select platform, username, status, status_reason, id from account where workspace_id = $1 and {_UNNOTICED}
order by id limit {batches.ROWS} for no key update
"""  # noqa: S608 - constants only
_NOTICED = "update account set noticed_status = status where id = any($1)"
_OWNER = """
select w.name, u.email from workspace w join member m on m.workspace_id = w.id and m.role = 'owner'
    and m.status = 'active' join app_user u on u.id = m.user_id
where w.id = $1
"""
ADVICE = {
    "needs_reauth": "Connect it again. It keeps its posts.",
    "restricted": "Find out at the network why it is blocked. The service looks again by itself.",
    "expiring": "Its token ends within a week and cannot be renewed. Connect it again before that.",
}


def jobs(_context: AppContext) -> list[JobKind]:
    """Return the jobs of this module."""
    return [JobKind(NOTICES, Notices().send, EVERY_SECONDS)]


class Notices:
    """Goes through the workspaces: those whose owner gets no more mail for an hour do not hold up the others."""

    def __init__(self) -> None:
        self._after: UUID | None = None

    async def send(self, lease: Lease, _payload: Mapping[str, Any]) -> RunAgain | None:
        """Mail what is new. An account that works again is forgotten, so that its next failure is news."""
        async with lease.transaction() as db:
            more = await batches.run(db, [_FORGET])
            workspaces = [record[0] for record in await db.fetch(_WORKSPACES, self._after, WORKSPACES_MAX)]
        for workspace_id in workspaces:
            async with lease.transaction() as db:  # each wakes a lane, and no transaction holds two of them
                await _notice(db, workspace_id)
        self._after = workspaces[-1] if len(workspaces) == WORKSPACES_MAX else None
        return RunAgain(0) if more or self._after is not None else None


async def _notice(db: Db, workspace_id: UUID) -> None:
    rows = await db.fetch(_TAKE, workspace_id)
    changed = [row for row in rows if row[0] != "sandbox"]
    owner = await db.fetchrow(_OWNER, workspace_id)
    if changed and owner is not None and not await _mail(db, workspace_id, owner, changed):
        return  # the mailbox had enough for an hour: this is news until it has room
    await db.execute(_NOTICED, [row[4] for row in rows])


async def _mail(db: Db, workspace_id: UUID, owner: Row, changed: Sequence[Row]) -> bool:
    """Return whether the owner gets the message."""
    lines = [
        {"account": f"{networks.name_of(platform)}: {username}", "reason": reason or "", "advice": ADVICE[status]}
        for platform, username, status, reason, _ in changed[:ACCOUNTS_MAX]
    ]
    values = {"workspace": owner[0], "accounts": lines, "more": max(0, len(changed) - ACCOUNTS_MAX)}
    message = mail.Message(to=owner[1], template="account_attention", values=values)
    return await mail.enqueue(db, message, workspace_id=workspace_id)
