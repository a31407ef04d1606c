"""The status of a ticket, and what staff change with it."""

from typing import Final
from uuid import UUID

from msgspec import UNSET

from signalpost.audit.documents import Change
from signalpost.context import AppContext
from signalpost.identity import queries as identity
from signalpost.kit import clock, issue_text, problems
from signalpost.kit.db import Db
from signalpost.support import queries, states
from signalpost.support.actions import answer, write
from signalpost.support.queries import TicketRow
from signalpost.support.schemas import TicketStatusUpdate
from signalpost.support.states import SUGGESTION
from signalpost.web.caller import Caller
from signalpost.web.fields import TicketId, UserId

_ENDED: Final = ("closed", "shipped", "declined")
_UPDATE: Final = """
update ticket set status = $3, priority = $4, assignee_id = $5, tags = $6, merged_into_id = $7, resolved_at = $8,
    closed_at = $9, updated_at = $10
where id = $1 and workspace_id = $2
"""
_MOVE_VOTES: Final = """
insert into ticket_vote (ticket_id, user_id, workspace_id, created_at)
select $2, user_id, workspace_id, created_at from ticket_vote where ticket_id = $1
on conflict (ticket_id, user_id) do nothing
"""
_COUNT_VOTES: Final = """
update ticket set votes = (select count(*) from ticket_vote where ticket_id = $1) where id = $1 and workspace_id = $2
"""
_FOLLOW: Final = "update ticket set merged_into_id = $2 where merged_into_id = $1 and type = $3"


async def update_status(
    context: AppContext, db: Db, caller: Caller, ticket: TicketRow, data: TicketStatusUpdate
) -> TicketRow:
    """Set the status, and write the note if there is one. The same status again changes nothing.

    Raises:
        NotFound: the ticket was deleted meanwhile.
        Forbidden: the caller is neither staff nor the author, or wants what only staff may do.
        InvalidState: the ticket is in a state that does not allow this.
        ValidationFailed: the type does not have this status, or a ticket or user does not exist.
    """
    row = await write.lock(db, caller, ticket)
    _require_right(caller, row, data)
    if data.status not in states.statuses_of(row.type):
        raise problems.ValidationFailed(
            errors=[issue_text.not_allowed("/status", data.status, states.statuses_of(row.type))]
        )
    before, changed = row.status, False
    if data.merged_into_id is not None:
        await _merge(db, caller, row, data)
        changed = True
    elif row.status != data.status:
        row.merged_into_id = None
    row.status = data.status
    await _apply_staff_fields(db, row, data)
    if data.note is not None and before == "closed" == data.status:
        raise problems.InvalidState("The ticket is closed and takes no messages. Open it again, or open another one.")
    await _write(db, row)
    if data.note is not None:
        await _note(db, caller, row, data.note)
    changed = changed or before != row.status
    await write.record(
        db, caller, row, "update_ticket_status", changes=[Change("status", before, row.status)] if changed else None
    )
    if changed or data.note is not None:
        if write.role_in(row, caller) == "staff":
            await write.mail_author(context, db, caller, row, data.note)
        elif data.note is not None:
            await write.mail_staff(context, db, caller, row, data.note)
    return row


def _require_right(caller: Caller, row: TicketRow, data: TicketStatusUpdate) -> None:
    if caller.is_staff:
        return
    if row.author_id != caller.user_id:
        raise problems.Forbidden("Only its author and staff set the status of a ticket.")
    if data.merged_into_id is not None or not (data.assignee_id is data.priority is data.tags is UNSET):
        raise problems.Forbidden("Only staff merge, assign, rank and tag tickets.")
    if data.status not in states.OF_AUTHORS:
        raise problems.Forbidden(f"Its author sets {' and '.join(states.OF_AUTHORS)} only; the rest is for staff.")
    if row.merged_into_id is not None and data.status != row.status:
        raise problems.InvalidState("It was merged into another ticket, which goes on instead.")
    if not states.may_author_set(row.status, data.status):
        raise problems.InvalidState(f"It is {row.status}: that is decided.")


async def _merge(db: Db, caller: Caller, row: TicketRow, data: TicketStatusUpdate) -> None:
    """Have another ticket go on instead of this one: with its votes, and with what was merged into it."""
    if data.status != "closed":
        raise problems.invalid("/status", "not_allowed", "A merged ticket is closed: send `closed`.")
    target_id = UUID(int=data.merged_into_id.int) if data.merged_into_id else row.id
    target = await queries.lock(db, caller, target_id)
    if target is None:
        raise problems.ValidationFailed(errors=[TicketId.not_found("/mergedIntoId")])
    if target.id == row.id or target.merged_into_id is not None:
        raise problems.invalid("/mergedIntoId", "not_allowed", "Name another ticket, which is not merged itself.")
    suggestions = [row.type, target.type].count(SUGGESTION)
    if suggestions == 1 or (not suggestions and row.workspace_id != target.workspace_id):
        raise problems.invalid(
            "/mergedIntoId",
            "not_allowed",
            "Suggestions are merged with suggestions, tickets with those of one workspace.",
        )
    if suggestions:
        await db.execute(_MOVE_VOTES, row.id, target.id)
        await db.execute(_COUNT_VOTES, target.id, target.workspace_id)
    await db.execute(_FOLLOW, row.id, target.id, row.type)
    row.merged_into_id = target.id


async def _apply_staff_fields(db: Db, row: TicketRow, data: TicketStatusUpdate) -> None:
    if data.priority is not UNSET:
        row.priority = data.priority
    if data.tags is not UNSET:
        row.tags = list(dict.fromkeys(data.tags))
    if data.assignee_id is None:
        row.assignee_id = None
    elif data.assignee_id is not UNSET:
        assignee_id = UUID(int=data.assignee_id.int)
        if not await identity.is_staff(db, assignee_id):
            raise problems.ValidationFailed(errors=[UserId.not_found("/assigneeId")])
        row.assignee_id = assignee_id


async def _write(db: Db, row: TicketRow) -> None:
    now = clock.now()
    row.resolved_at = (row.resolved_at or now) if row.status == "resolved" else None
    row.closed_at = (row.closed_at or now) if row.status in _ENDED else None
    row.updated_at = now
    await db.execute(
        _UPDATE, row.id, row.workspace_id, row.status, row.priority, row.assignee_id, row.tags, row.merged_into_id,
        row.resolved_at, row.closed_at, now,
    )  # fmt: skip


async def _note(db: Db, caller: Caller, row: TicketRow, text: str) -> None:
    """Write the message that goes with a status; that status stays, also if messages reopen it."""
    status, resolved_at = row.status, row.resolved_at
    row.status, row.resolved_at = "open", None
    await answer.append(db, caller, row, text)
    row.status, row.resolved_at = status, resolved_at
    await _write(db, row)
