"""Posts that someone chose: by their ids, or those of a profile and a time that wait for approval."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from signalpost.kit.db import Db
from signalpost.kit.rows import read_all
from signalpost.posts.queries import POST_COLUMNS, read_post
from signalpost.posts.rows import PostRow
from signalpost.web.caller import Caller

_VISIBLE: Final = """p.workspace_id is not distinct from $2 and p.deleted_at is null
    and ($3::uuid[] is null or p.profile_id = any($3)) and ($4 or p.mode = 'test')"""
_CHOSEN: Final = f"select {POST_COLUMNS} from post p where p.id = any($1) and {_VISIBLE}"  # noqa: S608
# Posts without a time stand at the end.
_PAGE: Final = f"""
{_CHOSEN} and p.profile_id = $5 and ($6::uuid is null or (coalesce(p.scheduled_at, 'infinity'), p.id) > (
    select coalesce(a.scheduled_at, 'infinity'), a.id from post a where a.id = $6 and a.workspace_id = $2))
order by coalesce(p.scheduled_at, 'infinity'), p.id limit $7
"""  # noqa: S608 - constants only
_WAITING: Final = f"""
select p.id from post p
where p.profile_id = $1 and {_VISIBLE} and p.approval ->> 'state' = 'pending'
    and p.scheduled_at >= $5 and p.scheduled_at < $6
order by p.scheduled_at, p.id limit $7
"""  # noqa: S608 - constants only


async def chosen(db: Db, caller: Caller, post_ids: Sequence[UUID]) -> dict[UUID, PostRow]:
    """Return those of the posts that the caller may see and that are not in the trash."""
    values = (caller.workspace_id, caller.sees_profiles, caller.mode == "live")
    return {record["id"]: read_post(record) for record in await db.fetch(_CHOSEN, post_ids, *values)}


async def page_of_chosen(
    db: Db, caller: Caller, post_ids: Sequence[UUID], profile_id: UUID, *, after: UUID | None, limit: int
) -> list[PostRow]:
    """Return those of the posts that are of this profile, in the order of time, from the one after `after` on."""
    values = (caller.workspace_id, caller.sees_profiles, caller.mode == "live", profile_id)
    return await read_all(db, read_post, _PAGE, post_ids, *values, after, limit)


async def waiting_between(
    db: Db, caller: Caller, profile_id: UUID, first: datetime, end: datetime, limit: int
) -> list[UUID]:
    """Return the posts of a profile that wait for approval and are planned from `first` on and before `end`."""
    values = (caller.workspace_id, caller.sees_profiles, caller.mode == "live")
    records = await db.fetch(_WAITING, profile_id, *values, first, end, limit)
    return [record["id"] for record in records]
