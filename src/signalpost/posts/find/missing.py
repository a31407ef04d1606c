"""What a post needs and what is gone: files that were deleted, a profile that was."""

from collections.abc import Iterator
from uuid import UUID

from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.media import queries as media_queries
from signalpost.posts.documents import MediaRef, PostWarning
from signalpost.posts.rows import PostRow
from signalpost.profiles import queries as profile_queries

CODES = MEDIA_MISSING, PROFILE_MISSING = "media_missing", "profile_missing"


async def warnings(db: Db, post: PostRow) -> list[PostWarning]:
    """Return a warning for each of these things."""
    gone_warnings: list[PostWarning] = []
    if not await profile_queries.profile_exists(db, post.workspace_id, post.profile_id):
        message = "The profile of this post was deleted: create the post again for another profile."
        gone_warnings.append(PostWarning(PROFILE_MISSING, "/profileId", message))
    if not post.media_ids:
        return gone_warnings
    files = await media_queries.for_publishing(db, post.workspace_id, post.media_ids)
    gone = {media_id for media_id in post.media_ids if media_id not in files or files[media_id].status != "ready"}
    paths = dict(_paths(post))
    for media_id in gone:
        message = f"The file {ids.encode('med', media_id)} was deleted: choose another one, or leave it out."
        gone_warnings.append(PostWarning(MEDIA_MISSING, paths.get(media_id, "/media"), message))
    return gone_warnings


def _paths(post: PostRow) -> Iterator[tuple[UUID, str]]:
    yield from _of("/media", post.media)
    for index, part in enumerate(post.thread):
        yield from _of(f"/thread/{index}/media", part.media)


def _of(path: str, media: list[MediaRef]) -> Iterator[tuple[UUID, str]]:
    yield from ((entry.media_id, f"{path}/{index}") for index, entry in enumerate(media))
