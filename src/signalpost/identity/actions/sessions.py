"""Where a user is signed in: the list, and the end of one session or of all others."""

from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.context import AppContext
from signalpost.identity.actions.sign_in import end_session, end_sessions, record_in_workspaces
from signalpost.identity.schemas import Session, SessionsEnded
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, reader
from signalpost.kit.wire import Listing
from signalpost.web.caller import Caller
from signalpost.web.fields import SessionId
from signalpost.web.paging import Page, keyset


class _SessionRow(Struct):
    id: UUID
    user_agent: str | None
    address: str | None
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime


_COLUMNS: Final = columns(_SessionRow, last_used_at="coalesce(last_used_at, rotated_at, created_at)")
_OPEN: Final = "user_id = $1 and revoked_at is null and expires_at > now()"
_LIST: Final = f"""
select {_COLUMNS} from session where {_OPEN} and {keyset("created_at", "id", first=2)}
"""  # noqa: S608 - columns of a struct
_IS_OPEN: Final = f"select true from session where id = $2 and {_OPEN} for update"  # noqa: S608 - constants only
_read: Final = reader(_SessionRow)


async def list_sessions(db: Db, caller: Caller, page: Page) -> Listing[Session]:
    """Return a page of the caller's sessions that are open. An API key has none."""
    if caller.auth != "session":
        return page.of([], lambda row: _view(caller, row))
    rows = [_read(record) for record in await db.fetch(_LIST, caller.user_id, *page.bounds)]
    return page.of(rows, lambda row: _view(caller, row), position=lambda row: (row.created_at, row.id))


def _view(caller: Caller, row: _SessionRow) -> Session:
    return Session(
        id=ids.encode("ses", row.id),
        current=row.id == caller.session_id,
        user_agent=row.user_agent,
        address=row.address,
        created_at=clock.wire(row.created_at),
        last_used_at=clock.wire(row.last_used_at),
        expires_at=clock.wire(row.expires_at),
    )


async def end_one(context: AppContext, db: Db, caller: Caller, session_id: UUID) -> None:
    """End a session of the caller. What it began is theirs and stays.

    Raises:
        NotFound: the caller has no such session, or it has ended; an API key has none.
    """
    if caller.auth != "session" or not await db.fetchval(_IS_OPEN, caller.user_id, session_id):
        raise problems.NotFound(SessionId.not_found_detail(ids.encode("ses", session_id)))
    await end_session(context, db, session_id, "ended_by_user")
    await record_in_workspaces(db, caller.user_id, "session_ended")


async def end_others(context: AppContext, db: Db, caller: Caller) -> SessionsEnded:
    """End all sessions of the caller but the one of this request.

    Raises:
        Forbidden: the caller is an API key.
    """
    if caller.auth != "session":
        raise problems.Forbidden(
            "An API key has no sessions.", remediation="Sign in with `POST /auth/login` and send its access token."
        )
    ended = await end_sessions(context, db, caller.user_id, "ended_by_user", but=caller.session_id)
    if ended:
        await record_in_workspaces(db, caller.user_id, "session_ended")
    return SessionsEnded(ended=len(ended))
