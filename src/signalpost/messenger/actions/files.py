"""The file of a message: its id becomes an address, and the address a file of the workspace."""

import base64
import binascii
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import foreign, http, problems
from signalpost.kit.db import Db
from signalpost.media import file_types
from signalpost.media import queries as media
from signalpost.media.actions.fetch import Messaged, fetch_file
from signalpost.media.errors import MediaFetchFailed
from signalpost.media.queries import MediaRow
from signalpost.media.receiver import Announced
from signalpost.media.schemas import MediaFetch
from signalpost.messenger import texts, whatsapp
from signalpost.messenger.queries import LinkRow
from signalpost.messenger.whatsapp import MessageFile
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

_NAME_SECONDS: Final = 10.0


class Unusable(Exception):
    """The file cannot be used; the message says why."""


async def is_stored(db: Db, media_id: UUID) -> bool:
    """Whether an earlier try stored the file under this id."""
    stored = await media.with_bytes(db, media_id)
    return stored is not None and stored.status == "ready"


async def fetch(context: AppContext, caller: Caller, link: LinkRow, file: MessageFile, media_id: UUID) -> MediaRow:
    """Fetch the file, and store it as one of the workspace under this id.

    Raises:
        Unusable: it is too large, damaged, or of a type that cannot be posted.
        MediaFetchFailed, Unavailable: it could not be fetched now.
    """
    file_type = file_types.ALLOWED.get(file.mime_type)
    if file_type is None:
        raise Unusable(texts.WRONG_TYPE.format(mime_type=file.mime_type or "unknown"))
    bytes_max = whatsapp.BYTES_MAX[file.kind]
    address = await _address(context, file, bytes_max)
    settings = context.settings
    ours = urlsplit(address).netloc == urlsplit(settings.whatsapp_base_url).netloc
    if not ours and not _may_see_token(address):
        raise MediaFetchFailed("The messenger named an address that is not its own.")
    data = MediaFetch(url=address, file_name=file.name, profile_id=ProfileId(int=link.profile_id.int))
    messaged = Messaged(
        headers=_authorization(context),
        trusted=ours,
        bytes_max=bytes_max,
        announced=Announced(type=file_type, size=None, sha256=_sha256(file.sha256)),
        media_id=media_id,
    )
    try:
        return await fetch_file(context, caller, data, messaged=messaged)
    except problems.PayloadTooLarge:
        raise _too_large(file.kind, bytes_max) from None
    except problems.ValidationFailed as problem:
        raise Unusable(texts.refusal(problem)) from None


async def _address(context: AppContext, file: MessageFile, bytes_max: int) -> str:
    """Ask for the address of a file, which works for five minutes."""
    settings = context.settings
    try:
        response = await context.http.messenger.request(
            "GET", whatsapp.url(settings.whatsapp_base_url, file.id), headers=_authorization(context), trusted=True,
            params={"phone_number_id": settings.whatsapp_phone_number_id or ""}, timeout_seconds=_NAME_SECONDS,
        )  # fmt: skip
        body = response.json()
    except http.HttpFailure as failure:
        raise MediaFetchFailed(f"The messenger did not say where the file is: {failure.detail}.") from None
    if response.status >= 500 or response.status == 429:
        raise MediaFetchFailed(f"The messenger did not say where the file is: status {response.status}.")
    address = foreign.url(body.get("url")) if isinstance(body, dict) else None
    if response.status != 200 or address is None:
        raise Unusable(texts.NO_FILE)
    size = body.get("file_size")
    if isinstance(size, int | str) and str(size).isdigit() and len(str(size)) < 20 and int(size) > bytes_max:
        raise _too_large(file.kind, bytes_max)
    return address


def _too_large(kind: str, bytes_max: int) -> Unusable:
    return Unusable(texts.TOO_LARGE.format(kind=kind, megabytes=bytes_max // 1_000_000))


def _authorization(context: AppContext) -> dict[str, str]:
    return {"Authorization": f"Bearer {context.settings.whatsapp_access_token}"}


def _may_see_token(address: str) -> bool:
    """Whether the address is one of the messenger's own hosts, over https."""
    parts = urlsplit(address)
    host = (parts.hostname or "").lower()
    return parts.scheme == "https" and any(host == name or host.endswith(f".{name}") for name in whatsapp.TOKEN_HOSTS)


def _sha256(text: str | None) -> bytes:
    """Return the digest that the messenger announced, in hexadecimal or base64; empty if it announced none."""
    for read in (bytes.fromhex, lambda value: base64.b64decode(value, validate=True)):
        try:
            digest = read(text or "")
        except (ValueError, binascii.Error):
            continue
        if len(digest) == 32:
            return digest
    return b""
