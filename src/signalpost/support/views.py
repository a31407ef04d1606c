from collections.abc import Mapping, Sequence
from uuid import UUID

from msgspec import structs

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.media import signed_urls
from signalpost.media.queries import MediaRow
from signalpost.support.queries import ContextDocument, MessageRow, TicketRow, is_own
from signalpost.support.schemas import (
    AttachedFile,
    MessageAuthor,
    Person,
    Ticket,
    TicketContextView,
    TicketDetail,
    TicketMessage,
)
from signalpost.support.states import SUGGESTION
from signalpost.web.caller import Caller

STAFF_NAME = "Support"
"""What users see of staff without a name."""
UNNAMED = "A user"
"""What others see of users without a name: never an e-mail address."""
SYSTEM_NAME = "Signalpost"


def ticket(row: TicketRow, caller: Caller) -> Ticket:
    """Return a ticket as this caller sees it: of another workspace only what is public."""
    own = is_own(row, caller)
    return Ticket(
        id=ids.encode("tkt", row.id),
        number=row.number,
        type=row.type,
        subject=row.subject,
        status=row.status,
        priority=row.priority,
        visibility="public" if row.type == SUGGESTION else "private",
        author=Person(
            ids.encode("usr", row.author_id) if own else None, row.author_name or (row.author_email if own else UNNAMED)
        ),
        workspace_id=ids.encode("wsp", row.workspace_id) if own else None,
        assignee=Person(ids.encode("usr", row.assignee_id), row.assignee_name or STAFF_NAME)
        if own and row.assignee_id
        else None,
        tags=row.tags if own else [],
        votes=row.votes,
        voted_by_me=row.voted_by_me,
        message_count=row.message_count + (row.note_count if caller.is_staff else 0),
        context=_context(row.context) if own and row.context else None,
        last_message_at=clock.wire(row.last_message_at),
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
        closed_at=clock.wire_or_none(row.closed_at),
        merged_into_id=ids.encode_or_none("tkt", row.merged_into_id),
    )


def detail(
    context: AppContext, row: TicketRow, messages: Sequence[MessageRow], files: Mapping[UUID, MediaRow], caller: Caller
) -> TicketDetail:
    """Return a ticket with its messages; `files`: the attachments that exist and that the caller may see."""
    own = is_own(row, caller)
    return TicketDetail(
        **structs.asdict(ticket(row, caller)), messages=[message(context, entry, files, own=own) for entry in messages]
    )


def message(context: AppContext, row: MessageRow, files: Mapping[UUID, MediaRow], *, own: bool) -> TicketMessage:
    """Return a message; `own`: as its workspace and staff see it."""
    return TicketMessage(
        id=ids.encode("msg", row.id),
        ticket_id=ids.encode("tkt", row.ticket_id),
        author=_author(row, own=own),
        body=row.body,
        attachments=[ids.encode("med", media_id) for media_id in row.attachments] if own else [],
        files=[_file(context, files[media_id]) for media_id in row.attachments if own and media_id in files],
        internal=row.internal,
        created_at=clock.wire(row.created_at),
    )


def _author(row: MessageRow, *, own: bool) -> MessageAuthor:
    match row.role:
        case "staff":
            name = row.author_name or STAFF_NAME
        case "system":
            name = SYSTEM_NAME
        case _:
            name = row.author_name or (row.author_email if own else None) or UNNAMED
    return MessageAuthor(ids.encode_or_none("usr", row.author_id) if own else None, name, row.role)


def _file(context: AppContext, row: MediaRow) -> AttachedFile:
    return AttachedFile(
        media_id=ids.encode("med", row.id),
        file_name=row.file_name,
        mime_type=row.mime_type,
        size=row.size_bytes,
        url=signed_urls.create(context.keys, context.base_url, row.id),
    )


def _context(document: ContextDocument) -> TicketContextView:
    return TicketContextView(
        ids.encode_or_none("pst", document.post_id), document.request_id, document.url, document.user_agent
    )
