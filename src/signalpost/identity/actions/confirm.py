"""Before what cannot be undone: whoever has a session shows again that they are the person."""

from typing import Final

from signalpost.context import AppContext
from signalpost.identity.actions.second_factor import check_code, check_password_and_code
from signalpost.identity.actions.sign_in import signed_in_lately
from signalpost.kit import problems
from signalpost.web.caller import Caller

_WAYS: Final = "select password_hash is not null, totp_confirmed_at is not null from app_user where id = $1"


async def confirm_person(context: AppContext, caller: Caller, password: str | None, code: str | None) -> str | None:
    """Ensure that it is the person: by their password, or by a new sign-in if they have none; and by their app.

    Returns the hash of the password, which must still be the same when something follows from it.

    Raises:
        Forbidden: the caller is an API key; or has no password, and signed in more than 15 minutes ago.
        SecondFactorRequired: the code is missing.
        InvalidCredentials, LoginThrottled: the password or the code is wrong.
    """
    async with context.database.connection() as db:
        record = await db.fetchrow(_WAYS, caller.user_id)
        lately = caller.session_id is not None and await signed_in_lately(db, caller.session_id)
    has_password, has_app = record or (True, False)
    if has_password or caller.session_id is None:
        return await check_password_and_code(context, caller, password or "", code)
    if not lately:
        raise problems.Forbidden(
            "You have no password, and signed in more than 15 minutes ago.",
            remediation="Sign in again with the provider, and repeat this with the new access token.",
        )
    if has_app:
        await check_code(context, caller.user_id, code)
    return None
