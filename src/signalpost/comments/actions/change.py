"""What a team notes on a comment: whether it is done or comes back later, who takes care of it, tags."""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from signalpost.comments import queries, views
from signalpost.comments.queries import CommentRow
from signalpost.comments.schemas import SNOOZE_DAYS_MAX, Comment, CommentUpdate
from signalpost.identity import members
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.fields import CommentId, MemberId
from signalpost.web.inputs import deleted_meanwhile

_UPDATE: Final = """
update comment set state = $3, assignee_id = $4, assignee_name = $5, tags = $6, updated_at = $7,
    snoozed_until = $8
where id = $1 and workspace_id = $2
"""


async def update_comment(db: Db, caller: Caller, comment: CommentRow, data: CommentUpdate) -> Comment:
    """Change the fields that are present in `data`.

    Raises:
        ValidationFailed: there is no such member, or they do not see the profile; or it would come back in the past, or
            too late.
    """
    if caller.mode == "test" and comment.mode == "live":
        raise TestModeOnlySandbox("A test key changes no live comment.")
    row = await queries.lock(db, comment.workspace_id, comment.id)
    if row is None:
        raise deleted_meanwhile(CommentId, comment.id)
    row = await _assigned(db, row, data.assignee_id)
    row = replace(
        row,
        state=row.state if data.state is UNSET else data.state,
        tags=row.tags if data.tags is UNSET else list(dict.fromkeys(data.tags)),
        updated_at=clock.actual(),
    )
    row = replace(row, snoozed_until=_snoozed_until(row, data.snoozed_until))
    await db.execute(
        _UPDATE, row.id, row.workspace_id, row.state, row.assignee_id, row.assignee_name, row.tags, row.updated_at,
        row.snoozed_until,
    )  # fmt: skip
    replies = await queries.replies(db, row.workspace_id, [row.id])
    return views.comment(row, replies[row.id])


async def _assigned(db: Db, row: CommentRow, assignee_id: Any) -> CommentRow:
    if assignee_id is UNSET:
        return row
    if assignee_id is None:
        return replace(row, assignee_id=None, assignee_name=None)
    member_id = UUID(int=assignee_id.int)
    readers = await members.readers(db, row.workspace_id, [member_id], row.profile_id)
    if not readers:
        raise problems.ValidationFailed(errors=[MemberId.not_found("/assigneeId")])
    return replace(row, assignee_id=member_id, assignee_name=readers[0].name)


def _snoozed_until(row: CommentRow, until: datetime | UnsetType | None) -> datetime | None:
    if row.state == "done" or until is None:
        return None
    if until is UNSET:
        return row.snoozed_until
    if row.updated_at < until <= row.updated_at + timedelta(days=SNOOZE_DAYS_MAX):
        return until
    message = f"Enter a time in the future, at most {SNOOZE_DAYS_MAX} days ahead."
    raise problems.invalid("/snoozedUntil", "out_of_range", message)
