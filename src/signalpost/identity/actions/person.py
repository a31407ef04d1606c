"""What people say about themselves: name, language, time zone."""

from msgspec import UNSET

from signalpost.identity.actions.sign_in import record_in_workspaces
from signalpost.identity.actions.sign_up import validate_time_zone
from signalpost.identity.schemas import MeUpdate
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.web.caller import Caller

_UPDATE = """
update app_user set name = case when $2::boolean then $3::text else name end, locale = coalesce($4::text, locale),
    timezone = coalesce($5::text, timezone), updated_at = now()
where id = $1
"""


async def update_me(db: Db, caller: Caller, data: MeUpdate) -> None:
    """Change what the caller said about themselves.

    Raises:
        Forbidden: the caller is an API key.
        ValidationFailed: there is no such time zone.
    """
    if caller.auth != "session":
        raise problems.Forbidden(
            "An API key does not change who its owner is.",
            remediation="Sign in with `POST /auth/login` and send its access token.",
        )
    if data.timezone is not UNSET:
        validate_time_zone(data.timezone)
    values = [None if value is UNSET else value for value in (data.name, data.locale, data.timezone)]
    await db.execute(_UPDATE, caller.user_id, data.name is not UNSET, *values)
    await record_in_workspaces(db, caller.user_id, "update_user")
