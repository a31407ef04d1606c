"""Changing how a post repeats once it has started to be published, when nothing else of it can change."""

import msgspec
from msgspec import UnsetType

from signalpost.context import AppContext
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.posts import queries, recurrences, views
from signalpost.posts.change import trash
from signalpost.posts.change.changes import changes_of
from signalpost.posts.documents import Recurrence
from signalpost.posts.rows import PostRow
from signalpost.posts.schemas.requests import RecurrenceIn
from signalpost.posts.schemas.responses import Post
from signalpost.posts.write import audit, permissions, series, writer
from signalpost.posts.write.lock import lock_post_only
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller
from signalpost.web.inputs import IfMatch


async def change_recurrence(
    context: AppContext,
    db: Db,
    caller: Caller,
    post: PostRow,
    recurrence: RecurrenceIn | UnsetType | None,
    if_match: IfMatch,
) -> Post:
    """Let the post repeat by this rule from now on, or no longer; what waits of the old series goes to the trash.

    Raises:
        ValidationFailed: the rule cannot be followed.
        ProfileArchived: the profile of the post is archived, so that it does not repeat.
    """
    permissions.require_publishing(caller)
    if recurrence is not None:
        await profiles.require_in_use(db, post.workspace_id, post.profile_id)
    await series.lock_series(db, post)
    old = await lock_post_only(db, post)
    if_match.require(old.version)
    new = msgspec.structs.replace(old, recurrence=None, version=old.version + 1, updated_at=clock.now())
    if isinstance(recurrence, RecurrenceIn):
        first = old.scheduled_at or old.queued_at or old.created_at
        checked = recurrences.check(recurrence, old.timezone, first)
        if not isinstance(checked, Recurrence):
            raise problems.ValidationFailed(errors=checked)
        new.recurrence, new.scheduled_at = checked, first
    entry = audit.entry(new, "updated", caller.actor, changes=changes_of(old, new, (), ()))
    await writer.update_recurrence(db, new, entry)
    await trash.stop_series(context, db, caller, new)
    await series.start(db, [new])
    return views.post(new, await queries.targets_of(db, [new.id]))
