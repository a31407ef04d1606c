"""Uploading files, making categories and tags, creating the post, and moving it to the trash."""

import html
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.kit.http import Part as FormPart
from signalpost.networks.articles import uploaded_once
from signalpost.networks.connectors.wordpress.blocks import Uploaded, content_of, escaped
from signalpost.networks.connectors.wordpress.calls import CREATE, call_api, code_of, explain
from signalpost.networks.connectors.wordpress.facts import FACTS
from signalpost.networks.connectors.wordpress.find import find, public_part
from signalpost.networks.contract import (
    ApiError,
    NetworkSession,
    Outcome,
    OutgoingMedia,
)
from signalpost.networks.in_parts import in_parts
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, string
from signalpost.networks.threads import PublicPart, ThreadPart

CALL_SECONDS: Final = 60.0
UPLOAD_SECONDS: Final = 180.0
ANSWER_BYTES_MAX: Final = 5_000_000


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Move the post to the trash; where a site has none, delete it. One that is not there counts as deleted."""
    call = f"DELETE /wp/v2/posts/{remote_id}"
    try:
        await call_api(session, call, bytes_max=ANSWER_BYTES_MAX)
    except ApiError as error:
        code = code_of(error.response)
        if code == "rest_trash_not_supported":
            await call_api(session, call, params={"force": "true"}, bytes_max=ANSWER_BYTES_MAX)
        elif code not in {"rest_post_invalid_id", "rest_already_trashed"}:
            raise


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    session, outgoing, options = part.session, part.outgoing, part.outgoing.options
    terms = {
        taxonomy: [await _term(session, taxonomy, name) for name in options.get(taxonomy) or ()]
        for taxonomy in ("categories", "tags")
    }
    files = [
        (media, await uploaded_once(part, f"media:{index}", partial(_upload, session, media)))
        for index, media in enumerate(outgoing.media)
    ]
    body: dict[str, Any] = {"status": options.get("status") or "publish", "title": escaped(outgoing.title or "")}
    body |= {"excerpt": escaped(options["excerpt"])} if options.get("excerpt") else {}
    body |= {"slug": options["slug"]} if options.get("slug") else {}
    body |= {taxonomy: ids for taxonomy, ids in terms.items() if ids}
    featured = next((file for file in files if file[0].kind in {"image", "gif"}), None)
    if featured is not None and options.get("featuredImage") is not False:
        body["featured_media"] = featured[1]["id"]
        files = [file for file in files if file is not featured]
    body["content"] = content_of(outgoing, text_of_part(FACTS, outgoing, 0), files)
    await part.intend({"at": clock.wire(session.now())})
    response = await call_api(
        session, CREATE, json=body, timeout_seconds=CALL_SECONDS, bytes_max=ANSWER_BYTES_MAX, expect=(201,)
    )
    return public_part(members(response), response)


async def _term(session: NetworkSession, taxonomy: str, name: str) -> int:
    """Return the id of a category or tag by its name, making it if it is not there."""
    label = name.strip()
    params = {"search": label, "per_page": "100", "_fields": "id,name"}
    response = await call_api(session, f"GET /wp/v2/{taxonomy}", params=params)
    terms = response.json()
    for term in terms if isinstance(terms, list) else ():
        term_name = string(term.get("name")) if isinstance(term, dict) else None
        if term_name is not None and html.unescape(term_name[:1_000]).casefold() == label.casefold():
            return _id(term.get("id"))
    try:
        created = await call_api(session, f"POST /wp/v2/{taxonomy}", json={"name": label}, expect=(201,))
    except ApiError as error:
        data = members(error.response).get("data")
        if code_of(error.response) != "term_exists" or not isinstance(data, dict):
            raise
        return _id(data.get("term_id"))
    return _id(members(created).get("id"))


def _id(value: Any) -> int:
    if type(value) is not int or not 0 < value < 1 << 63:
        raise BadResponse("the response has no id")
    return value


async def _upload(session: NetworkSession, media: OutgoingMedia) -> Uploaded:
    """Send a file, and return its id and address at the site."""
    form = [FormPart("file", media.read(), media.file_name, media.mime_type, media.size_bytes)]
    form += [FormPart("alt_text", media.alt_text)] if media.alt_text else []
    response = await call_api(
        session, "POST /wp/v2/media", data=form, timeout_seconds=UPLOAD_SECONDS, bytes_max=ANSWER_BYTES_MAX,
        expect=(201,),
    )  # fmt: skip
    answer: Mapping[str, Any] = members(response)
    url = string(answer.get("source_url"))
    if url is None:
        raise BadResponse("the response has no address of the file", status=response.status)
    return {"id": _id(answer.get("id")), "url": url}


publish, _, reconcile = in_parts(explain, find=find, create=_create)
