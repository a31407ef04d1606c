from uuid import UUID

from signalpost.context import AppContext, DeletedProfile
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.profiles import queries
from signalpost.profiles.actions.links import end_links
from signalpost.profiles.actions.update import lock_version
from signalpost.profiles.schemas import ProfileDeletion
from signalpost.web.caller import Caller
from signalpost.web.inputs import IfMatch

_DELETE = "update profile set deleted_at = now(), updated_at = now() where id = $1 and workspace_id = $2"


async def delete_profile(
    context: AppContext, db: Db, caller: Caller, profile_id: UUID, if_match: IfMatch
) -> ProfileDeletion:
    """Delete a profile with its links; trash its posts and disconnect its accounts.

    Raises:
        InvalidState: a post of it is being published at this moment.
        VersionConflict, TestModeOnlySandbox: see `lock_version`.
    """
    await queries.lock_workspace(db, caller.workspace_id)
    row = await lock_version(db, caller, profile_id, if_match)
    deleted = DeletedProfile(row.workspace_id, row.id, caller.actor, caller.mode, clock.actual())
    posts = await context.hooks.trash_profile_posts(context, db, deleted)  # first, since it may refuse
    accounts_disconnected = await context.hooks.disconnect_profile_accounts(context, db, deleted)
    await end_links(db, caller, row.id)
    await db.execute(_DELETE, row.id, row.workspace_id)
    return ProfileDeletion(
        id=ids.encode("prof", row.id),
        deleted=True,
        accounts_disconnected=accounts_disconnected,
        posts_trashed=posts.trashed,
        posts_cancelled=posts.cancelled,
    )
