"""Builds the record of a post: text with facets, languages, labels, and images, a video, a link card, a quote."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.kit.sniff import media_type
from signalpost.networks import opengraph
from signalpost.networks.connectors.bluesky import rich_text
from signalpost.networks.connectors.bluesky.calls import call, send
from signalpost.networks.connectors.bluesky.facts import FACTS, IMAGES_IN_GRID, Captions, LinkCard
from signalpost.networks.contract import ApiError, Journal, NetworkSession, Outgoing, OutgoingMedia, Refused, Response
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, string

COLLECTION = "app.bsky.feed.post"
_QUOTE = "app.bsky.embed.record"
_GALLERY = "app.bsky.embed.gallery"
BLOB_SECONDS_MAX = 900  # a server may delete a blob that no record mentions; after this it is uploaded again
HANDLES_MAX = 20
THUMB_BYTES_MAX = 1_000_000
UPLOAD_SECONDS = 120.0


async def build(session: NetworkSession, outgoing: Outgoing, journal: Journal, index: int) -> dict[str, Any] | Refused:
    """Return the record of a part, uploading its media; Refused when Bluesky cannot show one of them."""
    text = text_of_part(FACTS, outgoing, index)
    record: dict[str, Any] = {"$type": COLLECTION, "text": text}
    dids = await _resolve(session, rich_text.handles(text)[:HANDLES_MAX])
    if facets := rich_text.facets_of(text, dids):
        record["facets"] = facets
    if languages := outgoing.options.get("languages"):
        record["langs"] = list(languages)
    if labels := outgoing.options.get("labels"):
        values = [{"val": label} for label in labels]
        record["labels"] = {"$type": "com.atproto.label.defs#selfLabels", "values": values}
    media = outgoing.parts[index].media
    embed = await (_media(session, outgoing, journal, index) if media else _card(session, outgoing, journal, index))
    if isinstance(embed, Refused):
        return embed
    if index == 0 and (address := outgoing.options.get("quoteId")):
        quote = await _quote(session, address)
        if isinstance(quote, Refused):
            return quote
        embed = quote if embed is None else {"$type": f"{_QUOTE}WithMedia", "record": quote, "media": embed}
    if embed is not None:
        record["embed"] = embed
    return record


async def _quote(session: NetworkSession, address: str) -> dict[str, Any] | Refused:
    """Return the embed of a quoted post; its version is read from the server, which asks the network for others'."""
    *_, author, _, rkey = address.split("/")
    did = author if author.startswith("did:") else (await _resolve(session, [author])).get(author)
    absent = Refused(
        code="content_rejected", message=f"The post to quote does not exist: {address}",
        remediation="Check that the post is still there, and choose another one or publish without a quote.",
    )  # fmt: skip
    if did is None:
        return absent
    query = {"repo": did, "collection": COLLECTION, "rkey": rkey}
    try:
        record = members(await send(session, "GET", "com.atproto.repo.getRecord", params=query))
    except ApiError as error:
        if is_absent(error.response):
            return absent
        raise
    reference = {"uri": string(record.get("uri")), "cid": string(record.get("cid"))}
    if None in reference.values():
        raise BadResponse("the response names no record")
    return {"$type": _QUOTE, "record": reference}


def is_absent(response: Response) -> bool:
    """Return whether the server says that the record does not exist."""
    body = members(response)
    # Old servers have no error name, only the words; without an address these mean that the account moved away.
    words = str(body.get("message")).startswith("Could not locate record: at://")
    return response.status == 400 and (body.get("error") == "RecordNotFound" or words)


async def _resolve(session: NetworkSession, handles: Iterable[str]) -> Mapping[str, str]:
    """Return the DIDs of the handles that exist. An unknown handle does not fail the post."""
    dids = {}
    for handle in handles:
        try:
            response = await send(session, "GET", "com.atproto.identity.resolveHandle", params={"handle": handle})
        except ApiError as error:
            if error.response.status == 429:
                raise
            continue
        did = members(response).get("did")
        if isinstance(did, str):
            dids[handle] = did
    return dids


async def _media(session: NetworkSession, outgoing: Outgoing, journal: Journal, index: int) -> dict[str, Any] | Refused:
    items: list[dict[str, Any]] = []
    files = outgoing.parts[index].media
    for number, media in enumerate(files):
        blob = await _blob(session, media, journal, f"blob:{index}:{number}")
        if isinstance(blob, Refused):
            return blob
        item = {"video" if media.kind == "video" else "image": blob, "alt": media.alt_text or ""}
        if media.width and media.height:
            item["aspectRatio"] = {"width": media.width, "height": media.height}
        items.append(item)
    if files[0].kind == "video":
        display = await _video_options(session, outgoing, journal) if index == 0 else {}
        if files[0].is_animation:
            display["presentation"] = "gif"
        return {"$type": "app.bsky.embed.video", **items[0], **display}
    if len(items) <= IMAGES_IN_GRID:
        return {"$type": "app.bsky.embed.images", "images": items}
    square = {"width": 1, "height": 1}  # a gallery wants a shape of each picture
    pictures = [{"$type": f"{_GALLERY}#image", "aspectRatio": square, **item} for item in items]
    return {"$type": _GALLERY, "items": pictures}


async def _video_options(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> dict[str, Any]:
    """Return how the first post's video is shown, uploading its captions."""
    tracks = []
    for number, track in enumerate(msgspec.convert(outgoing.options.get("captions") or [], list[Captions])):
        step = f"blob:0:captions:{number}"
        file = _uploaded(journal, step, session.now())
        if file is None:
            response = await _upload(session, {"Content-Type": "text/vtt"}, data=track.text.encode())
            file = await _record_blob(journal, step, response, session.now())
        tracks.append({"lang": track.language, "file": file})
    display: dict[str, Any] = {"captions": tracks} if tracks else {}
    return display | ({"presentation": "gif"} if outgoing.options.get("videoAsGif") is True else {})


async def _blob(session: NetworkSession, media: OutgoingMedia, journal: Journal, step: str) -> Any:
    """Return the reference of an uploaded file; it is uploaded again when the server may have deleted it."""
    if (uploaded := _uploaded(journal, step, session.now())) is not None:
        return uploaded
    if media.kind == "video":
        headers = {"Content-Type": media.mime_type, "Content-Length": str(media.size_bytes)}
        response = await _upload(session, headers, media=media)
    else:
        data = await media.bytes()
        mime_type = media_type(data)  # the server accepts a video as an image, and readers would see nothing
        if mime_type != media.mime_type or mime_type not in FACTS.media["image"].mime_types:
            message = f"{media.file_name} is not an image that Bluesky can show."
            return Refused(code="media_unsupported", message=message)
        response = await _upload(session, {"Content-Type": mime_type}, data=data)
    return await _record_blob(journal, step, response, session.now())


async def _upload(session: NetworkSession, headers: Mapping[str, str], **rest: Any) -> Response:
    return await call(
        session, "POST", "com.atproto.repo.uploadBlob", headers=headers, timeout_seconds=UPLOAD_SECONDS, **rest
    )


async def _record_blob(journal: Journal, step: str, response: Response, now: datetime) -> Mapping[str, Any]:
    blob = members(response).get("blob")
    if not isinstance(blob, dict):
        raise BadResponse("the response names no blob", status=response.status)
    await journal.record(step, {"blob": blob, "at": clock.wire(now)})
    return blob


def _uploaded(journal: Journal, step: str, now: datetime) -> Mapping[str, Any] | None:
    upload = journal.steps.get(step)
    if not upload or now - datetime.fromisoformat(upload["at"]) > timedelta(seconds=BLOB_SECONDS_MAX):
        return None
    blob: Mapping[str, Any] = upload["blob"]
    return blob


async def forget_blobs(journal: Journal, index: int) -> None:
    for step in [step for step in journal.steps if step.startswith((f"blob:{index}:", f"thumb:{index}"))]:
        await journal.record(step, None)


async def _card(session: NetworkSession, outgoing: Outgoing, journal: Journal, index: int) -> dict[str, Any] | None:
    """Return the link card of the first post, for its link or else the first URL of its text."""
    option = outgoing.options.get("linkCard", True)
    url = outgoing.link or rich_text.first_link(outgoing.text)
    if index > 0 or url is None or (option is False and outgoing.link is None):
        return None
    card = msgspec.convert(option, LinkCard) if isinstance(option, Mapping) else LinkCard(image=option is True)
    page = None
    if option is not False and (card.title is None or card.image):
        page = await opengraph.fetch_card(session.pages, url)
    title = card.title or (page.title if page else None)
    if title is None:
        if outgoing.link is None:
            return None  # the URL is in the text and can be clicked there
        title = url.split("://", 1)[-1].split("/", 1)[0]
    description = card.description if card.description is not None else (page.description if page else "")
    external: dict[str, Any] = {"uri": url, "title": title, "description": description}
    if card.image and page is not None and page.image_url is not None:
        thumb = await _thumb(session, page.image_url, journal, f"thumb:{index}")
        external |= {"thumb": thumb} if thumb else {}
    return {"$type": "app.bsky.embed.external", "external": external}


async def _thumb(session: NetworkSession, url: str, journal: Journal, step: str) -> Mapping[str, Any] | None:
    if (uploaded := _uploaded(journal, step, session.now())) is not None:
        return uploaded
    image = await opengraph.fetch_image(session.pages, url, THUMB_BYTES_MAX)
    if image is None:
        return None
    data, mime_type = image
    return await _record_blob(
        journal, step, await _upload(session, {"Content-Type": mime_type}, data=data), session.now()
    )
