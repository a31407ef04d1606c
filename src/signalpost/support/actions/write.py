"""What all changes of tickets share: the lock, the message, the history, and the mail to the other side."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from signalpost import mail
from signalpost.audit.actions import record as audit
from signalpost.audit.documents import Change
from signalpost.context import AppContext
from signalpost.identity import queries as identity
from signalpost.kit import ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.media import queries as media
from signalpost.media.actions.sweep import keep_files
from signalpost.media.queries import MediaRow
from signalpost.support import queries, views
from signalpost.support.queries import MESSAGE_COMPUTED, MessageRow, TicketRow
from signalpost.support.schemas import TicketDetail
from signalpost.support.states import Author
from signalpost.web.caller import Caller
from signalpost.web.fields import MediaId, TicketId
from signalpost.web.inputs import deleted_meanwhile

MESSAGES_MAX: Final = 200
"""Of one ticket, notes included: so many are shown at once."""
MAILED_CHARACTERS_MAX: Final = 2_000
STAFF_MAILS_PER_HOUR: Final = 10
"""To one of the staff about one workspace: a mailbox takes a number of mails an hour, also new passwords."""
_WRITTEN: Final = "ticket_written"
_INSERT_MESSAGE: Final = rows.insert("ticket_message", MessageRow, without=MESSAGE_COMPUTED)


async def lock(db: Db, caller: Caller, ticket: TicketRow) -> TicketRow:
    """Return the ticket as it is now; nobody else changes it until the transaction ends.

    Raises:
        NotFound: it was deleted meanwhile.
    """
    locked = await queries.lock(db, caller, ticket.id)
    if locked is None:
        raise deleted_meanwhile(TicketId, ticket.id)
    return locked


def role_in(ticket: TicketRow, caller: Caller) -> Author:
    """Return on which side of the ticket the caller is: staff are users of what they opened themselves."""
    return "staff" if caller.is_staff and caller.user_id != ticket.author_id else "user"


async def files_of(db: Db, messages: Sequence[MessageRow]) -> dict[UUID, MediaRow]:
    """Return the attachments that still exist, as far as this connection sees them."""
    media_ids = [media_id for message in messages for media_id in message.attachments]
    return await media.attached(db, media_ids) if media_ids else {}


async def read_detail(context: AppContext, db: Db, caller: Caller, ticket: TicketRow) -> TicketDetail:
    """Return the ticket with its messages as the caller sees it."""
    messages = await queries.messages(db, ticket, internal=caller.is_staff)
    files = await files_of(db, messages) if queries.is_own(ticket, caller) else {}
    return views.detail(context, ticket, messages, files, caller)


async def write_message(db: Db, caller: Caller, ticket: TicketRow, message: MessageRow) -> None:
    """Write a message, and keep its files.

    Raises:
        TooManyItems: the ticket has enough.
    """
    if ticket.message_count + ticket.note_count >= MESSAGES_MAX:
        raise problems.TooManyItems(f"A ticket has at most {MESSAGES_MAX} messages. Open another one that names it.")
    await db.execute(_INSERT_MESSAGE, *rows.values(message, without=MESSAGE_COMPUTED))
    await keep_files(db, caller.workspace_id, message.attachments)


async def attachments(db: Db, caller: Caller, media_ids: Sequence[UUID]) -> list[UUID]:
    """Return the files to attach, each once.

    Raises:
        ValidationFailed: the caller sees no such file, or it cannot be used.
    """
    visible = await media.visible(db, caller, media_ids)
    issues = [
        MediaId.not_found(f"/attachments/{index}")
        if media_id not in visible
        else Issue(f"/attachments/{index}", "not_allowed", f"The file is {visible[media_id].status}, not ready.")
        for index, media_id in enumerate(media_ids)
        if media_id not in visible or visible[media_id].status != "ready"
    ]
    if issues:
        raise problems.ValidationFailed(errors=issues)
    return [UUID(int=media_id.int) for media_id in dict.fromkeys(media_ids)]


async def record(
    db: Db,
    caller: Caller,
    ticket: TicketRow,
    action: str,
    *,
    changes: list[Change] | None = None,
    among_staff: bool = False,
) -> None:
    """Write the history of the ticket's workspace; `among_staff`: that of the installation, which it does not see."""
    await audit.record(
        db,
        audit.Entry(
            workspace_id=audit.INSTALLATION if among_staff else ticket.workspace_id,
            action=action,
            actor=caller.actor,
            subject=ids.encode("tkt", ticket.id),
            changes=changes,
        ),
    )


async def mail_author(context: AppContext, db: Db, caller: Caller, ticket: TicketRow, body: str | None) -> None:
    """Mail the author that staff answered or changed the status, unless it is the caller."""
    if ticket.author_id == caller.user_id:
        return
    values = _values(context, ticket, body)
    message = mail.Message(to=ticket.author_email, template="ticket_answered", values=values)
    await mail.enqueue(db, message, workspace_id=ticket.workspace_id)


async def mail_staff(context: AppContext, db: Db, caller: Caller, ticket: TicketRow, body: str) -> None:
    """Mail whoever works on the ticket, else all staff, that its user wrote, unless it is the caller."""
    values = _values(context, ticket, body) | {"user": caller.user_name}
    for user_id, email in await identity.staff_mailboxes(db, ticket.assignee_id):
        lately = await mail.count_lately(db, ticket.workspace_id, email, _WRITTEN)
        if user_id != caller.user_id and lately < STAFF_MAILS_PER_HOUR:
            message = mail.Message(to=email, template=_WRITTEN, values=values)
            await mail.enqueue(db, message, workspace_id=ticket.workspace_id)


def _values(context: AppContext, ticket: TicketRow, body: str | None) -> dict[str, str | int | None]:
    text = body if body is None or len(body) <= MAILED_CHARACTERS_MAX else body[:MAILED_CHARACTERS_MAX] + " …"
    return {
        "number": ticket.number,
        "subject": ticket.subject,
        "status": ticket.status.replace("_", " "),
        "text": text,
        "link": f"{context.fixed_url}/console/support/{ids.encode('tkt', ticket.id)}",
    }
