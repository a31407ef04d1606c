"""Publishing on a Page: texts, links and images by one call, videos by several; finding posts again; metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import msgspec

from signalpost.kit import clock
from signalpost.kit.http import Part as FormPart
from signalpost.networks.connectors.facebook.account import page_graph
from signalpost.networks.connectors.facebook.facts import FACTS, Card, kind_of
from signalpost.networks.connectors.facebook.videos import address, find_video, poll_video, publish_video
from signalpost.networks.contract import (
    ApiError,
    Journal,
    Metrics,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    OutgoingMedia,
    Published,
    Reconciled,
    Refused,
)
from signalpost.networks.first_comment import add_first_comment, until_commented
from signalpost.networks.meta.errors import explainer, read_error
from signalpost.networks.meta.graph import TOO_MANY, Graph, cursor, objects_of
from signalpost.networks.meta.insights import delete_object, insights, is_missing, nested
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import single_spaced, string, texts
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored, publish_parts, reconcile_parts

PHOTO_SECONDS_MAX: Final = 72_000
"""Photos that no post uses are deleted after a day."""
YOUNG_SECONDS: Final = 60
"""A call whose response was lost may still be under way for so long."""
SKEW_SECONDS: Final = 60
UPLOAD_SECONDS: Final = 60.0
_LISTED: Final = "100"
_FIELDS: Final = (
    "id,message,created_time,permalink_url,attachments{target{id},unshimmed_url,subattachments{target{id}}}"
)

explain = explainer(FACTS.name)


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Publish the post, then its first comment."""
    outcome = await publish_parts(session, outgoing, journal, find=_find, create=_create, published=_published)
    if not isinstance(outcome, Published):
        return outcome
    send = partial(page_graph(session).comment, outcome.remote_id)
    return await add_first_comment(outcome, outgoing, journal, send=send, explain=explain)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, state: Mapping[str, Any]) -> Outcome:
    """Ask whether the video is processed, and go on when it is."""
    if isinstance(video_id := state.get("video"), str):
        unfinished = await poll_video(session, video_id, draft=outgoing.options.get("draft") is True)
        if unfinished is not None:
            return unfinished
    return await publish(session, outgoing, journal)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Look for the post among those of the Page, by its photos or its text; for a video by its id."""
    reconciled = await reconcile_parts(session, outgoing, journal, find=_find, published=_published)
    return until_commented(reconciled, outgoing, journal)


def _published(_session: NetworkSession, outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    delivery: Any = "private" if outgoing.options.get("draft") is True else "live"
    return Published(remote_id=posted[0]["id"], url=posted[0].get("url"), delivery=delivery)


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    media = part.content.media
    if media and media[0].kind == "video":
        return await publish_video(part)
    photos = [await _photo(part, number, file) for number, file in enumerate(media)]
    if kind_of(part.outgoing) == "story":
        return await _photo_story(part, photos[0])
    intended = {"at": clock.wire(part.session.now()), "photos": photos}
    form = _form(part, photos)
    await part.intend(intended)
    try:
        response = await page_graph(part.session).post(f"{part.session.remote_id}/feed", form, publishes=True)
    except ApiError as error:
        outcome = explain(error)
        if part.intended is None or not isinstance(outcome, Refused) or outcome.code != "duplicate_content":
            raise
        # It was looked for and not found, and yet there is an equal post: the one whose response was lost.
        return OutcomeUnknown(message=outcome.message, http_status=outcome.http_status, response=outcome.response)
    (post_id,) = texts(response, "id")
    return {"id": post_id, "url": f"https://www.facebook.com/{post_id}"}


def _form(part: ThreadPart, photos: Sequence[str]) -> Mapping[str, Any]:
    outgoing = part.outgoing
    form: dict[str, Any] = {"message": text_of_part(FACTS, outgoing, 0) or None}
    if photos:
        form["attached_media"] = [{"media_fbid": photo} for photo in photos]
    else:
        form["link"] = link_of(outgoing)
    if cards := outgoing.options.get("carouselCards"):
        form["child_attachments"] = [_card(card) for card in msgspec.convert(cards, list[Card])]
    if outgoing.options.get("draft") is True:
        form |= {"published": False, "unpublished_content_type": "DRAFT"}
    return form


def link_of(outgoing: Outgoing) -> str | None:
    """Return the link of the card."""
    return outgoing.options.get("link") or outgoing.link


def _card(card: Card) -> dict[str, str]:
    values = {"link": card.link, "name": card.title, "description": card.description, "picture": card.image_url}
    return {name: value for name, value in values.items() if value is not None}


async def _photo(part: ThreadPart, number: int, media: OutgoingMedia) -> str:
    """Upload an image that nobody sees yet, and return its id."""
    step, now = f"photo:{number}", part.session.now()
    held = part.journal.steps.get(step)
    if held is not None and now - datetime.fromisoformat(held["at"]) < timedelta(seconds=PHOTO_SECONDS_MAX):
        return str(held["id"])
    form = {"published": "false"} | ({"alt_text_custom": media.alt_text} if media.alt_text else {})
    file = FormPart(
        "source", media.read(), filename=media.file_name, content_type=media.mime_type, size=media.size_bytes
    )
    edge = f"{part.session.remote_id}/photos"
    response = await page_graph(part.session).upload(edge, form, file, timeout_seconds=UPLOAD_SECONDS)
    (photo_id,) = texts(response, "id")
    await part.journal.record(step, {"id": photo_id, "at": clock.wire(now)})
    return photo_id


async def _photo_story(part: ThreadPart, photo_id: str) -> PublicPart:
    await part.intend({"at": clock.wire(part.session.now()), "story": photo_id})
    edge = f"{part.session.remote_id}/photo_stories"
    response = await page_graph(part.session).post(edge, {"photo_id": photo_id}, publishes=True)
    (post_id,) = texts(response, "post_id")
    return {"id": post_id, "url": None}


# --- finding a post again ------------------------------------------------------------------------------------------


async def _find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    if "video" in intended:
        return await find_video(part, intended["video"])
    at = datetime.fromisoformat(intended["at"])
    left = at + timedelta(seconds=YOUNG_SECONDS) - part.session.now()
    if left > timedelta(0):
        return OutcomeUnknown(message="The call may still be under way.", tells_after_seconds=left.total_seconds())
    if "story" in intended:
        return await _find_story(part, intended["story"])
    if is_restored(intended) and (kind_of(part.outgoing) == "story" or _has_video(part)):
        return OutcomeUnknown(message="Nothing but its media identifies the post, so only the Page shows it.")
    if part.outgoing.options.get("draft") is True:
        return OutcomeUnknown(message="Facebook does not list drafts, so only its publishing tools show the post.")
    shows_media = bool(part.content.media) and is_restored(intended)
    return await _find_post(
        part, at - timedelta(seconds=SKEW_SECONDS), intended.get("photos") or (), shows_media=shows_media
    )


def _has_video(part: ThreadPart) -> bool:
    return any(media.kind == "video" for media in part.content.media)


async def _find_story(part: ThreadPart, photo_id: str) -> PublicPart | OutcomeUnknown:
    async for story in page_graph(part.session).items(f"{part.session.remote_id}/stories", limit=_LISTED):
        if string(story.get("media_id")) == photo_id and (post_id := string(story.get("post_id"))):
            return {"id": post_id, "url": string(story.get("url"))}
    return OutcomeUnknown(message="Facebook does not list every story, so only the Page shows whether it is there.")


async def _find_post(
    part: ThreadPart, since: datetime, photos: Sequence[str], *, shows_media: bool
) -> PublicPart | OutcomeUnknown | None:
    edge, text = f"{part.session.remote_id}/published_posts", text_of_part(FACTS, part.outgoing, 0)

    def is_same(post: Mapping[str, Any]) -> bool:
        photo_ids = _photos_of(post)
        if photos:
            return photo_ids >= set(photos)
        return single_spaced(string(post.get("message"))) == single_spaced(text) and bool(photo_ids) == shows_media

    query = {"fields": _FIELDS, "since": str(int(since.timestamp())), "limit": _LISTED}
    async for page in page_graph(part.session).pages(edge, **query):
        for post in objects_of(page):
            if is_same(post) and _created_at(post) >= since and (post_id := string(post.get("id"))):
                return {"id": post_id, "url": address(string(post.get("permalink_url")))}
        if cursor(page) is None:
            return None
    return OutcomeUnknown(message=TOO_MANY)


def _photos_of(post: Mapping[str, Any]) -> set[str]:
    """Return the ids of the photos that a post shows."""
    photo_ids: set[str] = set()
    for attachment in nested(post, "attachments"):
        for item in (attachment, *nested(attachment, "subattachments")):
            target = item.get("target")
            if isinstance(target, dict) and (photo_id := string(target.get("id"))):
                photo_ids.add(photo_id)
    return photo_ids


def _created_at(post: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(string(post.get("created_time")) or "1970-01-01T00:00:00+00:00")


# --- afterwards ----------------------------------------------------------------------------------------------------


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Delete the post; one that does not exist counts as deleted."""
    await delete_object(page_graph(session), remote_id)


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the counts of posts, and what their insights say; Facebook ends insights without notice."""
    graph = page_graph(session)
    numbers: dict[str, Metrics | None] = {}
    for remote_id in remote_ids:
        fields = "reactions.summary(true).limit(0),comments.summary(true).limit(0)"
        is_post = "_" in remote_id
        try:
            body = await graph.get(remote_id, fields=f"{fields},shares" if is_post else fields)
        except ApiError as error:
            if not is_missing(read_error(error.response)):
                raise
            numbers[remote_id] = None
            continue
        counted = Metrics(likes=_total(body, "reactions"), comments=_total(body, "comments"))
        numbers[remote_id] = await (_of_post if is_post else _of_video)(graph, remote_id, body, counted)
    return numbers


async def _of_post(graph: Graph, remote_id: str, body: Mapping[str, Any], counted: Metrics) -> Metrics:
    seen = await insights(graph, remote_id, "post_media_view,post_total_media_view_unique")
    clicked = await insights(graph, remote_id, "post_clicks")
    shares = body.get("shares") or {"count": 0}
    return replace(
        counted,
        views=seen.get("post_media_view"),
        reach=seen.get("post_total_media_view_unique"),
        shares=shares.get("count") if isinstance(shares, dict) else None,
        clicks=clicked.get("post_clicks"),
    )


async def _of_video(graph: Graph, remote_id: str, _body: Mapping[str, Any], counted: Metrics) -> Metrics:
    """Read what a video or reel has instead, under its own id."""
    played = await insights(graph, remote_id, "blue_reels_play_count", edge="video_insights")
    watched = await insights(graph, remote_id, "post_video_view_time", edge="video_insights")
    milliseconds = watched.get("post_video_view_time")
    return replace(
        counted,
        views=played.get("blue_reels_play_count"),
        watch_time_seconds=None if milliseconds is None else milliseconds // 1000,
    )


def _total(body: Mapping[str, Any], edge: str) -> int | None:
    value = body.get(edge)
    summary = value.get("summary") if isinstance(value, dict) else None
    count = summary.get("total_count") if isinstance(summary, dict) else None
    return count if type(count) is int else None
