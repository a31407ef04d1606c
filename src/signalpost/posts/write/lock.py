"""Locking a post against workers and other callers for the rest of the transaction."""

from signalpost.kit.db import Db
from signalpost.posts import queries
from signalpost.posts.rows import PostRow, TargetRow
from signalpost.web.fields import PostId
from signalpost.web.inputs import deleted_meanwhile


async def lock_post(db: Db, post: PostRow, *, trashed: bool = False) -> tuple[PostRow, list[TargetRow]]:
    """Lock the post with its targets and their lanes; return them as they are now. `trashed`: also from the trash.

    Raises:
        NotFound: the post was deleted since it was read.
    """
    targets = await queries.targets_of(db, [post.id])
    locked = await queries.lock(db, post.id, [target.account_id for target in targets])
    if locked is None or (locked[0].deleted_at is not None and not trashed):
        raise deleted_meanwhile(PostId, post.id)
    return locked


async def lock_post_only(db: Db, post: PostRow) -> PostRow:
    """Lock the post but leave its targets to the workers; return it as it is now.

    Raises:
        NotFound: the post was deleted or trashed since it was read.
    """
    locked = await queries.lock_post_only(db, post.id)
    if locked is None or locked.deleted_at is not None:
        raise deleted_meanwhile(PostId, post.id)
    return locked
