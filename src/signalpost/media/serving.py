"""Stored bytes as an HTTP answer that no browser will run, whatever is in them."""

import re
from urllib.parse import quote
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import problems, storage
from signalpost.media import links, queries
from signalpost.media.schemas import ContentQuery
from signalpost.web.routing import RawResponse
from signalpost.web.streaming import Stream

_RANGE = re.compile(r"bytes=(\d{1,15})-(\d{0,15})")


async def content(context: AppContext, media_id: UUID, address: ContentQuery, wanted_range: str | None) -> RawResponse:
    """Answer with the file or its thumbnail; a plain `bytes=from-to` range gets a part of it.

    Raises:
        NotFound: the address is not ours, its hour is over, or the bytes are gone.
        Unavailable: the store does not answer.
    """
    if not links.is_valid(context.keys, media_id, address.variant, address.expires, address.signature):
        raise problems.NotFound("This address is not valid, or not any more. Read the media for a new one.")
    async with context.database.connection() as db:
        row = await queries.with_bytes(db, media_id)
    path = row and (row.storage_path if address.variant == "original" else row.thumbnail_path)
    if row is None or path is None:
        raise problems.NotFound
    start, end = _wanted(wanted_range)
    try:
        found = await context.storage.open(path, start, end)
    except storage.Missing:
        raise problems.NotFound from None
    except storage.StorageFailure as failure:
        raise problems.Unavailable("Files cannot be read right now.", headers={"Retry-After": "10"}) from failure
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(row.file_name)}",
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Accept-Ranges": "bytes",
    }
    size = found.end - found.start
    if size < found.size:
        headers["Content-Range"] = f"bytes {found.start}-{found.end - 1}/{found.size}"
    mime_type = row.mime_type if address.variant == "original" else "image/webp"
    return RawResponse(Stream(found.pieces, size), mime_type, 206 if size < found.size else 200, headers)


def _wanted(header: str | None) -> tuple[int, int | None]:
    """Return (from, behind the last); what is not understood means all, which RFC 9110 allows."""
    parsed = _RANGE.fullmatch(header or "")
    if parsed is None:
        return 0, None
    start, end = int(parsed[1]), int(parsed[2]) + 1 if parsed[2] else None
    return (start, end) if end is None or end > start else (0, None)
