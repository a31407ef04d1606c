"""Media over HTTP."""

from typing import Annotated, Any

from litestar import Request

from signalpost.context import AppContext, MediaUse
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.wire import Listing
from signalpost.media import actions, queries, serving
from signalpost.media.errors import MediaFetchFailed
from signalpost.media.queries import MediaRow
from signalpost.media.schemas import ContentQuery, Media, MediaDeleted, MediaFetch, MediaQuery, MediaUpdate
from signalpost.media.views import shown
from signalpost.web.caller import PUBLIC, Caller
from signalpost.web.fields import MediaId
from signalpost.web.inputs import Mine
from signalpost.web.paging import Page
from signalpost.web.routing import RawResponse, Routes
from signalpost.web.streaming import body_pieces

routes = Routes("Media")

MyMedia = Annotated[MediaRow, Mine(MediaId, queries.find_mine)]


async def _shown(db: Db, context: AppContext, rows: list[MediaRow]) -> list[Media]:
    uses = await context.hooks.count_media_uses(db, rows[0].workspace_id, [row.id for row in rows]) if rows else {}
    return [shown(row, uses.get(row.id, MediaUse()), context.keys, context.settings.base_url or "") for row in rows]


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
    documented_request_body={
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["file"],
                "properties": {
                    "file": {"type": "string", "format": "binary", "description": "The file."},
                    "profileId": {"type": "string", "maxLength": 64, "description": "Profile that it belongs to."},
                    "altText": {"type": "string", "maxLength": 1500, "description": "What it shows."},
                    "kind": {"type": "string", "maxLength": 20, "description": "Rejected if the file is another kind."},
                },
            }
        },
        "application/json": MediaFetch,
    },
)
async def upload_media(request: Request[Any, Any, Any], context: AppContext, caller: Caller) -> Media:
    """Upload a file, or have one fetched.

    Send a multipart form with the part `file` and, if wanted, the fields `profileId`, `altText` and `kind`; or JSON
    with the `url` of a public file. Images (JPEG, PNG, WebP, GIF, HEIC, AVIF) have at most 25 MB and 50 million pixels,
    documents (PDF) 100 MB, videos (MP4, QuickTime, WebM, AVI, Matroska) what the plan allows. What a file is, its
    content decides. Places, devices and other metadata are taken out, so size and checksum are those of the stored
    bytes. A repeated Idempotency-Key gives the first answer again, whatever file comes with it.
    """
    row = await actions.upload(context, caller, request.headers.get("content-type", ""), body_pieces(request))
    async with context.database.connection() as db:
        return (await _shown(db, context, [row]))[0]


@routes.get("/media", scope="posts:read")
async def list_media(db: Db, context: AppContext, caller: Caller, page: Page, query: MediaQuery) -> Listing[Media]:
    """List files, newest first."""
    profile_id = ids.decode("prof", query.profile_id) if query.profile_id else None
    if query.profile_id and (profile_id is None or not await queries.profile_exists(db, caller, profile_id)):
        raise problems.NotFound("There is no such profile here.")
    rows = await queries.listed(db, caller, page, profile_id=profile_id, kind=query.kind)
    return page.listing(await _shown(db, context, rows), [(row.created_at, row.id) for row in rows])


@routes.get("/media/{id}", scope="posts:read")
async def get_media(media: MyMedia, db: Db, context: AppContext) -> Media:
    """Return a file's description, with addresses that work for an hour."""
    return (await _shown(db, context, [media]))[0]


@routes.patch("/media/{id}", scope="media:write")
async def update_media(media: MyMedia, db: Db, context: AppContext, data: MediaUpdate) -> Media:
    """Change the alternative text. Posts that name the file already keep theirs."""
    return (await _shown(db, context, [await actions.update_media(db, media, data)]))[0]


@routes.delete("/media/{id}", scope="media:write", raises=(problems.InvalidState,))
async def delete_media(media: MyMedia, context: AppContext, db: Db, caller: Caller) -> MediaDeleted:
    """Delete a file that nothing waits for. The bytes go at once, or after seven days if a post used them."""
    gone = await actions.delete_media(context, db, caller, media)
    return MediaDeleted(
        ids.encode("med", gone.id), deleted=True, bytes_kept_until=clock.wire(gone.expires_at or clock.now())
    )


@routes.get(
    "/media/{id}/content",
    scope=PUBLIC,
    unlimited=True,
    documented_response={"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
)
async def get_media_content(
    media_id: MediaId, query: ContentQuery, request: Request[Any, Any, Any], context: AppContext
) -> RawResponse:
    """Return the bytes of a file. `url` and `thumbnailUrl` of a media lead here; they need no credential."""
    return await serving.content(context, media_id, query, request.headers.get("range"))
