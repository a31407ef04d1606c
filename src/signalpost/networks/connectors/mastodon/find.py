"""Finding a post whose create call got no response: by its key if the server knows it, or among the account's posts."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.mastodon.calls import call
from signalpost.networks.connectors.mastodon.facts import FACTS
from signalpost.networks.contract import NetworkSession, OutcomeUnknown, Response
from signalpost.networks.html_text import fingerprint, fingerprint_of_html
from signalpost.networks.preflight import text_of_part
from signalpost.networks.threads import PublicPart, ThreadPart

RESEND_SECONDS_MAX = 3_500  # a little less than the hour for which a key is remembered
TOO_EARLY_SECONDS, TOO_EARLY_WITH_KEY_SECONDS = 120, 30  # younger than this, a missing post may still be on its way
SKEW_SECONDS = 30  # between the server's clock and ours
PAGES_MAX, PAGE_LENGTH = 5, 40


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended post; None when it is not there, or can be sent again under its key."""
    session = part.session
    # A key is remembered only once its post exists, so a call that is still under way has to end first.
    early = TOO_EARLY_WITH_KEY_SECONDS if session.facts.get("dedupes") else TOO_EARLY_SECONDS
    if _age(session, intended) < timedelta(seconds=early):
        return OutcomeUnknown(message="It is too early to tell whether the server accepted the post.")
    if resend_is_safe(session, intended):
        return None
    status = await _search(part, datetime.fromisoformat(intended["at"]))
    return {"id": str(status["id"]), "url": url_of(status)} if isinstance(status, Mapping) else status


def resend_is_safe(session: NetworkSession, intended: Mapping[str, Any]) -> bool:
    """Return whether the server still knows the key of this intent: sending it again then returns the first post."""
    return bool(session.facts.get("dedupes")) and _age(session, intended) < timedelta(seconds=RESEND_SECONDS_MAX)


def url_of(status: Mapping[str, Any]) -> Any:
    """Return the public address of a post."""
    return status.get("url") or status.get("uri")


def _age(session: NetworkSession, intended: Mapping[str, Any]) -> timedelta:
    return session.now() - datetime.fromisoformat(intended["at"])


async def _search(part: ThreadPart, since: datetime) -> Mapping[str, Any] | OutcomeUnknown | None:
    """Walk the account's own posts back to the intent; None only when all of that time was seen."""
    account_id = part.session.remote_id.rpartition("@")[0]
    query = {"limit": str(PAGE_LENGTH), "exclude_reblogs": "true"}
    since -= timedelta(seconds=SKEW_SECONDS)
    for _ in range(PAGES_MAX):
        response = await call(part.session, "GET", f"/api/v1/accounts/{account_id}/statuses", params=query)
        statuses = _statuses(response)
        for status in statuses:
            if _created_at(status) < since:
                return None
            if _is_same(status, part):
                return status
        if not statuses:
            return None
        query["max_id"] = str(statuses[-1].get("id"))
    return OutcomeUnknown(message="The account has published too many posts since then to find this one.")


def _statuses(response: Response) -> list[dict[str, Any]]:
    statuses = response.json()
    if not isinstance(statuses, list) or not all(isinstance(status, dict) and status.get("id") for status in statuses):
        raise BadResponse("the response is not a list of posts", status=response.status)
    return statuses


def _created_at(status: Mapping[str, Any]) -> datetime:
    try:
        created_at = datetime.fromisoformat(str(status.get("created_at")))
    except ValueError:
        raise BadResponse("a post of the response has no time") from None
    if created_at.tzinfo is None:
        raise BadResponse("a post of the response has no time zone")
    return created_at


def _is_same(status: Mapping[str, Any], part: ThreadPart) -> bool:
    outgoing, index = part.outgoing, part.index
    text = fingerprint(text_of_part(FACTS, outgoing, index))
    warning = fingerprint(str(outgoing.options.get("spoilerText") or ""))
    return (
        fingerprint_of_html(str(status.get("content") or "")) == text
        and fingerprint_of_html(str(status.get("spoiler_text") or "")) == warning
        and len(status.get("media_attachments") or ()) == len(part.content.media)
        and status.get("in_reply_to_id") == (part.parent["id"] if part.parent else None)
    )
