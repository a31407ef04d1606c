"""Serves stored bytes with headers that keep a browser from running them."""

import re
from urllib.parse import quote
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import problems, storage
from signalpost.media import queries, signed_urls
from signalpost.media.schemas import ContentQuery
from signalpost.web.routing import RawResponse
from signalpost.web.streaming import Stream

_REMOVED = "This file was removed. Upload it again."
_RANGE = re.compile(r"bytes=(\d{1,15})-(\d{0,15})")


async def content(context: AppContext, media_id: UUID, query: ContentQuery, range_header: str | None) -> RawResponse:
    """Return the file, its thumbnail or its form for a network; a simple `bytes=from-to` range returns a part.

    Raises:
        NotFound: the URL was not signed by us or has expired, or the bytes are removed.
        Unavailable: the object store does not respond.
    """
    if not signed_urls.is_valid(context.keys, media_id, query.variant, query.expires, query.signature, query.form):
        raise problems.NotFound("This URL is invalid or has expired. Get the media again for a new one.")
    async with context.database.connection() as db:
        row = await queries.with_bytes(db, media_id)
    stored = None if row is None else _stored(row, query)
    if row is None or stored is None:
        raise problems.NotFound(_REMOVED)
    path, mime_type = stored
    start, end = _range(range_header)
    try:
        opened = await context.storage.open(path, start, end)
    except storage.Missing:
        raise problems.NotFound(_REMOVED) from None
    except storage.StorageFailure as failure:
        raise problems.Unavailable("Files cannot be read right now.", headers={"Retry-After": "10"}) from failure
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(row.file_name)}",
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Accept-Ranges": "bytes",
    }
    size = opened.end - opened.start
    if size < opened.size:
        headers["Content-Range"] = f"bytes {opened.start}-{opened.end - 1}/{opened.size}"
    return RawResponse(Stream(opened.pieces, size), mime_type, 206 if size < opened.size else 200, headers)


def _stored(row: queries.MediaRow, query: ContentQuery) -> tuple[str, str] | None:
    """Return the path and the type of what is asked for."""
    if query.form is not None:
        forms = {form.key: form for form in row.variants}
        form = forms.get(query.form)
        return None if form is None else (form.storage_path, form.mime_type)
    if query.variant == "original":
        return row.storage_path, row.mime_type
    return None if row.thumbnail_path is None else (row.thumbnail_path, "image/webp")


def _range(header: str | None) -> tuple[int, int | None]:
    """Return the first position and the one after the last. Any other form means the whole file, as RFC 9110 allows."""
    parsed = _RANGE.fullmatch(header or "")
    if parsed is None:
        return 0, None
    start, end = int(parsed[1]), int(parsed[2]) + 1 if parsed[2] else None
    return (start, end) if end is None or end > start else (0, None)
