"""Administrators of this installation."""

from uuid import UUID

from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.identity.caller_cache import CallerCache
from signalpost.kit import ids, problems
from signalpost.kit.db import Db

_STAFF = "update app_user set is_staff = true, updated_at = now() where email_key = lower($1) returning id"


async def make_staff(context: AppContext, db: Db, email: str) -> None:
    """Let a user administer this installation.

    Raises:
        NotFound: there is no such user.
    """
    user_id: UUID | None = await db.fetchval(_STAFF, email)
    if user_id is None:
        raise problems.NotFound(f"There is no user {email}.")
    await audit.command(db, "staff add", subject=ids.encode("usr", user_id))
    context.state(CallerCache).invalidate(user_id)
