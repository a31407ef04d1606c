"""Media over HTTP."""

from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached, TestModeOnlySandbox
from signalpost.kit import ids, problems
from signalpost.kit.db import Db
from signalpost.kit.wire import Listing, encode
from signalpost.media import file_types, queries, serving, tus, views
from signalpost.media.actions import delete, presign, receive, resume, update, upload
from signalpost.media.errors import ChecksumMismatch, MediaFetchFailed, TusVersionUnsupported, UploadConflict
from signalpost.media.queries import MediaRow
from signalpost.media.schemas import (
    ContentQuery,
    Media,
    MediaDeletion,
    MediaFetch,
    MediaQuery,
    MediaStats,
    MediaStatsQuery,
    MediaUpdate,
    MediaUpload,
    PresignedUpload,
    PresignedUploads,
    ResumableUpload,
    UploadPresign,
    UploadReceipt,
    UploadsPresign,
)
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import MediaId, SignedQuery
from signalpost.web.inputs import Mine, require_profile
from signalpost.web.paging import Page
from signalpost.web.request import Request
from signalpost.web.routing import RawResponse, Routes
from signalpost.web.streaming import body_pieces

routes = Routes("Media")

MyMedia = Annotated[MediaRow, Mine(MediaId, queries.find_mine)]
MyUpload = Annotated[MediaRow, Mine(MediaId, queries.find_upload)]

_CREATE_HEADERS = {
    "Upload-Length": "The size of the file in bytes.",
    "Upload-Metadata": "Names with values in base64, separated by commas: `filetype` (required, such as `video/mp4`), "
    "`filename`, `profileId`, `altText`, `checksumSha256`. Others are ignored.",
    "Tus-Resumable": "The version of the protocol: `1.0.0`.",
}
_APPEND_HEADERS = {
    "Upload-Offset": "Where the bytes go: how many have arrived before.",
    "Upload-Checksum": "`sha1` or `sha256`, a space, and the digest of this body in base64. Of a body with another "
    "digest nothing is kept.",
    "Tus-Resumable": "The version of the protocol: `1.0.0`.",
}


async def _view(context: AppContext, db: Db, row: MediaRow) -> Media:
    uses = await context.hooks.count_media_uses(db, row.workspace_id, [row.id])
    return views.media(context, row, uses)


@routes.post(
    "/media/upload",
    scope="media:write",
    request_types=("multipart/form-data", "application/json"),
    raises=(
        problems.PayloadTooLarge,
        problems.UnsupportedMediaType,
        problems.UnsafeAddress,
        MediaFetchFailed,
        PlanLimitReached,
        problems.Unavailable,
    ),
    documented_request_body={"multipart/form-data": MediaUpload, "application/json": MediaFetch},
)
async def upload_media(request: Request, context: AppContext, caller: Caller) -> Media:
    """Upload a file, or have the service fetch one.

    Send a multipart form with the part `file` and, optionally, the fields `profileId`, `altText` and `kind`; or send
    JSON with the `url` of a public file. Images (JPEG, PNG, WebP, GIF, HEIC, AVIF) may have up to 25 MB and 50 million
    pixels, documents (PDF) 100 MB, videos (MP4, QuickTime, WebM, AVI, Matroska) as much as the plan allows. The type is
    read from the content. Locations, devices and other metadata are removed, so size and checksum are those of the
    stored bytes. A request that repeats an Idempotency-Key gets the first response again, even with another file.
    """
    row = await upload.upload(context, caller, request.headers.get("content-type", ""), body_pieces(request))
    async with context.database.connection() as db:
        return await _view(context, db, row)


@routes.post("/media/presign-upload", scope="media:write", raises=(problems.PayloadTooLarge, PlanLimitReached))
async def presign_upload(context: AppContext, db: Db, caller: Caller, data: UploadPresign) -> PresignedUpload:
    """Announce a file, and get a URL to which its bytes can be sent without a credential.

    Send them with `PUT` and the returned `headers` within 15 minutes. The URL is bound to the announced type, size and
    checksum, and works once. The bytes count towards the plan's storage from now on; if they do not arrive, the file
    becomes `failed` with the error `upload_expired`, and its share is free again. Get the media to learn its status: it
    can be used once it is `ready`.
    """
    return views.presigned_upload(await presign.presign_upload(context, db, caller, data))


@routes.post("/media/presign-upload/batch", scope="media:write", raises=(PlanLimitReached,))
async def presign_uploads(context: AppContext, db: Db, caller: Caller, data: UploadsPresign) -> PresignedUploads:
    """Announce up to 50 files, all or none."""
    return views.presigned_uploads(await presign.presign_uploads(context, db, caller, data.files))


@routes.put(
    "/media/{id}/upload",
    scope=PUBLIC,
    unlimited=True,
    across_workspaces=True,
    history="action",
    request_types=tuple(file_types.ALLOWED),
    documented_request_body={"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    raises=(problems.InvalidState,),
)
async def put_media_upload(
    media_id: MediaId, query: SignedQuery, request: Request, context: AppContext
) -> UploadReceipt:
    """Send the bytes of an announced file. The `uploadUrl` of an announcement points here; it needs no credential.

    The body is the file itself. Whatever is refused before its last byte arrived can be sent again.
    """
    length = request.headers.get("content-length", "")
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    sent = receive.SentHeaders(media_type, int(length) if length.isdecimal() else None)
    return views.upload_receipt(await receive.receive_upload(context, media_id, query, sent, body_pieces(request)))


def _upload_response(row: MediaRow, offset: int, status: int, location: str | None = None) -> RawResponse:
    """Return how far an upload is, in the headers that tus clients read and as JSON."""
    expires_at = row.expires_at if row.status == "pending" else None
    headers = tus.headers(offset, row.upload_bytes or 0, expires_at)
    if location is not None:
        headers["Location"] = location
    body = b"" if status == 204 else encode(views.resumable_upload(row, offset))
    return RawResponse(body, "application/json", status, headers)


@routes.post(
    "/media/uploads",
    scope="media:write",
    raises=(problems.PayloadTooLarge, PlanLimitReached, TusVersionUnsupported),
    documented_headers=_CREATE_HEADERS,
    options_headers=tus.CAPABILITIES,
)
async def create_media_upload(
    request: Request, context: AppContext, db: Db, caller: Caller
) -> ResumableUpload | RawResponse:
    """Begin an upload that can be resumed, for large files and bad connections.

    This is the tus protocol 1.0.0 (core, creation, expiration, checksum, termination), for which there are clients in
    most languages; give them this address. Without one: send the header `Upload-Length`, and in `Upload-Metadata` at
    least the `filetype`; then send the bytes with `PATCH` to the `Location` of the response. The bytes count towards
    the plan's storage from now on, and have 24 hours to arrive.
    """
    tus.require_version(request.headers.get("tus-resumable"))
    length = tus.number("Upload-Length", request.headers.get("upload-length"))
    metadata = tus.metadata(request.headers.get("upload-metadata", ""))
    row = await resume.create_upload(context, db, caller, length, metadata)
    location = f"{context.base_url}/api/v1/media/uploads/{ids.encode('med', row.id)}"
    return _upload_response(row, 0, 201, location)


@routes.get("/media/uploads/{id}", scope="media:write", options_headers=tus.CAPABILITIES)
async def get_media_upload(upload: MyUpload, context: AppContext, caller: Caller) -> ResumableUpload | RawResponse:
    """Return how far an upload is. tus clients send `HEAD`, and read the header `Upload-Offset`."""
    return _upload_response(upload, await resume.offset_of(context, caller, upload), 200)


@routes.patch(
    "/media/uploads/{id}",
    scope="media:write",
    status=204,
    history="action",
    request_types=(tus.BODY_TYPE,),
    documented_request_body={tus.BODY_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    documented_headers=_APPEND_HEADERS,
    raises=(UploadConflict, ChecksumMismatch, TusVersionUnsupported, problems.Unavailable),
)
async def append_media_upload(upload: MyUpload, request: Request, context: AppContext, caller: Caller) -> RawResponse:
    """Send bytes of an upload, all that are missing or some of them.

    If the connection breaks, what has arrived stays: read the offset and go on from there. The request that sends the
    last byte examines and stores the file; it is `ready` when that request succeeds.
    """
    tus.require_version(request.headers.get("tus-resumable"))
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != tus.BODY_TYPE:
        raise problems.UnsupportedMediaType(f"This operation accepts {tus.BODY_TYPE}.")
    appended = tus.Appended(
        tus.number("Upload-Offset", request.headers.get("upload-offset")),
        tus.checksum(request.headers.get("upload-checksum", "")),
    )
    offset = await resume.append(context, caller, upload, appended, body_pieces(request))
    return _upload_response(upload, offset, 204)


@routes.delete("/media/uploads/{id}", scope="media:write", status=204, raises=(problems.InvalidState,))
async def cancel_media_upload(upload: MyUpload, context: AppContext, db: Db, caller: Caller) -> RawResponse:
    """Give up an upload; its share of the storage is free again."""
    if upload.status != "pending":
        raise problems.InvalidState(f"The upload is over: the file is {upload.status}. Delete the media instead.")
    await delete.delete_media(context, db, caller, upload)
    return RawResponse(b"", "application/json", 204, {"Tus-Resumable": tus.VERSION})


@routes.get("/media", scope="posts:read")
async def list_media(db: Db, context: AppContext, caller: Caller, page: Page, query: MediaQuery) -> Listing[Media]:
    """List files, newest first. A test key sees the files of test mode only."""
    rows = await queries.listed(db, caller, query, page)
    if not rows:
        await require_profile(context, db, caller, query.profile_id)
    uses = await context.hooks.count_media_uses(db, caller.workspace_id, [row.id for row in page.trim(rows)])
    return page.of(rows, lambda row: views.media(context, row, uses))


@routes.get("/media/stats", scope="posts:read")
async def get_media_stats(db: Db, context: AppContext, caller: Caller, query: MediaStatsQuery) -> MediaStats:
    """Count files, and how many of the images have an alternative text. Deleted files are not included."""
    figures = await queries.stats(db, caller, query.profile_id)
    if not figures.files:
        await require_profile(context, db, caller, query.profile_id)
    return figures


@routes.get("/media/{id}", scope="posts:read")
async def get_media(media: MyMedia, db: Db, context: AppContext) -> Media:
    """Return a file's description, with URLs that are valid for an hour."""
    return await _view(context, db, media)


@routes.patch("/media/{id}", scope="media:write")
async def update_media(media: MyMedia, db: Db, context: AppContext, data: MediaUpdate) -> Media:
    """Change the alternative text, or the focal point of a picture.

    Posts that already use the file keep an alternative text of their own. The focal point counts from the next time
    that the picture is cut: for a post that is published, and wherever it is shown in another shape.
    """
    return await _view(context, db, await update.update_media(db, media, data))


@routes.delete("/media/{id}", scope="media:write", raises=(problems.InvalidState, TestModeOnlySandbox))
async def delete_media(media: MyMedia, context: AppContext, db: Db, caller: Caller) -> MediaDeletion:
    """Delete a file that nothing needs any more. If a post used it, its bytes are kept for seven days."""
    return views.media_deletion(await delete.delete_media(context, db, caller, media))


@routes.get(
    "/media/{id}/content",
    scope=PUBLIC,
    unlimited=True,
    across_workspaces=True,
    documented_response={"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
)
async def get_media_content(
    media_id: MediaId, query: ContentQuery, request: Request, context: AppContext
) -> RawResponse:
    """Return the bytes of a file. `url` and `thumbnailUrl` of a media point here; they need no credential."""
    return await serving.content(context, media_id, query, request.headers.get("range"))
