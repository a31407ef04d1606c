"""Creating a post, following Google's review of it, and deleting it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import HttpFailure
from signalpost.networks import fetching, oauth2
from signalpost.networks.connectors.google_business.calls import call, explain, refresh
from signalpost.networks.connectors.google_business.facts import FACTS
from signalpost.networks.connectors.google_business.find import REJECTED, find, posts_path, public_part
from signalpost.networks.connectors.google_business.local_post import content_of
from signalpost.networks.contract import (
    Absent,
    ApiError,
    Journal,
    NeedsReconnect,
    NetworkSession,
    Outcome,
    Outgoing,
    Pending,
    Published,
    Reconciled,
    Refused,
)
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.responses import members, string
from signalpost.networks.threads import PublicPart, ThreadPart, part_step, publish_parts, reconcile_parts

REVIEW_MAX: Final = timedelta(minutes=90)
"""After so long a post counts as published: some are reviewed for days, and Google has accepted it."""
CREATE_SECONDS: Final = 120.0  # it downloads the photo while it answers
_POLL_SECONDS: Final = (10.0, 300.0)
_REVIEW: Final = "review"
_REJECTED: Final = (
    "Google rejected the post for its content. Telephone numbers, text that is not about the business, and photos of "
    "poor quality are common reasons."
)
_CHANGE: Final = "Change the text or the photo and publish the post again. The profile at Google may say more."


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Create the post, and wait until Google has reviewed it."""
    outcome = await publish_parts(session, outgoing, journal, find=find, create=_create, published=_published)
    if not isinstance(outcome, Published):
        return outcome
    return await _reviewed(session, journal, outcome)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, _state: Mapping[str, Any]) -> Outcome:
    """Look again whether Google has reviewed the post."""
    return await publish(session, outgoing, journal)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Find out whether the post is there; if so, `publish` goes on with the review."""
    existing = await reconcile_parts(session, outgoing, journal, find=find, published=_published)
    step = journal.steps.get(_REVIEW) or {}
    if not isinstance(existing, Published):
        return existing
    return replace(existing, url=step.get("url")) if step.get("done") else Absent()


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Delete the post. One that does not exist counts as deleted."""
    await call(session, "DELETE", f"{posts_path(session)}/{remote_id}", expect=(200, 204, 404))


def _published(_session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    return Published(remote_id=posted[0]["id"], url=posted[0].get("url"))


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    if (part.intended or {}).get(REJECTED):
        return _rejected()
    session, photos = part.session, part.content.media[:1]
    body = content_of(part.outgoing)
    if language := part.outgoing.options.get("languageCode") or session.facts.get("language"):
        body["languageCode"] = language
    for photo in photos:
        if photo.url is None:
            return fetching.refused(FACTS)
        body["media"] = [{"mediaFormat": "PHOTO", "sourceUrl": photo.url()}]
    if oauth2.is_due(session):  # before the intent: a token that cannot be renewed leaves nothing unknown
        await session.renew(refresh)
    await part.intend({"at": clock.wire(session.now())})
    response = await call(session, "POST", posts_path(session), json=body, timeout_seconds=CREATE_SECONDS)
    return public_part(members(response))


# --- what Google makes of a post -----------------------------------------------------------------------------------


async def _reviewed(session: NetworkSession, journal: Journal, published: Published) -> Outcome:
    """Return the post once it is live, or has been reviewed for longer than anybody should wait."""
    step = journal.steps.get(_REVIEW)
    if step is None:
        step = {"since": clock.wire(session.now())}
        await journal.record(_REVIEW, step)
    if not step.get("done"):
        post = await _read(session, published.remote_id)
        if post.get("state") == "REJECTED":
            await journal.record(part_step(0), {REJECTED: True})  # other content is another post, see `find`
            return _rejected()
        waited = session.now() - datetime.fromisoformat(step["since"])
        if post.get("state") != "LIVE" and waited < REVIEW_MAX:
            shortest, longest = _POLL_SECONDS
            seconds = min(max(waited.total_seconds() / 2, shortest), longest)
            return Pending(state={"post": published.remote_id}, poll_after_seconds=seconds)
        step = {**step, "done": True, "url": string(post.get("searchUrl")) or published.url}
        await journal.record(_REVIEW, step)
    return replace(published, url=step.get("url"))


def _rejected() -> Refused:
    return Refused(code="content_rejected", message=_REJECTED, remediation=_CHANGE, platform_code="REJECTED")


async def _read(session: NetworkSession, post_id: str) -> Mapping[str, Any]:
    """Return the post as it is now; empty if Google does not say, which is no failure of a post that is there.

    Raises:
        ApiError: the account has to be connected again.
    """
    try:
        return members(await call(session, "GET", f"{posts_path(session)}/{post_id}"))
    except ApiError as error:
        if isinstance(explain(error), NeedsReconnect):
            raise
        return {}
    except HttpFailure:
        return {}
