"""Publishing by containers; the rest of a thread and the first comment are replies, each a container of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from signalpost.networks import fetching
from signalpost.networks.connectors.threads.account import graph_of
from signalpost.networks.connectors.threads.facts import FACTS, link_of, spoilers_of
from signalpost.networks.contract import (
    ApiError,
    Journal,
    Metrics,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    OutgoingMedia,
    Part,
    Pending,
    Published,
    Reconciled,
    Refused,
)
from signalpost.networks.meta.containers import (
    LISTED,
    Container,
    ContainerApi,
    find_listed,
    find_published,
    publish_container,
    ready,
)
from signalpost.networks.meta.errors import explainer, read_error
from signalpost.networks.meta.insights import delete_object, insights, is_missing
from signalpost.networks.outcome_mapping import map_errors
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart, part_done, publish_parts, reconcile_parts

POLL_SECONDS: Final[Mapping[str, float]] = {"image": 5.0, "video": 20.0}
HIDDEN_SECONDS: Final = 120
"""A post cannot be replied to for some seconds after it was published."""
_HIDDEN: Final = 4_279_009
_OPTIONS: Final = ("option_a", "option_b", "option_c", "option_d")

explain = explainer(FACTS.name)


async def publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Publish the posts of the thread, then the first comment, which is one more of them."""
    outcome = await _publish(session, _with_comment(outgoing), journal)
    if isinstance(outcome, Refused) and outgoing.first_comment and _is_public(outgoing, journal):
        return replace(_public_so_far(session, outgoing, journal), first_comment_error=outcome.message)
    return outcome


@map_errors(explain)
async def _publish(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
    return await publish_parts(session, outgoing, journal, find=_find, create=_create, published=_published)


async def poll(session: NetworkSession, outgoing: Outgoing, journal: Journal, _state: Mapping[str, Any]) -> Outcome:
    """Go on when the containers are ready; the journal has their ids."""
    return await publish(session, outgoing, journal)


async def reconcile(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Reconciled:
    """Read whether the container was published, and find its post."""
    return await reconcile_parts(session, _with_comment(outgoing), journal, find=_find, published=_published)


def _with_comment(outgoing: Outgoing) -> Outgoing:
    """Return the post with its first comment as the last part."""
    if not outgoing.first_comment:
        return outgoing
    return replace(outgoing, parts=(*outgoing.parts, Part(text=outgoing.first_comment)))


def _is_public(outgoing: Outgoing, journal: Journal) -> bool:
    return all(part_done(journal, index) is not None for index in range(len(outgoing.parts)))


def _public_so_far(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Published:
    posted = [part for index in range(len(outgoing.parts)) if (part := part_done(journal, index)) is not None]
    return _published(session, replace(outgoing, first_comment=None), posted)


def _published(_session: NetworkSession, outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    first, *rest = posted
    ids = [part["id"] for part in rest]
    has_comment = bool(outgoing.first_comment) and len(posted) == len(outgoing.parts)
    return Published(
        remote_id=first["id"],
        url=first.get("url"),
        thread_ids=tuple(ids[:-1] if has_comment else ids),
        first_comment_id=ids[-1] if has_comment else None,
    )


def _api(session: NetworkSession) -> ContainerApi:
    return ContainerApi(
        name=FACTS.name, graph=graph_of(session), user_id=session.remote_id, create_edge="threads",
        publish_edge="threads_publish", state_field="status", message_field="error_message",
    )  # fmt: skip


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    if any(file.url is None for file in part.content.media):
        return fetching.refused(FACTS)
    api = _api(part.session)
    try:
        container = await _container(part, api)
    except ApiError as error:
        if (waiting := _hidden_parent(part, error)) is not None:
            return waiting
        raise
    if isinstance(container, Container):
        return await publish_container(part, api, container, _locate(part))
    if isinstance(container, Pending):
        seconds = max([POLL_SECONDS[file.kind] for file in part.content.media], default=5.0)
        return Pending(state=container.state, poll_after_seconds=seconds)
    return container


def _hidden_parent(part: ThreadPart, error: ApiError) -> Pending | None:
    """Return when to try again if the post to reply to was published just now and cannot be seen yet."""
    meta, parent = read_error(error.response), part.parent
    if meta is None or meta.subcode != _HIDDEN or parent is None:
        return None
    age = part.session.now() - datetime.fromisoformat(parent["at"])
    return Pending(state={"parent": parent["id"]}) if age < timedelta(seconds=HIDDEN_SECONDS) else None


async def _container(part: ThreadPart, api: ContainerApi) -> Container | Outcome:
    """Return the container of a post; if it has several files, each has one first."""
    media, step = part.content.media, f"container:{part.index}"
    if len(media) < 2:
        form = {**(_file(media[0]) if media else {"media_type": "TEXT"}), **_post(part)}
        return await ready(part, api, step, partial(_create_container, api, form, media[0] if media else None))
    items: list[Container | Outcome] = []
    for number, file in enumerate(media):
        form = {**_file(file), "is_carousel_item": True}
        items.append(await ready(part, api, f"item:{part.index}:{number}", partial(_create_container, api, form, file)))
    waiting = [item for item in items if not isinstance(item, Container)]
    if waiting:
        return next((item for item in waiting if not isinstance(item, Pending)), waiting[0])
    children = ",".join(item.id for item in items if isinstance(item, Container))
    form = {"media_type": "CAROUSEL", "children": children, **_post(part)}
    return await ready(part, api, step, partial(api.create, form))


async def _create_container(api: ContainerApi, form: Mapping[str, Any], file: OutgoingMedia | None) -> str:
    """Create a container. The address of a file is signed now, since it does not last."""
    address = {} if file is None or file.url is None else {f"{file.kind}_url": file.url()}
    return await api.create({**form, **address})


def _file(media: OutgoingMedia) -> dict[str, Any]:
    return {"media_type": media.kind.upper(), "alt_text": media.alt_text or None}


def _post(part: ThreadPart) -> dict[str, Any]:
    """Return what is said of a post; options and link are those of the first one."""
    options, first = part.outgoing.options, part.index == 0
    form: dict[str, Any] = {"text": text_of_part(FACTS, part.outgoing, part.index) or None}
    form["reply_to_id"] = part.parent["id"] if part.parent else None
    if not first:
        return form
    tag = options.get("topicTag")
    form |= {"topic_tag": tag and tag.removeprefix("#"), "reply_control": options.get("replyControl")}
    form |= {"quote_post_id": options.get("quoteId"), "is_spoiler_media": options.get("spoilerMedia") or None}
    if spoilers := spoilers_of(part.outgoing):
        form["text_entities"] = [
            {"entity_type": "SPOILER", "offset": offset, "length": length} for offset, length in spoilers
        ]
    if poll_options := options.get("poll"):
        form["poll_attachment"] = dict(zip(_OPTIONS, poll_options, strict=False))
    elif not part.content.media and not options.get("quoteId"):
        form["link_attachment"] = link_of(part.outgoing)
    return form


# --- finding a post again ------------------------------------------------------------------------------------------


async def _find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    return await find_published(_api(part.session), intended, _locate(part))


def _locate(part: ThreadPart) -> Any:
    """Return what finds the post among the latest of the account."""
    edge = f"{part.session.remote_id}/{'threads' if part.index == 0 else 'replies'}"
    text = single_spaced(text_of_part(FACTS, part.outgoing, part.index))

    async def locate(since: datetime) -> PublicPart | OutcomeUnknown | None:
        fields = "id,text,permalink,timestamp" + ("" if part.index == 0 else ",replied_to")
        query = {"fields": fields, "since": str(int(since.timestamp())), "limit": str(LISTED)}
        listed = await graph_of(part.session).get(edge, **query)
        taken = {public["id"] for public in part.posted}

        def is_same(item: Mapping[str, Any]) -> bool:
            same_text = single_spaced(string(item.get("text"))) == text
            return same_text and item["id"] not in taken and _is_reply_to(part.parent, item)

        return find_listed(listed, since, is_same)

    return locate


def _is_reply_to(parent: PublicPart | None, item: Mapping[str, Any]) -> bool:
    """Return whether a reply may be one to the part before; a list that does not say to what it replies may have it."""
    replied_to = item.get("replied_to")
    return parent is None or not isinstance(replied_to, dict) or replied_to.get("id") in {None, parent["id"]}


# --- afterwards ----------------------------------------------------------------------------------------------------


async def delete(session: NetworkSession, remote_id: str, thread_ids: Sequence[str]) -> None:
    """Delete the posts, last first; one that does not exist counts as deleted."""
    for post_id in (*reversed(thread_ids), remote_id):
        await delete_object(graph_of(session), post_id)


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the insights of posts."""
    graph = graph_of(session)
    numbers: dict[str, Metrics | None] = {}
    for remote_id in remote_ids:
        try:
            seen = await insights(graph, remote_id, "views,likes,replies,reposts,quotes,shares")
        except ApiError as error:
            if not is_missing(read_error(error.response)):
                raise
            numbers[remote_id] = None
            continue
        shared = [seen[name] for name in ("reposts", "quotes", "shares") if name in seen]
        numbers[remote_id] = Metrics(
            views=seen.get("views"),
            likes=seen.get("likes"),
            comments=seen.get("replies"),
            shares=sum(shared) if shared else None,
        )
    return numbers
