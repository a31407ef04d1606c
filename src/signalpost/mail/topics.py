"""What people choose about mails: which topics they want, and hours in which none come. Pure, but for the tables."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Final, Literal

from msgspec import Struct

from signalpost.kit import clock, zones

Topic = Literal[
    "approvals", "decisions", "discussions", "failures", "accounts", "feeds", "webhooks", "usage", "support", "tickets"
]  # fmt: skip

TOPICS: Final[Mapping[str, Topic]] = {
    "approval_requested": "approvals",
    "approval_decided": "decisions",
    "post_message": "discussions",
    "post_failed": "failures",
    "account_attention": "accounts",
    "feed_held": "feeds",
    "webhook_disabled": "webhooks",
    "usage_notice": "usage",
    "ticket_answered": "support",
    "ticket_written": "tickets",
}
"""Template -> the topic by which a person switches it off."""

ALWAYS: Final[Mapping[str, str]] = {
    "password_reset": "the way back in",
    "key_leaked": "someone may act in their name",
    "app_secret_leaked": "someone may act as their app",
    "messenger_linked": "from now on a phone acts in their name",
    "account_moved": "what they publish goes to another server, which they may not have chosen",
    "person_deleted": "their account is gone, and perhaps it was not them",
    "ownership_moved": "whose card is charged changed",
    "handover_offered": "someone waits for their answer, and it is about money",
    "welcome": "sent once, to prove that mail works",
    "approval_code": "they wait for it, on a page that is open",
    "export_ready": "they ordered it",
    "team_invite": "whoever gets it has no account yet in which to choose",
    "status_confirm": "whoever gets it may have no account",
    "report_ready": "a workspace has it mailed to them, and each of them ends that",
    "status_incident": "they subscribed, and each of them ends the subscription",
}
"""Template -> why it is always sent."""


class QuietHours(Struct, frozen=True):
    """Wall times, `HH:MM`, in an IANA time zone; from an evening to a morning if the end is the earlier one."""

    start: str
    end: str
    timezone: str


def quiet_until(quiet: QuietHours, now: datetime) -> datetime | None:
    """Return when the quiet hours end that it is now; None: it is none of them. At most a day ahead."""
    zone = zones.zone(quiet.timezone)
    if zone is None:  # the rules of this system are older than those it was accepted by
        return None
    local = now.astimezone(zone).replace(tzinfo=None)
    start, end = _time(quiet.start), _time(quiet.end)
    at = local.time()
    if not (start <= at < end if start < end else at >= start or at < end):
        return None
    day = local.date() + timedelta(days=0 if at < end else 1)
    return clock.resolve_local(datetime.combine(day, end), zone)[0]


def _time(text: str) -> time:
    return time(int(text[:2]), int(text[3:]))
