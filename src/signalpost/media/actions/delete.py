"""Delete a file."""

from msgspec import structs

from signalpost.context import AppContext, MediaUse
from signalpost.engine import jobs
from signalpost.identity import roles
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.media import states
from signalpost.media.actions.sweep import SWEEP_JOB
from signalpost.media.queries import MediaRow
from signalpost.web.caller import Caller

_LOCK = "select from media where id = $1 for no key update"
_DELETE = """
update media set status = 'deleted', deleted_at = now(), updated_at = now(),
    expires_at = now() + case when $4 then interval '7 days' else interval '0' end
where id = $1 and workspace_id = $2 and status = any($3)
returning expires_at
"""


async def delete_media(context: AppContext, db: Db, caller: Caller, media: MediaRow) -> MediaRow:
    """Delete a file. Its bytes are kept for seven days if a post ever used it, else the sweep removes them now.

    Raises:
        Forbidden: another member uploaded the file, and the caller's role may delete only own files.
        InvalidState: something that is not published yet needs the file, or it is not ready yet.
        TestModeOnlySandbox: a live post uses the file, and the caller is a test key.
    """
    if not roles.may_delete_others_media(caller.role) and media.created_by_user_id != caller.user_id:
        raise problems.Forbidden("Your role may delete only files that you uploaded.")
    await db.execute(_LOCK, media.id)  # whoever is about to use it has it locked too
    uses = await context.hooks.count_media_uses(db, media.workspace_id, [media.id])
    use = uses.get(media.id, MediaUse())
    if caller.mode == "test" and use.live:
        raise TestModeOnlySandbox("A live post uses this file. Delete it with a live key.")
    if use.waiting:
        raise problems.InvalidState(
            f"This file is still needed in {use.waiting} place(s), such as a post that is not published yet."
            " Remove it there first."
        )
    expires_at = await db.fetchval(_DELETE, media.id, media.workspace_id, states.before("deleted"), use.posts > 0)
    if expires_at is None:
        raise problems.InvalidState(f"A file that is {media.status} cannot be deleted.")
    await jobs.enqueue(db, SWEEP_JOB, {}, unique_key=SWEEP_JOB)
    return structs.replace(media, status="deleted", expires_at=expires_at)
