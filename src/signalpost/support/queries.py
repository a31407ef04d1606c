"""Reads of tickets. A workspace sees its own, staff see all, everyone sees suggestions: those of others in public."""

import re
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.kit import clock, rows
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.support.schemas import Priority, TicketQuery
from signalpost.support.states import SUGGESTION, Author, Status, TicketType
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset

WORDS_MAX: Final = 10
_WORD: Final = re.compile(r"[^\W_]+")


class ContextDocument(Struct):
    """The JSON column `context`."""

    post_id: UUID | None = None
    request_id: str | None = None
    url: str | None = None
    user_agent: str | None = None


class TicketRow(Struct):
    """A ticket, with the names of its people, and whether the caller voted for it."""

    id: UUID
    number: int
    workspace_id: UUID
    author_id: UUID
    type: TicketType
    status: Status
    priority: Priority
    subject: str
    context: ContextDocument | None
    assignee_id: UUID | None
    tags: list[str]
    votes: int
    message_count: int
    note_count: int
    answered: bool
    merged_into_id: UUID | None
    resolved_at: datetime | None
    closed_at: datetime | None
    last_message_at: datetime
    created_at: datetime
    updated_at: datetime
    author_name: str | None
    author_email: str
    assignee_name: str | None
    voted_by_me: bool


COMPUTED: Final = ("number", "author_name", "author_email", "assignee_name", "voted_by_me")


class MessageRow(Struct):
    """A message, with the name of its author."""

    id: UUID
    ticket_id: UUID
    workspace_id: UUID
    author_id: UUID | None
    role: Author
    body: str
    attachments: list[UUID]
    internal: bool
    created_at: datetime
    author_name: str | None = None
    author_email: str | None = None


MESSAGE_COMPUTED: Final = ("author_name", "author_email")

_COLUMNS: Final = rows.columns(
    TicketRow,
    "t",
    author_name="u.name",
    author_email="u.email",
    assignee_name="(select s.name from app_user s where s.id = t.assignee_id)",
    voted_by_me="exists (select from ticket_vote v where v.ticket_id = t.id and v.user_id = $1)",
)
_SELECT: Final = f"select {_COLUMNS} from ticket t join app_user u on u.id = t.author_id"  # noqa: S608 - constants only
# $2: the workspace; null: all of them.
_OF_WORKSPACE: Final = "($2::uuid is null or t.workspace_id = $2)"
_BY_ID: Final = f"{_SELECT} where {_OF_WORKSPACE} and t.id = $3"
_LOCK: Final = f"{_BY_ID} for no key update of t"
_LISTED: Final = f"""{_SELECT}
where {{scope}} and ($3::text is null or t.status = $3) and ($4::text is null or t.type = $4)
    and ($5::text is null or t.words @@ to_tsquery('simple', $5) or t.number = $6)
    and {keyset("t.created_at", "t.id", first=7)}
"""
_OF_ONE: Final = _LISTED.format(scope="t.workspace_id = $2")
_OF_ALL: Final = _LISTED.format(scope="$2::uuid is null")
_SUGGESTIONS: Final = f"""{_SELECT}
where t.type = 'suggestion' and (t.votes, t.id) < (
    case when $2::int8 is null then 9223372036854775807 else $2 end,
    case when $3::uuid is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff' else $3 end)
order by t.votes desc, t.id desc limit $4
"""
# The words are compared with titles only: weight A.
_SIMILAR: Final = f"""{_SELECT}
where t.type = 'suggestion' and t.words @@ to_tsquery('simple', $2)
order by ts_rank('{{0, 0, 0, 1}}', t.words, to_tsquery('simple', $2), 1) desc, t.votes desc, t.id desc limit $3
"""
_MESSAGES: Final = f"""
select {rows.columns(MessageRow, "m", author_name="u.name", author_email="u.email")}
from ticket_message m left join app_user u on u.id = m.author_id
where m.ticket_id = $1 and m.workspace_id = $2 and ($3 or not m.internal) order by m.id
"""  # noqa: S608 - constants only
_read: Final = rows.reader(TicketRow)
_read_message: Final = rows.reader(MessageRow)


def workspace_of(caller: Caller) -> UUID | None:
    """Return the workspace whose tickets the caller works with; None: those of all, as staff do."""
    return None if caller.is_staff else caller.workspace_id


async def find_mine(db: Db, caller: Caller, ticket_id: UUID) -> TicketRow | None:
    """Return the ticket if it is of the caller's workspace, or the caller is staff; for a test key there is none."""
    return await _find(db, caller, _BY_ID, ticket_id, workspace_of(caller))


async def find_readable(db: Db, caller: Caller, ticket_id: UUID) -> TicketRow | None:
    """Do the same, also with suggestions of others. The connection sees all workspaces: it is decided here."""
    row = await _find(db, caller, _BY_ID, ticket_id, None)
    return row if row is not None and (row.type == SUGGESTION or is_own(row, caller)) else None


def is_own(row: TicketRow, caller: Caller) -> bool:
    """Whether the caller sees all of a ticket, apart from notes."""
    return caller.is_staff or row.workspace_id == caller.workspace_id


async def _find(db: Db, caller: Caller, statement: str, ticket_id: UUID, workspace_id: UUID | None) -> TicketRow | None:
    if caller.mode == "test":
        return None
    return await rows.read_one(db, _read, statement, caller.user_id, workspace_id, ticket_id)


async def lock(db: Db, caller: Caller, ticket_id: UUID) -> TicketRow | None:
    """Return the ticket as it is now; nobody else changes it until the transaction ends."""
    return await _find(db, caller, _LOCK, ticket_id, workspace_of(caller))


async def listed(db: Db, caller: Caller, query: TicketQuery, page: Page) -> list[TicketRow]:
    """Return a page of the tickets of the caller's workspace, for staff of all, newest first."""
    words, number = (None, None) if query.q is None else (_all_of(query.q), _number(query.q))
    workspace_id = workspace_of(caller)
    parameters: list[Any] = [caller.user_id, workspace_id, query.status, query.type, words, number, *page.bounds]
    statement = _OF_ALL if workspace_id is None else _OF_ONE
    return [_read(record) for record in await db.fetch(statement, *parameters, timeout=READ_SECONDS)]


async def suggestions(db: Db, caller: Caller, page: Page) -> list[TicketRow]:
    """Return a page of all suggestions, those with the most votes first; see `position_by_votes`."""
    votes = None if page.after_at is None else clock.to_micros(page.after_at)
    return await rows.read_all(db, _read, _SUGGESTIONS, caller.user_id, votes, page.after_id, page.limit + 1)


def position_by_votes(row: TicketRow) -> tuple[datetime, UUID]:
    """Return where the next page begins. A cursor holds an instant, as which the number of votes travels."""
    return clock.from_micros(row.votes), row.id


async def similar(db: Db, caller: Caller, text: str, limit: int) -> list[TicketRow]:
    """Return the suggestions whose titles have the most words of this text, or begin like them."""
    words = " | ".join(f"{word}:*A" for word in _words(text))
    records = await db.fetch(_SIMILAR, caller.user_id, words, limit, timeout=READ_SECONDS)
    return [_read(record) for record in records]


async def messages(db: Db, ticket: TicketRow, *, internal: bool) -> list[MessageRow]:
    """Return the messages of a ticket, oldest first; `internal`: also notes among staff."""
    return await rows.read_all(db, _read_message, _MESSAGES, ticket.id, ticket.workspace_id, internal)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())[:WORDS_MAX]


def _all_of(text: str) -> str:
    return " & ".join(f"{word}:*" for word in _words(text))


def _number(text: str) -> int | None:
    digits = text.strip().removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else None
