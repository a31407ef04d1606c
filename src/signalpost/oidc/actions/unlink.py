"""What people see of their sign-in with the provider, and how they end it."""

from typing import Final

from signalpost.context import AppContext
from signalpost.identity.actions.second_factor import check_password_and_code
from signalpost.identity.actions.sign_in import record_in_workspaces
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.oidc.schemas import OidcLink, OidcUnlink
from signalpost.web.caller import Caller

_MINE: Final = "select email, created_at, last_used_at from user_identity where issuer = $1 and user_id = $2"
_UNLINK: Final = "delete from user_identity where issuer = $1 and user_id = $2 returning true"


async def read_link(context: AppContext, db: Db, caller: Caller) -> OidcLink:
    """Return which user of the provider the person is, if any."""
    row = await db.fetchrow(_MINE, context.settings.oidc_issuer or "", caller.user_id)
    if row is None:
        return OidcLink(linked=False, email=None, linked_at=None, last_used_at=None)
    return OidcLink(
        linked=True,
        email=row["email"],
        linked_at=clock.wire(row["created_at"]),
        last_used_at=clock.wire(row["last_used_at"]),
    )


async def unlink(context: AppContext, caller: Caller, data: OidcUnlink) -> None:
    """Let the provider sign in as this person no more. Whoever has no password has no other way in, and is refused.

    Raises:
        Forbidden: the caller is an API key.
        InvalidCredentials, SecondFactorRequired, LoginThrottled: the password or the code is wrong or missing.
    """
    await check_password_and_code(context, caller, data.password, data.code)
    async with context.database.transaction() as db:
        if await db.fetchval(_UNLINK, context.settings.oidc_issuer or "", caller.user_id):
            await record_in_workspaces(db, caller.user_id, "unlink_oidc")
