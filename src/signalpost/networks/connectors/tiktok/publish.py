"""Publishing videos by upload and photos by address. The publish id of TikTok tells what became of either."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.tiktok.calls import call, explain
from signalpost.networks.connectors.tiktok.facts import FACTS, is_photos
from signalpost.networks.connectors.tiktok.upload import STEP, send_video, start_video
from signalpost.networks.contract import (
    Journal,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Pending,
    Published,
    Reconciled,
    Refused,
    TryLater,
)
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import string
from signalpost.networks.threads import (
    PublicPart,
    ThreadPart,
    part_done,
    part_intended,
    part_step,
    publish_parts,
    reconcile_parts,
)

_POLL_SECONDS: Final = 5.0
_EARLY_SECONDS: Final = 60
_ID_SECONDS: Final = 60
"""How long to wait for the id of a public post; moderation may take hours, and the post is published without it."""
_SKEW: Final = timedelta(seconds=60)
_LISTED: Final = 20
_SIC_POST_IDS: Final = "publicaly_available_post_id"
_RETRIED: Final = frozenset({"internal", "video_pull_failed", "photo_pull_failed"})
_MEDIA: Final = frozenset(
    ("file_format_check_failed", "duration_check_failed", "frame_rate_check_failed", "picture_size_check_failed")
)


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Upload the video or name the photos, and wait until TikTok has published them."""
    return await publish_parts(session, outgoing, journal, find=_find, create=_create, published=_published)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, _state: Mapping[str, Any]) -> Outcome:
    """Go on with the upload, or look again at what became of the post; the journal says which."""
    upload = journal.steps.get(STEP) or {}
    if not upload.get("complete") or part_done(journal, 0) is not None:
        return await publish(session, outgoing, journal)
    return await _look_again(session, outgoing, journal)


@map_errors(explain)
async def _look_again(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    upload = journal.steps[STEP]
    result = await _result(session, outgoing, journal, upload["publish"])
    if not isinstance(result, Mapping):
        return result
    intended = part_intended(journal, 0)
    if intended is None:  # it was closed when an attempt failed that only looked
        intended = {"publish": upload["publish"], "at": upload["at"]}
        await journal.intend(part_step(0), intended)
    await journal.done(part_step(0), {**intended, **result})
    return _published(session, outgoing, [result])


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Find out by the publish id whether the post is there, or else among the account's public posts."""
    return await reconcile_parts(session, outgoing, journal, find=_find, published=_published)


def _published(session: NetworkSession, outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    post_id, kind = posted[0]["id"], "photo" if is_photos(outgoing) else "video"
    public = str(post_id).isdecimal() and bool(session.username)
    url = f"https://www.tiktok.com/@{session.username}/{kind}/{post_id}" if public else None
    if outgoing.options.get("mode") == "inbox":
        return Published(remote_id=post_id, url=None, delivery="inbox")
    private = outgoing.options.get("privacyLevel") == "SELF_ONLY"
    return Published(remote_id=post_id, url=url, delivery="private" if private else "live")


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    upload = part.journal.steps.get(STEP)
    if upload is not None and upload.get("complete"):
        result = await _result(part.session, part.outgoing, part.journal, upload["publish"])
        if isinstance(result, Mapping):
            await part.intend({"publish": upload["publish"], "at": upload["at"]})
        return result
    if not part.content.media:
        return Refused(code="media_missing", message="A post on TikTok needs a video or photos.")
    return await (_create_photos(part) if is_photos(part.outgoing) else _create_video(part, upload))


async def _create_video(part: ThreadPart, upload: Mapping[str, Any] | None) -> PublicPart | Outcome:
    if upload is None:
        info = await _post_info(part)
        if isinstance(info, Refused):
            return info
        upload = await start_video(part, info)
    else:
        status = await _status(part.session, upload["publish"])
        if status.get("status") != "PROCESSING_UPLOAD":
            await part.journal.record(STEP, {**upload, "complete": True})
            return Pending(state={"publish": upload["publish"]}, poll_after_seconds=1.0)
        upload = {**upload, "stored": status.get("uploaded_bytes")}
    if not await send_video(part, upload):
        return Pending(state={"upload": upload["publish"]}, poll_after_seconds=1.0)
    return Pending(state={"publish": upload["publish"]}, poll_after_seconds=_POLL_SECONDS)


async def _create_photos(part: ThreadPart) -> Outcome:
    outgoing, options = part.outgoing, part.outgoing.options
    urls = [media.url() for media in part.content.media if media.url is not None]
    if len(urls) < len(part.content.media):
        message = "TikTok downloads photos from this service, which has no public https address (SIGNALPOST_BASE_URL)."
        return Refused(code="media_fetch_failed", message=message)
    direct = options.get("mode") != "inbox"
    info: dict[str, Any] = {"title": outgoing.title or "", "description": text_of_part(FACTS, outgoing, 0)}
    if direct:
        post_info = await _post_info(part)
        if isinstance(post_info, Refused):
            return post_info
        shared = ("privacy_level", "disable_comment", "brand_content_toggle", "brand_organic_toggle")
        info |= {name: post_info[name] for name in shared}
        info["auto_add_music"] = options.get("autoMusic") is True
    body = {
        "media_type": "PHOTO",
        "post_mode": "DIRECT_POST" if direct else "MEDIA_UPLOAD",
        "post_info": info,
        "source_info": {"source": "PULL_FROM_URL", "photo_images": urls,
                        "photo_cover_index": options.get("coverIndex", 0)},
    }  # fmt: skip
    await part.intend({"at": clock.wire(part.session.now())})
    data = await call(part.session, "/v2/post/publish/content/init/", body)
    publish_id = string(data.get("publish_id"))
    if publish_id is None:
        raise BadResponse("the response names no post", status=200)
    await part.journal.record(STEP, {"publish": publish_id, "complete": True, "at": clock.wire(part.session.now())})
    return Pending(state={"publish": publish_id}, poll_after_seconds=_POLL_SECONDS)


async def _post_info(part: ThreadPart) -> dict[str, Any] | Refused:
    """Return what the post says and who may do what with it, checked against what TikTok allows the creator now."""
    outgoing, options = part.outgoing, part.outgoing.options
    if options.get("mode") == "inbox":
        return {}
    creator = await call(part.session, "/v2/post/publish/creator_info/query/")
    level = options.get("privacyLevel")
    allowed = creator.get("privacy_level_options")
    if isinstance(allowed, list) and level not in allowed:
        levels = ", ".join(str(value) for value in allowed[:10])
        message = f"TikTok allows this creator the privacy levels {levels}, not {level}."
        return Refused(code="content_rejected", message=message, rule="tiktok.options.privacy_required")
    seconds_max = creator.get("max_video_post_duration_sec")
    duration_ms = part.content.media[0].duration_ms
    if type(seconds_max) is int and duration_ms is not None and duration_ms > 1000 * seconds_max:
        message = f"The video is {duration_ms // 1000} s long; TikTok allows this creator {seconds_max} s."
        return Refused(code="media_unsupported", message=message, rule="tiktok.media.max_duration")

    def disabled(option: str, name: str) -> bool:
        return options.get(option) is not True or creator.get(name) is True

    info: dict[str, Any] = {
        "title": text_of_part(FACTS, outgoing, 0),
        "privacy_level": level,
        "disable_comment": disabled("allowComment", "comment_disabled"),
        "disable_duet": disabled("allowDuet", "duet_disabled"),
        "disable_stitch": disabled("allowStitch", "stitch_disabled"),
        "brand_content_toggle": options.get("brandContent") is True,
        "brand_organic_toggle": options.get("brandOrganic") is True,
        "is_aigc": options.get("aiGenerated") is True,
    }
    if "coverTimeMs" in options:
        info["video_cover_timestamp_ms"] = options["coverTimeMs"]
    return info


async def _status(session: NetworkSession, publish_id: str) -> Mapping[str, Any]:
    return await call(session, "/v2/post/publish/status/fetch/", {"publish_id": publish_id})


async def _result(
    session: NetworkSession, outgoing: Outgoing, journal: Journal, publish_id: str
) -> PublicPart | Pending | Refused | TryLater:
    """Return what became of a post whose files TikTok has, or is downloading."""
    status = await _status(session, publish_id)
    match status.get("status"):
        case "SEND_TO_USER_INBOX":
            return {"id": publish_id}
        case "PUBLISH_COMPLETE":
            post_id = _post_id(status)
            if post_id is None and outgoing.options.get("privacyLevel") == "PUBLIC_TO_EVERYONE":
                seen = journal.steps.get("published_at")
                if seen is None:
                    seen = clock.wire(session.now())
                    await journal.record("published_at", seen)
                if session.now() - datetime.fromisoformat(seen) < timedelta(seconds=_ID_SECONDS):
                    return Pending(state={"publish": publish_id}, poll_after_seconds=_POLL_SECONDS)
            return {"id": post_id or publish_id}
        case "FAILED":
            await journal.record(STEP, None)
            return _failed(string(status.get("fail_reason")) or "unknown")
    return Pending(state={"publish": publish_id}, poll_after_seconds=_POLL_SECONDS)


def _post_id(status: Mapping[str, Any]) -> str | None:
    ids = status.get(_SIC_POST_IDS)
    first = ids[0] if isinstance(ids, list) and ids else None
    return str(first) if isinstance(first, int | str) and str(first).isdecimal() and len(str(first)) < 30 else None


def _failed(reason: str) -> Refused | TryLater:
    message = f"TikTok could not publish the post: {reason}."
    if reason in _RETRIED:
        return TryLater(message=message, platform_code=reason)
    if reason == "auth_removed":
        advice = "The creator removed the app while the post was being published. Connect the account again."
        return Refused(code="auth_expired", message=message, platform_code=reason, remediation=advice)
    code = "media_unsupported" if reason in _MEDIA else "content_rejected"
    return Refused(code=code, message=message, platform_code=reason)


async def _find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Ask what became of the publish id; a post whose id was lost is looked for among the account's public posts."""
    session, upload = part.session, part.journal.steps.get(STEP) or {}
    publish_id = intended.get("publish") or upload.get("publish")
    if publish_id is None:
        return await _search(part, datetime.fromisoformat(intended["at"]))
    status = await _status(session, publish_id)
    state = status.get("status")
    if state in {"SEND_TO_USER_INBOX", "PUBLISH_COMPLETE"}:
        return {"id": _post_id(status) or publish_id}
    stored, size = status.get("uploaded_bytes"), part.content.media[0].size_bytes if part.content.media else 0
    if state == "FAILED" or (state == "PROCESSING_UPLOAD" and type(stored) is int and stored < size):
        return None
    return OutcomeUnknown(message="TikTok is still processing the post.", tells_after_seconds=_EARLY_SECONDS)


async def _search(part: ThreadPart, at: datetime) -> PublicPart | OutcomeUnknown:
    """Look for photos whose publish id was lost. Only public posts are listed, so a missing one proves nothing."""
    unknown = "TikTok does not say whether it received the photos. Look at the account before you post them again."
    path = "/v2/video/list/?fields=id,title,video_description,create_time"
    videos = (await call(part.session, path, {"max_count": _LISTED})).get("videos")
    text = text_of_part(FACTS, part.outgoing, 0)
    for video in videos if isinstance(videos, list) else ():
        if not isinstance(video, dict) or not text:
            continue
        created, post_id = video.get("create_time"), string(video.get("id"))
        recent = type(created) is int and created >= (at - _SKEW).timestamp()
        if post_id and recent and text in {video.get("title"), video.get("video_description")}:
            return {"id": post_id}
    return OutcomeUnknown(message=unknown)
