"""Media over HTTP."""

from typing import Annotated

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached, TestModeOnlySandbox
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.kit.wire import Listing
from signalpost.media import file_types, queries, serving, views
from signalpost.media.actions import delete, presign, receive, update, upload
from signalpost.media.errors import MediaFetchFailed
from signalpost.media.queries import MediaRow
from signalpost.media.schemas import (
    ContentQuery,
    Media,
    MediaDeletion,
    MediaFetch,
    MediaQuery,
    MediaUpdate,
    MediaUpload,
    PresignedUpload,
    PresignedUploads,
    PresignUpload,
    PresignUploads,
    UploadQuery,
    UploadReceipt,
)
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import MediaId
from signalpost.web.inputs import Mine, require_profile
from signalpost.web.paging import Page
from signalpost.web.request import Request
from signalpost.web.routing import RawResponse, Routes
from signalpost.web.streaming import body_pieces

routes = Routes("Media")

MyMedia = Annotated[MediaRow, Mine(MediaId, queries.find_mine)]


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
async def presign_upload(context: AppContext, db: Db, caller: Caller, data: PresignUpload) -> PresignedUpload:
    """Announce a file, and get a URL to which its bytes can be sent without a credential.

    Send them with `PUT` and the returned `headers` within 15 minutes. The URL is bound to the announced type, size and
    checksum, and works once. The bytes count towards the plan's storage from now on; if they do not arrive, the file
    becomes `failed` with the error `upload_expired`, and its share is free again. Get the media to learn its status: it
    can be used once it is `ready`.
    """
    return views.presigned_upload(await presign.presign_upload(context, db, caller, data))


@routes.post(
    "/media/presign-upload/batch",
    scope="media:write",
    raises=(PlanLimitReached,),
)
async def presign_uploads(context: AppContext, db: Db, caller: Caller, data: PresignUploads) -> PresignedUploads:
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
    media_id: MediaId, query: UploadQuery, request: Request, context: AppContext
) -> UploadReceipt:
    """Send the bytes of an announced file. The `uploadUrl` of an announcement points here; it needs no credential.

    The body is the file itself. Whatever is refused before its last byte arrived can be sent again.
    """
    length = request.headers.get("content-length", "")
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    sent = receive.SentHeaders(media_type, int(length) if length.isdecimal() else None)
    return views.upload_receipt(await receive.receive_upload(context, media_id, query, sent, body_pieces(request)))


@routes.get("/media", scope="posts:read")
async def list_media(db: Db, context: AppContext, caller: Caller, page: Page, query: MediaQuery) -> Listing[Media]:
    """List files, newest first. A test key sees the files of test mode only."""
    rows = await queries.listed(db, caller, query, page)
    if not rows:
        await require_profile(context, db, caller, query.profile_id)
    uses = await context.hooks.count_media_uses(db, caller.workspace_id, [row.id for row in page.trim(rows)])
    return page.of(rows, lambda row: views.media(context, row, uses))


@routes.get("/media/{id}", scope="posts:read")
async def get_media(media: MyMedia, db: Db, context: AppContext) -> Media:
    """Return a file's description, with URLs that are valid for an hour."""
    return await _view(context, db, media)


@routes.patch("/media/{id}", scope="media:write")
async def update_media(media: MyMedia, db: Db, context: AppContext, data: MediaUpdate) -> Media:
    """Change the alternative text. Posts that already use the file keep their own."""
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
