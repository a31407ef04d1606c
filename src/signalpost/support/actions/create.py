"""Opening a ticket."""

from typing import Final
from uuid import UUID

from msgspec import UNSET, UnsetType

from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.posts import queries as posts
from signalpost.support import queries, views
from signalpost.support.actions import write
from signalpost.support.errors import require_live
from signalpost.support.queries import ContextDocument, MessageRow
from signalpost.support.schemas import TicketContext, TicketCreate, TicketDetail
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId

OPEN_MAX: Final = 100
"""Of one workspace."""
_COUNT_OPEN: Final = """
select count(*) from (
    select from ticket where workspace_id = $1 and status not in ('closed', 'shipped', 'declined') limit $2) t
"""
_LOCK: Final = "select pg_advisory_xact_lock(hashtextextended('tickets:' || $1::text, 0))"
_INSERT: Final = """
insert into ticket (id, workspace_id, author_id, type, priority, subject, context, words, last_message_at, created_at,
    updated_at)
values ($1, $2, $3, $4, $5, $6, $7,
    setweight(to_tsvector('simple', $6), 'A') || setweight(to_tsvector('simple', $8), 'D'), $9, $9, $9)
"""
_COUNT_FIRST: Final = "update ticket set message_count = 1 where id = $1 and workspace_id = $2"


async def create_ticket(context: AppContext, db: Db, caller: Caller, data: TicketCreate) -> TicketDetail:
    """Open a ticket with its first message, and mail staff.

    Raises:
        TestModeOnlySandbox: the caller is a test key.
        ValidationFailed: there is no text, or two; or the post or a file does not exist.
        TooManyItems: the workspace has enough open tickets.
    """
    require_live(caller)
    body = _text(data)
    document = await _context(db, caller, data.context)
    files = await write.attachments(db, caller, data.attachments)
    await db.execute(_LOCK, str(caller.workspace_id))  # or several at once would all find room
    if await db.fetchval(_COUNT_OPEN, caller.workspace_id, OPEN_MAX) >= OPEN_MAX:
        raise problems.TooManyItems(f"The workspace has {OPEN_MAX} open tickets. Close some first.")
    ticket_id, now = ids.new_id(), clock.now()
    await db.execute(
        _INSERT, ticket_id, caller.workspace_id, caller.user_id, data.type, data.priority, data.subject, document,
        body, now,
    )  # fmt: skip
    row = await queries.lock(db, caller, ticket_id)
    if row is None:
        raise LookupError("the ticket that was just written")
    message = MessageRow(
        ids.new_id(), ticket_id, caller.workspace_id, caller.user_id, "user", body, files, False, now,  # noqa: FBT003 - a row
        row.author_name, row.author_email,
    )  # fmt: skip
    await write.write_message(db, caller, row, message)
    await db.execute(_COUNT_FIRST, ticket_id, caller.workspace_id)
    row.message_count = 1
    await write.mail_staff(context, db, caller, row, body)
    return views.detail(context, row, [message], await write.files_of(db, [message]), caller)


def _text(data: TicketCreate) -> str:
    texts: list[str | UnsetType] = [text for text in (data.body, data.message) if text is not UNSET]
    if not texts:
        raise problems.invalid("/body", "required", "Say what it is about.")
    if len(texts) > 1:
        raise problems.invalid("/message", "not_allowed", "This is another name of body: send one of them.")
    return str(texts[0])


async def _context(db: Db, caller: Caller, data: TicketContext | None) -> ContextDocument | None:
    if data is None:
        return None
    if data.post_id is not None and await posts.find_any(db, caller, data.post_id) is None:
        issue: Issue = PostId.not_found("/context/postId")
        raise problems.ValidationFailed(errors=[issue])
    post_id = None if data.post_id is None else UUID(int=data.post_id.int)
    return ContextDocument(post_id, data.request_id, data.url, data.user_agent)
