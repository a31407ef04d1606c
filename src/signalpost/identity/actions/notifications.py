"""What people choose to be mailed about and notified of on their devices, and hours in which neither comes."""

from typing import Final

import msgspec
from msgspec import UNSET

from signalpost.context import AppContext
from signalpost.identity.actions.sign_in import record_in_workspaces
from signalpost.identity.schemas import (
    Notifications,
    NotificationsUpdate,
    NotificationTopics,
    QuietHours,
    QuietHoursIn,
)
from signalpost.kit import problems, zones
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.kit.tenant import across_workspaces
from signalpost.mail import choices
from signalpost.web.caller import Caller

_READ: Final = "select mail_off, push_off, quiet_hours from app_user where id = $1"
_READ_TO_CHANGE: Final = f"{_READ} for no key update"
_UPDATE: Final = "update app_user set mail_off = $2, push_off = $3, quiet_hours = $4, updated_at = now() where id = $1"


async def read(db: Db, caller: Caller) -> Notifications:
    """Return what the caller chose."""
    mail_off, push_off, quiet_hours = await _row(db, _READ, caller)
    return Notifications(
        mail=NotificationTopics(**{name: name not in mail_off for name in NotificationTopics.__struct_fields__}),
        push=NotificationTopics(**{name: name not in push_off for name in NotificationTopics.__struct_fields__}),
        quiet_hours=None if quiet_hours is None else msgspec.convert(quiet_hours, QuietHours),
    )


async def update(db: Db, caller: Caller, data: NotificationsUpdate) -> None:
    """Change what the caller is mailed about and notified of, and when.

    Raises:
        Forbidden: the caller is an API key.
        ValidationFailed: the quiet hours end when they begin, or there is no such time zone.
    """
    if caller.auth != "session":
        raise problems.Forbidden(
            "An API key does not choose what its owner is mailed.",
            remediation="Sign in with `POST /auth/login` and send its access token.",
        )
    mail_off, push_off, quiet_hours = await _row(db, _READ_TO_CHANGE, caller)
    for off, topics in ((mail_off, data.mail), (push_off, data.push)):
        if topics is not UNSET:
            chosen = msgspec.structs.asdict(topics)
            off -= {topic for topic, choice in chosen.items() if choice is True}
            off |= {topic for topic, choice in chosen.items() if choice is False}
    if data.quiet_hours is not UNSET:
        quiet_hours = None if data.quiet_hours is None else _stored(data.quiet_hours)
    await db.execute(_UPDATE, caller.user_id, sorted(mail_off), sorted(push_off), quiet_hours)
    await record_in_workspaces(db, caller.user_id, "update_user")


_TURN_OFF: Final = """
update app_user set updated_at = now(),
    mail_off = (select array_agg(distinct topic order by topic) from unnest(mail_off || $2::text) topic)
where id = $1 and deleted_at is null returning true
"""


async def turn_off(context: AppContext, token: str) -> None:
    """Send a person no more mails of a topic, by the token of one of these mails. Repeating it changes nothing.

    Raises:
        NotFound: we did not issue the token, or its person has deleted their account.
    """
    choice = choices.read(context.keys, token)
    if choice is None:
        raise problems.NotFound("We did not send this link.")
    with across_workspaces():  # a user has workspaces, not the other way round
        async with context.database.transaction() as db:
            if await db.fetchval(_TURN_OFF, choice.user_id, choice.topic) is None:
                raise problems.NotFound("This user has deleted their account.")
            await record_in_workspaces(db, choice.user_id, "update_user")


def _stored(quiet: QuietHoursIn) -> dict[str, str]:
    if zones.zone(quiet.timezone) is None:
        raise problems.ValidationFailed(errors=[zones.unknown("/quietHours/timezone", quiet.timezone)])
    if quiet.start == quiet.end:
        issue = Issue(
            "/quietHours/end", "not_allowed", "Quiet hours end at another time than they begin; null ends them."
        )
        raise problems.ValidationFailed(errors=[issue])
    return {"start": quiet.start, "end": quiet.end, "timezone": quiet.timezone}


async def _row(db: Db, statement: str, caller: Caller) -> tuple[set[str], set[str], dict[str, str] | None]:
    record = await db.fetchrow(statement, caller.user_id)
    assert record is not None  # noqa: S101 - users are never deleted
    mail_off, push_off, quiet_hours = record
    return set(mail_off), set(push_off), quiet_hours
