"""The file of a message: its id becomes an address, and the address a file of the workspace."""

import base64
import binascii
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.media import file_types
from signalpost.media import queries as media
from signalpost.media.actions.fetch import Messaged, fetch_file
from signalpost.media.queries import MediaRow
from signalpost.media.receiver import Announced
from signalpost.media.schemas import MediaFetch
from signalpost.messenger import messengers, texts
from signalpost.messenger.contract import MessageFile, Sender, Unusable
from signalpost.messenger.queries import LinkRow
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId


async def is_stored(db: Db, media_id: UUID) -> bool:
    """Whether an earlier try stored the file under this id."""
    stored = await media.with_bytes(db, media_id)
    return stored is not None and stored.status == "ready"


async def fetch(
    context: AppContext, caller: Caller, link: LinkRow, sender: Sender, file: MessageFile, media_id: UUID
) -> MediaRow:
    """Fetch the file, and store it as one of the workspace under this id.

    Raises:
        Unusable: it is too large, damaged, or of a type that cannot be posted.
        MediaFetchFailed, Unavailable: it could not be fetched now.
    """
    file_type = file_types.ALLOWED.get(file.mime_type)
    if file_type is None:
        raise Unusable(texts.WRONG_TYPE.format(mime_type=file.mime_type or "unknown"))
    located = await messengers.of(sender).locate(context, file)
    data = MediaFetch(url=located.address, file_name=file.name, profile_id=ProfileId(int=link.profile_id.int))
    messaged = Messaged(
        headers=located.headers,
        trusted=located.trusted,
        bytes_max=located.bytes_max,
        announced=Announced(type=file_type, size=None, sha256=_sha256(file.sha256)),
        media_id=media_id,
    )
    try:
        return await fetch_file(context, caller, data, messaged=messaged)
    except problems.PayloadTooLarge:
        raise Unusable(texts.too_large(file.kind, located.bytes_max)) from None
    except problems.ValidationFailed as problem:
        raise Unusable(texts.refusal(problem)) from None


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
