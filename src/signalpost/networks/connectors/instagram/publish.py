"""Publishing by containers: one for each file of a carousel, one for the post, then the call that publishes it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import msgspec

from signalpost.kit.http import BadResponse
from signalpost.networks import fetching
from signalpost.networks.connectors.instagram.account import graph_of, is_facebook
from signalpost.networks.connectors.instagram.facts import FACTS, UserTag, kind_of
from signalpost.networks.contract import (
    ApiError,
    Journal,
    Metrics,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    OutgoingMedia,
    Pending,
    Published,
    Reconciled,
    Refused,
    TryLater,
)
from signalpost.networks.first_comment import add_first_comment, until_commented
from signalpost.networks.meta.containers import (
    LISTED,
    Container,
    ContainerApi,
    find_listed,
    find_published,
    publish_container,
    ready,
)
from signalpost.networks.meta.errors import QUOTA_SECONDS, explainer, read_error
from signalpost.networks.meta.graph import encoded
from signalpost.networks.meta.insights import delete_object, insights, is_missing
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, single_spaced, string, texts
from signalpost.networks.threads import PublicPart, ThreadPart, is_restored, publish_parts, reconcile_parts

UPLOAD_SECONDS: Final = 200.0
POLL_SECONDS: Final[Mapping[str, float]] = {"image": 5.0, "video": 15.0}
_TRIALS: Final = {"manual": "MANUAL", "performance": "SS_PERFORMANCE"}

explain = explainer(FACTS.name)


@map_errors(explain)
async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Publish the post, then its first comment."""
    outcome = await publish_parts(session, outgoing, journal, find=_find, create=_create, published=_published)
    if not isinstance(outcome, Published):
        return outcome
    send = partial(graph_of(session).comment, outcome.remote_id)
    return await add_first_comment(outcome, outgoing, journal, send=send, explain=explain)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, _state: Mapping[str, Any]) -> Outcome:
    """Go on when the containers are ready; the journal has their ids."""
    return await publish(session, outgoing, journal)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Read whether the container was published, and find its post."""
    reconciled = await reconcile_parts(session, outgoing, journal, find=_find, published=_published)
    return until_commented(reconciled, outgoing, journal)


def _published(_session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    return Published(remote_id=posted[0]["id"], url=posted[0].get("url"))


def _api(session: NetworkSession) -> ContainerApi:
    return ContainerApi(
        name=FACTS.name, graph=graph_of(session), user_id=session.remote_id, create_edge="media",
        publish_edge="media_publish", state_field="status_code", message_field="status",
    )  # fmt: skip


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    media, api = part.content.media, _api(part.session)
    if not media:
        return Refused(code="media_missing", message="A post on Instagram needs media.")
    uploads = is_facebook(part.session)
    if any(file.url is None and not (uploads and file.kind == "video") for file in media):
        return fetching.refused(FACTS)
    if not any(step.startswith(("container:", "item:")) for step in part.journal.steps):
        over = await _quota(part.session)
        if over is not None:
            return over
    container = await _container(part, api)
    if not isinstance(container, Container):
        return _paced(container, media)
    return await publish_container(part, api, container, _locate(part))


def _paced(outcome: Outcome, media: Sequence[OutgoingMedia]) -> Outcome:
    """Ask later for what takes longer."""
    if not isinstance(outcome, Pending):
        return outcome
    seconds = max(POLL_SECONDS[file.kind] for file in media)
    return Pending(state=outcome.state, poll_after_seconds=seconds)


async def _container(part: ThreadPart, api: ContainerApi) -> Container | Outcome:
    """Return the container of the post; for a carousel its files have theirs first."""
    media = part.content.media
    if kind_of(part.outgoing) != "carousel":
        form = {**_file(part, 0), **_single(part)}
        return await ready(part, api, "container:0", lambda: _create_container(part, api, media[0], form))
    items: list[Container | Outcome] = []
    for number, file in enumerate(media):
        form = {**_file(part, number), "is_carousel_item": True}
        items.append(await ready(part, api, f"item:{number}", partial(_create_container, part, api, file, form)))
    waiting = [item for item in items if not isinstance(item, Container)]
    if waiting:
        return next((item for item in waiting if not isinstance(item, Pending)), waiting[0])
    children = ",".join(item.id for item in items if isinstance(item, Container))
    form = {"media_type": "CAROUSEL", "children": children, **_caption(part)}
    return await ready(part, api, "container:0", lambda: api.create(form))


async def _create_container(part: ThreadPart, api: ContainerApi, file: OutgoingMedia, form: Mapping[str, Any]) -> str:
    """Create a container; if Instagram cannot download its video, upload it."""
    if file.url is not None:
        return await api.create({**form, f"{file.kind}_url": file.url()})
    response = await api.graph.post(f"{api.user_id}/media", {**form, "upload_type": "resumable"})
    container_id, url = texts(response, "id", "uri")
    server = part.session.server
    if not server.has(url):
        raise BadResponse("Instagram named an address at another host")  # which gets neither the file nor the token
    headers = {
        "Authorization": f"OAuth {api.graph.token}",
        "offset": "0",
        "file_size": str(file.size_bytes),
        "Content-Type": "application/octet-stream",
        "Content-Length": str(file.size_bytes),
    }
    received = await server.call("POST", url, headers=headers, data=file.read(), timeout_seconds=UPLOAD_SECONDS)
    if members(received).get("success") is not True:
        raise BadResponse("Instagram did not take the file", status=received.status)
    return container_id


def _file(part: ThreadPart, number: int) -> dict[str, Any]:
    """Return what is said of one file, whether it is the post or an item of a carousel."""
    file, kind = part.content.media[number], kind_of(part.outgoing)
    form: dict[str, Any] = {}
    if file.kind == "image" and kind != "story":
        form["alt_text"] = file.alt_text
    if file.kind == "video" and kind == "carousel":
        form["media_type"] = "VIDEO"
    tags = msgspec.convert(part.outgoing.options.get("userTags") or [], list[UserTag])
    if placed := [_tag(tag) for tag in tags if tag.index == number]:
        form["user_tags"] = placed
    return form


def _tag(tag: UserTag) -> dict[str, Any]:
    values = {"username": tag.username.removeprefix("@"), "x": tag.x, "y": tag.y}
    return {name: value for name, value in values.items() if value is not None}


def _single(part: ThreadPart) -> dict[str, Any]:
    """Return what is said of a post with one file."""
    options = part.outgoing.options
    match kind_of(part.outgoing):
        case "story":
            return {"media_type": "STORIES"}
        case "reel":
            trial = options.get("trialReel")
            return {
                "media_type": "REELS",
                "share_to_feed": options.get("shareToFeed"),
                "audio_name": options.get("audioName"),
                "thumb_offset": None if options.get("coverTimeMs") is None else encoded(options["coverTimeMs"]),
                "cover_url": options.get("coverUrl"),
                "audio_configuration": _music(options),
                "trial_params": trial and {"graduation_strategy": _TRIALS[trial]},
                **_caption(part),
            }
        case _:
            return _caption(part)


def _music(options: Mapping[str, Any]) -> dict[str, Any] | None:
    if options.get("musicId") is None:
        return None
    names = {"audio_id": "musicId", "audio_volume": "musicVolume", "video_volume": "videoVolume"}
    return {name: options[option] for name, option in names.items() if options.get(option) is not None}


def _caption(part: ThreadPart) -> dict[str, Any]:
    options = part.outgoing.options
    collaborators = [name.removeprefix("@") for name in options.get("collaborators") or ()]
    return {
        "caption": text_of_part(FACTS, part.outgoing, 0) or None,
        "collaborators": collaborators or None,
        "location_id": options.get("locationId"),
        "is_paid_partnership": options.get("paidPartnership") or None,
        "is_ai_generated": options.get("aiGenerated") or None,
    }


async def _quota(session: NetworkSession) -> TryLater | None:
    """Return when to try again if the account has used up its posts of the last 24 hours."""
    edge = f"{session.remote_id}/content_publishing_limit"
    data = (await graph_of(session).get(edge, fields="quota_usage,config{quota_total}")).get("data")
    usage = data[0] if isinstance(data, list) and data and isinstance(data[0], dict) else {}
    config = usage.get("config")
    used, total = usage.get("quota_usage"), config.get("quota_total") if isinstance(config, dict) else None
    if type(used) is not int or type(total) is not int or used < total:
        return None
    message = f"The account has published {used} posts in 24 hours; Instagram allows {total}."
    return TryLater(message=message, code="platform_quota", after_seconds=QUOTA_SECONDS)


# --- finding a post again ------------------------------------------------------------------------------------------


async def _find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    if is_restored(intended) and (kind_of(part.outgoing) == "story" or not text_of_part(FACTS, part.outgoing, 0)):
        return OutcomeUnknown(message="Nothing but its media identifies the post, so only the account shows it.")
    return await find_published(_api(part.session), intended, _locate(part))


def _locate(part: ThreadPart) -> Any:
    """Return what finds the post among the latest of the account."""
    is_story = kind_of(part.outgoing) == "story"
    edge = f"{part.session.remote_id}/{'stories' if is_story else 'media'}"
    caption = single_spaced(text_of_part(FACTS, part.outgoing, 0))

    async def locate(since: datetime) -> PublicPart | OutcomeUnknown | None:
        listed = await graph_of(part.session).get(edge, fields="id,caption,permalink,timestamp", limit=str(LISTED))
        return find_listed(
            listed, since, lambda item: is_story or single_spaced(string(item.get("caption"))) == caption
        )

    return locate


# --- afterwards ----------------------------------------------------------------------------------------------------


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Delete the post; one that does not exist counts as deleted. Instagram Login has no such call and refuses it."""
    await delete_object(graph_of(session), remote_id)


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the counts of posts, and what their insights say."""
    graph = graph_of(session)
    numbers: dict[str, Metrics | None] = {}
    for remote_id in remote_ids:
        try:
            body = await graph.get(remote_id, fields="like_count,comments_count")
        except ApiError as error:
            if not is_missing(read_error(error.response)):
                raise
            numbers[remote_id] = None
            continue
        seen = await insights(graph, remote_id, "views,reach,saved,shares")
        watched = await insights(graph, remote_id, "ig_reels_video_view_total_time")
        milliseconds = watched.get("ig_reels_video_view_total_time")
        numbers[remote_id] = Metrics(
            views=seen.get("views"),
            reach=seen.get("reach"),
            saves=seen.get("saved"),
            shares=seen.get("shares"),
            likes=body.get("like_count"),
            comments=body.get("comments_count"),
            watch_time_seconds=None if milliseconds is None else milliseconds // 1000,
        )
    return numbers
