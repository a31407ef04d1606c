"""Messages on a ticket, and notes among staff."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.identity import queries as identity
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.support import states, views
from signalpost.support.actions import write
from signalpost.support.queries import MessageRow, TicketRow
from signalpost.support.schemas import MessageCreate, TicketMessage
from signalpost.web.caller import Caller

_NOTED: Final = "update ticket set note_count = note_count + 1 where id = $1 and workspace_id = $2"
_ANSWERED: Final = """
update ticket set message_count = message_count + 1, last_message_at = $3, updated_at = $3, status = $4,
    resolved_at = case when $4 = 'resolved' then resolved_at end, answered = answered or $5,
    assignee_id = coalesce(assignee_id, $6)
where id = $1 and workspace_id = $2
"""


async def add_message(
    context: AppContext, db: Db, caller: Caller, ticket: TicketRow, data: MessageCreate
) -> TicketMessage:
    """Write a message, and mail the other side. One of a user reopens a ticket that waited for them.

    The first of the staff to answer works on the ticket from then on. Of a note nothing shows outside the staff: no
    count, no time, no mail, no history of the workspace.

    Raises:
        NotFound: the ticket was deleted meanwhile.
        Forbidden: a note by someone who is not staff.
        InvalidState: the ticket is closed.
        ValidationFailed: a file does not exist.
        TooManyItems: the ticket has enough messages.
    """
    if data.internal and not caller.is_staff:
        raise problems.Forbidden("Only staff write internal notes.", remediation="Leave `internal` out.")
    files = await write.attachments(db, caller, data.attachments)
    row = await write.lock(db, caller, ticket)
    message = await append(db, caller, row, data.body, files=files, internal=data.internal)
    await write.record(db, caller, row, "add_ticket_message", among_staff=data.internal)
    if not data.internal:
        tell = write.mail_staff if message.role == "user" else write.mail_author
        await tell(context, db, caller, row, data.body)
    return views.message(context, message, await write.files_of(db, [message]), own=True)


async def append(
    db: Db, caller: Caller, row: TicketRow, body: str, *, files: Sequence[UUID] = (), internal: bool = False
) -> MessageRow:
    """Write a message to the locked ticket, and what follows from it for the ticket, also in `row`.

    Raises:
        InvalidState: the ticket is closed.
        TooManyItems: it has enough messages.
    """
    now, role = clock.now(), write.role_in(row, caller)
    if states.is_closed(row.status, row.resolved_at, now):
        raise problems.InvalidState("The ticket is closed and takes no messages. Open it again, or open another one.")
    name, email = await identity.read_person(db, caller.user_id)
    message = MessageRow(
        ids.new_id(), row.id, row.workspace_id, caller.user_id, role, body, list(files), internal, now,
        name, email,
    )  # fmt: skip
    await write.write_message(db, caller, row, message)
    if internal:
        await db.execute(_NOTED, row.id, row.workspace_id)
        row.note_count += 1
        return message
    by_staff = role == "staff"
    row.status = states.after_message(row.status, role)
    row.message_count += 1
    row.last_message_at = row.updated_at = now
    row.answered = row.answered or by_staff
    row.assignee_id = row.assignee_id or (caller.user_id if by_staff else None)
    row.resolved_at = row.resolved_at if row.status == "resolved" else None
    await db.execute(_ANSWERED, row.id, row.workspace_id, now, row.status, by_staff, row.assignee_id)
    return message
