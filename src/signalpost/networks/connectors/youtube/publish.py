"""Publishing a video: the upload, YouTube's processing of it, then thumbnail, playlist and first comment."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from signalpost.kit import clock
from signalpost.kit.http import HttpFailure
from signalpost.networks.connectors.youtube.calls import call, explain
from signalpost.networks.connectors.youtube.facts import is_short
from signalpost.networks.connectors.youtube.upload import create, find
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
from signalpost.networks.first_comment import add_first_comment
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.responses import members, string, texts
from signalpost.networks.threads import PublicPart, publish_parts, reconcile_parts

_PROCESSING_MAX: Final = timedelta(minutes=30)
"""After so long the video counts as published: long ones are processed for hours, and shown meanwhile."""
_POLL_SECONDS: Final = 10.0
_PLAYLIST: Final = "playlist"
_THUMBNAIL: Final = "thumbnail"
_PROCESSED: Final = "processed"


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Upload the video, wait for its processing, and add what belongs to it."""
    outcome = await publish_parts(session, outgoing, journal, find=find, create=create, published=_published)
    if not isinstance(outcome, Published):
        return outcome
    unfinished = await _processed(session, journal, outcome.remote_id)
    if unfinished is not None:
        return unfinished
    outcome = _as_seen(outcome, journal)
    await _set_thumbnail(session, outgoing, journal, outcome.remote_id)
    await _add_to_playlist(session, outgoing, journal, outcome.remote_id)
    send = partial(_comment, session, outcome.remote_id)
    return await add_first_comment(outcome, outgoing, journal, send=send, explain=explain)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, _state: Mapping[str, Any]) -> Outcome:
    """Go on with the upload, or look again whether YouTube has processed the video."""
    return await publish(session, outgoing, journal)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Find out whether the video is there; if so, `publish` goes on with its processing and what belongs to it."""
    existing = await reconcile_parts(session, outgoing, journal, find=find, published=_published)
    unfinished = not (journal.steps.get(_PROCESSED) or {}).get("done")
    if not isinstance(existing, Published):
        return existing
    return Absent() if unfinished else _as_seen(existing, journal)


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Delete the video. One that does not exist counts as deleted."""
    query = urlencode({"id": remote_id})
    await call(session, "DELETE", f"/youtube/v3/videos?{query}", expect=(200, 204, 404))


def _published(_session: NetworkSession, outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    video_id, private = posted[0]["id"], outgoing.options.get("visibility") == "private"
    short = bool(outgoing.media) and is_short(outgoing.media[0])
    address = "https://www.youtube.com/shorts/" if short else "https://www.youtube.com/watch?v="
    return Published(remote_id=video_id, url=address + video_id, delivery="private" if private else "live")


def _as_seen(published: Published, journal: Journal) -> Published:
    """Return what YouTube shows, which is not always what was asked for: settings of a channel may keep videos private.

    Facts say that in a sentence (`KeptPrivate`); an address that nobody can open is left out.
    """
    privacy = (journal.steps.get(_PROCESSED) or {}).get("privacy")
    if privacy is None or (privacy == "private") == (published.delivery == "private"):
        return published
    if privacy == "private":
        return replace(published, delivery="private", url=None)
    return replace(published, delivery="live")


async def _processed(session: NetworkSession, journal: Journal, video_id: str) -> Pending | Refused | None:
    """Return None when YouTube has processed the video, or takes so long that nobody should wait for it."""
    step = journal.steps.get(_PROCESSED)
    if step is None:
        step = {"since": clock.wire(session.now())}
        await journal.record(_PROCESSED, step)
    if step.get("done"):
        return None
    status = await _status(session, video_id)
    if status.get("uploadStatus") in {"failed", "rejected", "deleted"}:
        return _rejected(status)
    if (privacy := string(status.get("privacyStatus"))) is not None:
        step = {**step, "privacy": privacy}
    waited = session.now() - datetime.fromisoformat(step["since"])
    if status.get("uploadStatus") != "processed" and waited < _PROCESSING_MAX:
        return Pending(state={"video": video_id}, poll_after_seconds=_POLL_SECONDS)
    await journal.record(_PROCESSED, {**step, "done": True})
    return None


async def _status(session: NetworkSession, video_id: str) -> Mapping[str, Any]:
    """Return what became of the video; empty if YouTube does not say now, which is no failure of a post that is there.

    Raises:
        ApiError: the account has to be connected again.
    """
    query = urlencode({"part": "status,processingDetails", "id": video_id})
    try:
        response = await call(session, "GET", f"/youtube/v3/videos?{query}")
    except ApiError as error:
        if isinstance(explain(error), NeedsReconnect):
            raise
        return {}
    except HttpFailure:
        return {}
    items = members(response).get("items")
    item = items[0] if isinstance(items, list) and items and isinstance(items[0], dict) else {}
    status = item.get("status")
    return status if isinstance(status, dict) else {}


def _rejected(status: Mapping[str, Any]) -> Refused:
    what = str(status["uploadStatus"])
    reason = string(status.get("rejectionReason")) or string(status.get("failureReason")) or what
    codes = {"duplicate": "duplicate_content", "failed": "media_processing_failed"}
    return Refused(
        code=codes.get(reason) or codes.get(what, "content_rejected"),
        message=f"YouTube did not accept the video: {reason}.",
        platform_code=reason,
    )


async def _set_thumbnail(session: NetworkSession, outgoing: Outgoing, journal: Journal, video_id: str) -> None:
    """Set the picture that is shown for the video, once. The journal says why it is not there; the video is public.

    Channels that did not confirm a telephone number may not: YouTube then shows a picture from the video.
    """
    picture = outgoing.media[0].thumbnail if outgoing.media else None
    if picture is None or journal.steps.get(_THUMBNAIL) is not None:
        return
    step = {"sha256": picture.sha256.hex()}
    await journal.record(_THUMBNAIL, step)
    path = f"/upload/youtube/v3/thumbnails/set?{urlencode({'videoId': video_id, 'uploadType': 'media'})}"
    try:
        await call(session, "POST", path, data=await picture.bytes(), headers={"Content-Type": picture.mime_type})
    except (ApiError, HttpFailure) as failure:
        await journal.record(_THUMBNAIL, {**step, "error": str(failure)})


async def _add_to_playlist(session: NetworkSession, outgoing: Outgoing, journal: Journal, video_id: str) -> None:
    """Add the video to the playlist, once. The journal says why it is not there; the video is public either way."""
    playlist_id = outgoing.options.get("playlistId")
    if not playlist_id or journal.steps.get(_PLAYLIST) is not None:
        return
    await journal.record(_PLAYLIST, {"id": playlist_id})
    resource = {"kind": "youtube#video", "videoId": video_id}
    body = {"snippet": {"playlistId": playlist_id, "resourceId": resource}}
    try:
        await call(session, "POST", "/youtube/v3/playlistItems?part=snippet", json=body)
    except (ApiError, HttpFailure) as failure:
        await journal.record(_PLAYLIST, {"id": playlist_id, "error": str(failure)})


async def _comment(session: NetworkSession, video_id: str, text: str) -> str:
    body = {"snippet": {"videoId": video_id, "topLevelComment": {"snippet": {"textOriginal": text}}}}
    response = await call(session, "POST", "/youtube/v3/commentThreads?part=snippet", json=body)
    return texts(response, "id")[0]
