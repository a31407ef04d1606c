"""Uploading the pictures of a post to its instance, which names them by addresses."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.kit.http import Part as FormPart
from signalpost.networks.articles import uploaded_once
from signalpost.networks.connectors.lemmy.calls import IMAGE, call_api, object_of
from signalpost.networks.contract import ApiError, NetworkSession, OutgoingMedia
from signalpost.networks.responses import members, string
from signalpost.networks.threads import ThreadPart

UPLOAD_SECONDS: Final = 60.0


async def addresses_of(part: ThreadPart) -> list[str]:
    """Return the address of each picture, uploading what no earlier attempt did."""
    addresses = []
    for number, media in enumerate(part.content.media):
        uploaded = await uploaded_once(part, f"media:{number}", partial(_upload, part.session, media))
        addresses.append(str(uploaded["url"]))
    return addresses


async def _upload(session: NetworkSession, media: OutgoingMedia) -> Mapping[str, Any]:
    form = [
        FormPart(
            "images[]", media.read(), filename=media.file_name, content_type=media.mime_type, size=media.size_bytes
        )
    ]
    response = await call_api(session, IMAGE, data=form, timeout_seconds=UPLOAD_SECONDS, expect=(200, 201))
    files = members(response).get("files")
    if not isinstance(files, list) or not files:
        if members(response).get("msg") != "ok":  # a refusal with the status of a success
            raise ApiError(response, IMAGE)
        raise BadResponse("the response names no picture", status=response.status)
    name = string(object_of(files[0]).get("file"))
    if name is None or "/" in name:
        raise BadResponse("the response names no picture", status=response.status)
    return {"url": f"{session.server.base_url}/pictrs/image/{name}"}
