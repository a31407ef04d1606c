"""Uploading files, making a draft, publishing it in one call, and deleting it."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.kit.http import Part as FormPart
from signalpost.networks.articles import uploaded_once
from signalpost.networks.connectors.ghost.calls import answers_as_ghost, call_api, explain
from signalpost.networks.connectors.ghost.content import Uploaded, content_of, is_picture
from signalpost.networks.connectors.ghost.facts import FACTS, SEGMENTS
from signalpost.networks.connectors.ghost.find import Post, find, is_done, only_post, public_part, read, slug_of_draft
from signalpost.networks.connectors.ghost.names import missing_name
from signalpost.networks.contract import (
    ApiError,
    NetworkSession,
    Outcome,
    Outgoing,
    OutgoingMedia,
    Published,
    Refused,
)
from signalpost.networks.in_parts import in_parts
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, string
from signalpost.networks.threads import PublicPart, ThreadPart

CALL_SECONDS: Final = 60.0
UPLOAD_SECONDS: Final = 180.0
SLUG_LENGTH_MAX: Final = 185  # the column takes 191, and a taken slug gets a number
_STEP: Final = "draft"
_PLACES: Final[Mapping[str, str]] = {"video": "media", "audio": "media", "document": "files"}
_FIELDS: Final[Mapping[str, str]] = {
    "visibility": "visibility", "featured": "featured", "excerpt": "custom_excerpt", "canonicalUrl": "canonical_url",
    "tags": "tags", "authors": "authors", "emailSubject": "email_subject", "emailOnly": "email_only",
}  # fmt: skip
"""Members of a post by the options that they are made of."""


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Delete the post. One that is not there counts as deleted."""
    try:
        await call_api(session, f"DELETE /posts/{remote_id}/", expect=(204,))
    except ApiError as error:
        if error.response.status != 404 or not answers_as_ghost(error.response):
            raise


def _published(_session: NetworkSession, outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    is_draft = outgoing.options.get("status") == "draft"
    return Published(remote_id=posted[0]["id"], url=posted[0].get("url"), delivery="private" if is_draft else "live")


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    options = part.outgoing.options
    draft = await _earlier_draft(part)
    if isinstance(draft, Refused):
        return draft
    if draft is not None and is_done(draft, part.outgoing):  # by an earlier attempt, or by someone at the site
        return public_part(draft)
    missing = await missing_name(part.session, part.outgoing)
    if missing is not None:
        return missing
    draft = draft or await _new_draft(part)
    body = {
        "updated_at": draft["updated_at"], "status": options.get("status") or "published",
        "slug": (options.get("slug") or part.outgoing.title or "")[:SLUG_LENGTH_MAX],
    }  # fmt: skip
    params = {}
    if options.get("newsletter"):
        params = {
            "newsletter": options["newsletter"],
            "email_segment": SEGMENTS[options.get("emailSegment") or "everyone"],
        }
    await part.intend({"at": clock.wire(part.session.now()), "post": draft["id"]})
    try:
        response = await call_api(
            part.session, f"PUT /posts/{draft['id']}/", params=params, json={"posts": [body]},
            timeout_seconds=CALL_SECONDS,
        )  # fmt: skip
    except ApiError:
        # Some errors of mailing come once the post is public: it must not be published, and mailed, once more.
        current = await read(part.session, draft["id"]) if params else None
        if current is None or not is_done(current, part.outgoing):
            raise
        return public_part(current)
    return public_part(only_post(response))


async def _earlier_draft(part: ThreadPart) -> Post | Refused | None:
    """Return the post of an earlier attempt as it is at the site; None if there was none."""
    step = part.journal.steps.get(_STEP)
    if step is not None:
        earlier = await read(part.session, step["id"])
        message = "Someone deleted the draft of this post at the site before it was published."
        return earlier or Refused(code="content_rejected", message=message)
    draft = await read(part.session, f"slug/{slug_of_draft(part.outgoing)}")
    if draft is not None:
        await part.journal.record(_STEP, {"id": draft["id"]})
    return draft


async def _new_draft(part: ThreadPart) -> Post:
    response = await call_api(
        part.session, "POST /posts/", params={"source": "html"}, json={"posts": [await _body(part)]},
        timeout_seconds=CALL_SECONDS, expect=(201,),
    )  # fmt: skip
    draft = only_post(response)
    await part.journal.record(_STEP, {"id": draft["id"]})
    return draft


async def _body(part: ThreadPart) -> Mapping[str, Any]:
    outgoing, options = part.outgoing, part.outgoing.options
    files = [
        (media, await uploaded_once(part, f"media:{index}", partial(_upload, part.session, media)))
        for index, media in enumerate(outgoing.media)
    ]
    body: dict[str, Any] = {"status": "draft", "slug": slug_of_draft(outgoing), "title": outgoing.title or ""}
    body |= {member: options[name] for name, member in _FIELDS.items() if options.get(name)}
    first = next((file for file in files if is_picture(file[0])), None)
    if first is not None and options.get("featuredImage") is not False:
        body |= {"feature_image": first[1]["url"], "feature_image_alt": first[0].alt_text or None}
        body |= {"feature_image_caption": options["caption"]} if options.get("caption") else {}
        files = [file for file in files if file is not first]
    body["html"] = content_of(text_of_part(FACTS, outgoing, 0), files)
    return body


async def _upload(session: NetworkSession, media: OutgoingMedia) -> Uploaded:
    """Send a file, and return its address at the site."""
    place = _PLACES.get(media.kind, "images")
    form = [FormPart("file", media.read(), media.file_name, media.mime_type, media.size_bytes)]
    form += [FormPart("purpose", "image")] if place == "images" else []
    response = await call_api(
        session, f"POST /{place}/upload/", data=form, timeout_seconds=UPLOAD_SECONDS, expect=(200, 201)
    )
    files = members(response).get(place)
    first = files[0] if isinstance(files, list) and files else None
    url = string(first.get("url")) if isinstance(first, dict) else None
    if url is None:
        raise BadResponse("the response has no address of the file", status=response.status)
    return {"url": url}


publish, _, reconcile = in_parts(explain, find=find, create=_create, published=_published)
