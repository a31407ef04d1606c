"""Uploading media, creating statuses under a key that the server remembers, finding them again, and removing them."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from signalpost.kit import clock
from signalpost.kit.http import BadAnswer, HttpFailure
from signalpost.kit.http import Part as FormPart
from signalpost.networks.connectors.mastodon.calls import CREATE, call, explain
from signalpost.networks.connectors.mastodon.facts import FACTS, Poll
from signalpost.networks.contract import (
    Absent,
    ApiError,
    Journal,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    OutgoingMedia,
    Pending,
    Published,
    Reconciled,
    Response,
    TryLater,
)
from signalpost.networks.html_text import fingerprint, fingerprint_of_html
from signalpost.networks.outcome_mapping import failure_outcome, map_errors, part_done, part_intended, part_step
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, response_text, texts

RESEND_SECONDS_MAX = 3_500  # a little less than the hour for which a key is remembered
TOO_EARLY_SECONDS, TOO_EARLY_WITH_KEY_SECONDS = 120, 30  # younger than this, a missing post may still be on its way
SKEW_SECONDS = 30  # between the server's clock and ours
MEDIA_SECONDS_MAX = 43_200  # servers drop files that stay unused for a day
PAGES_MAX, PAGE_LENGTH = 5, 40
UPLOAD_SECONDS = 120.0
POLL_SECONDS = 5.0


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Create the post and then each reply of its thread, each with its own key; what is there stays as it is."""
    posted: list[Mapping[str, Any]] = []
    for index in range(len(outgoing.parts)):
        parent = posted[-1]["id"] if posted else None
        looked = await _look(session, outgoing, journal, index, parent)
        known = looked or await (_create if part_intended(journal, index) is None else _send_again)(
            session, outgoing, journal, index, parent
        )
        if not isinstance(known, Mapping):
            return known
        posted.append(known)
    return _published(posted)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, state: Mapping[str, Any]) -> Outcome:  # noqa: ARG001
    """Go on once the server has converted the media; the journal knows what is still missing."""
    return await publish(session, outgoing, journal)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Tell whether the intended posts are there, or may be sent again without harm."""
    posted: list[Mapping[str, Any]] = []
    for index in range(len(outgoing.parts)):
        known = await _look(session, outgoing, journal, index, posted[-1]["id"] if posted else None)
        if known is None:
            return Absent()
        if isinstance(known, OutcomeUnknown):
            return known
        posted.append(known)
    return _published(posted)


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Remove the posts, last first. One that is not there counts as removed."""
    for status_id in (*reversed(thread_ids), remote_id):
        await call(session, "DELETE", f"/api/v1/statuses/{status_id}", expect=(200, 404))


def _published(posted: Sequence[Mapping[str, Any]]) -> Published:
    first = posted[0]
    return Published(remote_id=first["id"], url=first.get("url"), thread_ids=tuple(done["id"] for done in posted[1:]))


# --- creating ------------------------------------------------------------------------------------------------------


async def _create(
    session: NetworkSession, outgoing: Outgoing, journal: Journal, index: int, parent: str | None
) -> Mapping[str, Any] | Outcome:
    media_ids = await _media_ids(session, outgoing, journal, index)
    if isinstance(media_ids, Pending):
        return media_ids
    intended = part_intended(journal, index)
    if intended is None or not _resend_is_safe(session, intended):  # looked for and not found: the hour starts anew
        intended = {"at": clock.wire(session.now())}
    await journal.intend(part_step(index), intended)
    response = await call(
        session,
        "POST",
        CREATE.removeprefix("POST "),
        headers={"Idempotency-Key": _key(outgoing, index)},
        json=_status(outgoing, index, parent, media_ids),
    )
    return await _keep(journal, index, intended, response)


async def _send_again(
    session: NetworkSession, outgoing: Outgoing, journal: Journal, index: int, parent: str | None
) -> Mapping[str, Any] | Outcome:
    """Create again under the key of an earlier call of unknown outcome: only a success settles it, no failure does."""
    try:
        known = await _create(session, outgoing, journal, index, parent)
    except ApiError as error:
        known = explain(error)
    except HttpFailure as failure:
        known = failure_outcome(failure, creating=True)
    if isinstance(known, TryLater):
        return OutcomeUnknown(message=known.message, http_status=known.http_status, response=known.response)
    return known


async def _keep(journal: Journal, index: int, intended: Mapping[str, Any], response: Response) -> Mapping[str, Any]:
    (status_id,) = texts(response, "id")
    told = members(response)
    done = {**intended, "id": status_id, "url": told.get("url") or told.get("uri")}
    await journal.done(part_step(index), done)
    return done


def _key(outgoing: Outgoing, index: int) -> str:
    return hashlib.sha256(f"{outgoing.dedupe_key}:{index}".encode()).hexdigest()[:40]


def _status(outgoing: Outgoing, index: int, parent: str | None, media_ids: Sequence[str]) -> dict[str, Any]:
    options = outgoing.options
    status: dict[str, Any] = {"status": text_of_part(FACTS, outgoing, index)}
    if media_ids:
        status["media_ids"] = list(media_ids)
    if parent is not None:
        status["in_reply_to_id"] = parent
    names = {
        "visibility": "visibility",
        "spoilerText": "spoiler_text",
        "sensitive": "sensitive",
        "language": "language",
    }
    status |= {name: options[option] for option, name in names.items() if option in options}
    if index == 0 and options.get("poll") is not None:
        poll = msgspec.convert(options["poll"], Poll)
        status["poll"] = {
            "options": poll.options,
            "expires_in": poll.minutes * 60,
            "multiple": poll.multiple,
            "hide_totals": poll.hide_totals,
        }
    return status


async def _media_ids(session: NetworkSession, outgoing: Outgoing, journal: Journal, index: int) -> list[str] | Pending:
    """Return the ids of a part's files, or Pending while the server still converts one."""
    ids: list[str] = []
    waiting = False
    for number, media in enumerate(outgoing.parts[index].media):
        step = f"media:{index}:{number}"
        kept = await _kept(session, journal, step) or await _upload(session, media, journal, step)
        waiting |= not kept["ready"]
        ids.append(kept["id"])
    return Pending(state={"part": index}, poll_after_seconds=POLL_SECONDS) if waiting else ids


async def _kept(session: NetworkSession, journal: Journal, step: str) -> Mapping[str, Any] | None:
    """Return what is known of an uploaded file, asked anew while it is converted; None when it must be sent again."""
    kept: Mapping[str, Any] | None = journal.steps.get(step)
    if kept is None or session.now() - datetime.fromisoformat(kept["at"]) > timedelta(seconds=MEDIA_SECONDS_MAX):
        return None
    if kept["ready"]:
        return kept
    response = await call(session, "GET", f"/api/v1/media/{kept['id']}", expect=(200, 206, 404))
    if response.status == 404:
        return None
    if response.status == 200:
        kept = {**kept, "ready": True}
        await journal.record(step, kept)
    return kept


async def _upload(session: NetworkSession, media: OutgoingMedia, journal: Journal, step: str) -> Mapping[str, Any]:
    file = FormPart("file", media.read(), filename=media.file_name, content_type=media.mime_type, size=media.size_bytes)
    form = [file, FormPart("description", media.alt_text)] if media.alt_text else [file]
    response = await call(
        session, "POST", "/api/v2/media", data=form, timeout_seconds=UPLOAD_SECONDS, expect=(200, 202)
    )
    (media_id,) = texts(response, "id")
    kept = {"id": media_id, "ready": response.status == 200, "at": clock.wire(session.now())}
    await journal.record(step, kept)
    return kept


# --- finding again -------------------------------------------------------------------------------------------------


def _age(session: NetworkSession, intended: Mapping[str, Any]) -> timedelta:
    return session.now() - datetime.fromisoformat(intended["at"])


def _resend_is_safe(session: NetworkSession, intended: Mapping[str, Any]) -> bool:
    """Return whether the server still knows the key of this intent: then sending again gives back the first post."""
    return bool(session.facts.get("dedupes")) and _age(session, intended) < timedelta(seconds=RESEND_SECONDS_MAX)


async def _look(
    session: NetworkSession, outgoing: Outgoing, journal: Journal, index: int, parent: str | None
) -> Mapping[str, Any] | OutcomeUnknown | None:
    """Return what is known of a public part; None when it was never intended, is not there, or may be sent again."""
    intended = part_intended(journal, index)
    if intended is None:
        return part_done(journal, index)
    # A key is only remembered once its post is made, so a call that is still under way must end first.
    early = TOO_EARLY_WITH_KEY_SECONDS if session.facts.get("dedupes") else TOO_EARLY_SECONDS
    if _age(session, intended) < timedelta(seconds=early):
        return OutcomeUnknown(message="It is too early to tell whether this server took the post.")
    if _resend_is_safe(session, intended):
        return None
    found = await _find(session, outgoing, index, parent, datetime.fromisoformat(intended["at"]))
    if isinstance(found, Mapping):
        found = {**intended, "id": str(found["id"]), "url": found.get("url") or found.get("uri")}
        await journal.done(part_step(index), found)
    return found


async def _find(
    session: NetworkSession, outgoing: Outgoing, index: int, parent: str | None, since: datetime
) -> Mapping[str, Any] | OutcomeUnknown | None:
    """Search the account's own posts; when they cannot be read it cannot be told."""
    try:
        return await _search(session, outgoing, index, parent, since)
    except ApiError as error:
        message = f"The server does not show the account's posts: {error}"
        return OutcomeUnknown(
            message=message, http_status=error.response.status, response=response_text(error.response)
        )
    except HttpFailure as failure:
        return OutcomeUnknown(message=failure.detail, http_status=failure.status)


async def _search(
    session: NetworkSession, outgoing: Outgoing, index: int, parent: str | None, since: datetime
) -> Mapping[str, Any] | OutcomeUnknown | None:
    """Walk the account's own posts back to the intent; None only when all of that time was seen."""
    account_id = session.remote_id.rpartition("@")[0]
    query = {"limit": str(PAGE_LENGTH), "exclude_reblogs": "true"}
    since -= timedelta(seconds=SKEW_SECONDS)
    for _ in range(PAGES_MAX):
        response = await call(session, "GET", f"/api/v1/accounts/{account_id}/statuses", params=query)
        statuses = _listed(response)
        for status in statuses:
            if _created_at(status) < since:
                return None
            if _same(status, outgoing, index, parent):
                return status
        if not statuses:
            return None
        query["max_id"] = str(statuses[-1].get("id"))
    return OutcomeUnknown(message="Too many posts since then to find this one among them.")


def _listed(response: Response) -> list[dict[str, Any]]:
    statuses = response.json()
    if not isinstance(statuses, list) or not all(isinstance(status, dict) and status.get("id") for status in statuses):
        raise BadAnswer("the response is no list of posts", status=response.status)
    return statuses


def _created_at(status: Mapping[str, Any]) -> datetime:
    try:
        found = datetime.fromisoformat(str(status.get("created_at")))
    except ValueError:
        raise BadAnswer("a post of the response has no time") from None
    if found.tzinfo is None:
        raise BadAnswer("a post of the response has no time zone")
    return found


def _same(status: Mapping[str, Any], outgoing: Outgoing, index: int, parent: str | None) -> bool:
    text = fingerprint(text_of_part(FACTS, outgoing, index))
    warning = fingerprint(str(outgoing.options.get("spoilerText") or ""))
    return (
        fingerprint_of_html(str(status.get("content") or "")) == text
        and fingerprint_of_html(str(status.get("spoiler_text") or "")) == warning
        and len(status.get("media_attachments") or ()) == len(outgoing.parts[index].media)
        and status.get("in_reply_to_id") == parent
    )
