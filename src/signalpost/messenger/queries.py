"""Rows of links, codes, messages and replies. Numbers are stored as keyed digests, and sealed where they are needed."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.kit import crypto
from signalpost.kit.crypto import KeyRing, SealedColumn
from signalpost.kit.db import Db
from signalpost.kit.rows import columns, read_all, read_one, reader
from signalpost.messenger.contract import Sender
from signalpost.messenger.schemas import ReplyState
from signalpost.web.caller import Caller, Mode

_PURPOSE: Final = "messenger"


def digests(keys: KeyRing, value: str) -> list[bytes]:
    """Return the digest of a number, an id or a code under each master key, the current one first."""
    return [crypto.hmac_sha256(key, value.encode("utf-8", "surrogatepass")) for key in keys.derive_each(_PURPOSE)]


def remote_hash(remote_id: str) -> bytes:
    """Return the digest of a message's id, which itself contains the phone number."""
    return hashlib.sha256(remote_id.encode("utf-8", "surrogatepass")).digest()


def sender_hash(keys: KeyRing, sender: Sender) -> bytes:
    """Return the digest under which the messages of a sender follow one another."""
    return (user_hashes(keys, sender) or phone_hashes(keys, sender) or digests(keys, ""))[0]


def phone_hashes(keys: KeyRing, sender: Sender) -> list[bytes]:
    """Return the digests of a sender's number; none: it is not known."""
    return [] if sender.phone is None else digests(keys, sender.phone)


def user_hashes(keys: KeyRing, sender: Sender) -> list[bytes]:
    """Return the digests of a sender's user id, which differ between messengers; none: there is no id."""
    if sender.user_id is None:
        return []
    return digests(keys, sender.user_id if sender.messenger == "whatsapp" else f"{sender.messenger}:{sender.user_id}")


def sealed_as(row_id: UUID) -> str:
    """Return for which row a value is sealed."""
    return f"{_PURPOSE}|{row_id}"


def seal(keys: KeyRing, value: Struct, row_id: UUID) -> bytes:
    """Seal a struct for the row with this id."""
    return keys.seal(msgspec.json.encode(value), context=sealed_as(row_id))


def open_sender(keys: KeyRing, sealed: bytes, row_id: UUID) -> Sender:
    """Return a sender that was sealed for the row with this id."""
    return msgspec.json.decode(keys.open(sealed, context=sealed_as(row_id)), type=Sender)


class LinkRow(Struct):
    """A linked number. `scopes`, `profile_ids`: what the credential had that asked for the code.

    `key_id` or `session_id` is that credential; a row with neither was written before it was noted.
    """

    id: UUID
    workspace_id: UUID
    user_id: UUID
    profile_id: UUID
    mode: Mode
    scopes: list[str]
    profile_ids: list[UUID] | None
    phone_hash: bytes | None
    user_hash: bytes | None
    recipient: bytes
    phone_masked: str | None
    post_ids: list[UUID]  # made by messages, the newest first
    awaits_time: bool
    linked_at: datetime
    last_message_at: datetime
    key_id: UUID | None
    session_id: UUID | None

    @property
    def recipient_hash(self) -> bytes:
        """The digest under which replies follow one another."""
        return self.user_hash or self.phone_hash or b""


LINK: Final = columns(LinkRow, "l")


def works(row: str) -> str:
    """Return whether the credential of a row still works, as SQL. What ends it at once is in `identity.offspring`."""
    return f"""({row}.key_id is null and {row}.session_id is not null or exists (
        select from api_key k where k.id = {row}.key_id and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > now())))"""


read_link = reader(LinkRow)
# A link that knows the user id is not found by a number that meanwhile belongs to someone else.
_OF_SENDER: Final = f"""
select {LINK} from messenger_link l
where ($2::bytea[] <> '{{}}' and l.user_hash = any($2))
    or (l.phone_hash = any($1) and (l.user_hash is null or $2::bytea[] = '{{}}'))
order by l.user_hash = any($2) desc nulls last limit 1 for no key update
"""  # noqa: S608 - columns of a struct
_MINE: Final = f"""
select {LINK} from messenger_link l where l.workspace_id = $1 and l.user_id = $2 and l.mode = $3 and {works("l")}
"""  # noqa: S608 - columns of a struct
_BY_ID: Final = f"select {LINK} from messenger_link l where l.id = $1"  # noqa: S608 - columns of a struct


async def lock_of_sender(db: Db, keys: KeyRing, sender: Sender) -> LinkRow | None:
    """Return the link of whoever wrote, locked."""
    phones, users = phone_hashes(keys, sender), user_hashes(keys, sender)
    return await read_one(db, read_link, _OF_SENDER, phones, users)


async def find_mine(db: Db, caller: Caller) -> LinkRow | None:
    """Return the caller's own link in this workspace."""
    return await read_one(db, read_link, _MINE, caller.workspace_id, caller.user_id, caller.mode)


async def find_link(db: Db, link_id: UUID) -> LinkRow | None:
    """Return a link by its id."""
    return await read_one(db, read_link, _BY_ID, link_id)


class ChatRow(Struct):
    """Where a linked person writes. `recipient`: a sealed `Sender`."""

    id: UUID
    recipient: bytes
    linked_at: datetime


_CHATS: Final = f"""
select {columns(ChatRow, "l")} from messenger_link l
where $1::uuid is null or l.id > $1 order by l.id limit $2
"""  # noqa: S608 - columns of a struct
_read_chat = reader(ChatRow)


async def chats_after(db: Db, link_id: UUID | None, count: int) -> list[ChatRow]:
    """Return the chats of links at all messengers, in the order of the ids of the links."""
    return await read_all(db, _read_chat, _CHATS, link_id, count)


class CodeRow(Struct):
    """A code that nobody has sent yet, with what the link will have."""

    id: UUID
    workspace_id: UUID
    user_id: UUID
    profile_id: UUID
    mode: Mode
    scopes: list[str]
    profile_ids: list[UUID] | None
    expires_at: datetime
    key_id: UUID | None
    session_id: UUID | None


CODE: Final = columns(CodeRow, "c")
read_code = reader(CodeRow)
_MY_CODE: Final = f"""
select {CODE} from messenger_code c
where c.workspace_id = $1 and c.user_id = $2 and c.mode = $3 and c.expires_at > now() and {works("c")}
"""  # noqa: S608 - columns of a struct


async def find_my_code(db: Db, caller: Caller) -> CodeRow | None:
    """Return the caller's code that still works."""
    return await read_one(db, read_code, _MY_CODE, caller.workspace_id, caller.user_id, caller.mode)


_OF_OTHERS: Final = """
select exists (select from messenger_link where workspace_id = $1 and user_id = $2 and mode = $3
    and key_id is distinct from $4)
"""


async def is_of_another(db: Db, whose: Caller | CodeRow) -> bool:
    """Whether the user of a key, or of its code, has a link that another credential made."""
    values = (whose.workspace_id, whose.user_id, whose.mode, whose.key_id)
    return bool(await db.fetchval(_OF_OTHERS, *values))


class MessageRow(Struct):
    """A message that waits to be handled. `body`: a sealed `Message`."""

    id: UUID
    workspace_id: UUID | None
    sender_hash: bytes
    sent_at: datetime
    body: bytes
    media_id: UUID | None
    received_at: datetime


_MESSAGE: Final = columns(MessageRow, "m")
_read_message = reader(MessageRow)
_NEXT: Final = f"""
select {_MESSAGE} from messenger_message m
where m.sender_hash = $1 and m.handled_at is null and m.workspace_id is not distinct from $2
order by m.sent_at, m.id limit $3
"""  # noqa: S608 - columns of a struct
_LOCK: Final = "select id from messenger_message where id = $1 and handled_at is null for update"


async def next_messages(db: Db, sender: bytes, workspace_id: UUID | None, count: int = 1) -> list[MessageRow]:
    """Return the oldest messages of a sender that wait: in this workspace, or to be sorted (None)."""
    return await read_all(db, _read_message, _NEXT, sender, workspace_id, count)


async def next_message(db: Db, sender: bytes, workspace_id: UUID | None) -> MessageRow | None:
    """Return the oldest of them."""
    return next(iter(await next_messages(db, sender, workspace_id)), None)


async def lock_message(db: Db, message_id: UUID) -> bool:
    """Lock a message; False: it was handled meanwhile."""
    return await db.fetchval(_LOCK, message_id) is not None


class ReplyRow(Struct):
    """A reply that is to be sent. `body`: a sealed `Reply`; None: the result of the post, made when sent."""

    id: UUID
    workspace_id: UUID | None
    link_id: UUID | None
    recipient: bytes
    body: bytes | None
    post_id: UUID | None
    state: ReplyState
    attempts: int
    as_template: bool


_REPLY: Final = columns(ReplyRow, "r")
_read_reply = reader(ReplyRow)
_NEXT_REPLY: Final = f"""
select {_REPLY} from messenger_reply r
where r.recipient_hash = $1 and r.state in ('waiting', 'sending') and r.workspace_id is not distinct from $2
order by r.id limit 1
"""  # noqa: S608 - columns of a struct


async def next_reply(db: Db, recipient: bytes, workspace_id: UUID | None) -> ReplyRow | None:
    """Return the oldest reply to a recipient that waits, or that was being sent when the process died."""
    return await read_one(db, _read_reply, _NEXT_REPLY, recipient, workspace_id)


# Not for long: the job that sends the older one may have failed for good.
_IS_BEHIND: Final = """
select exists (
    select from messenger_reply r
    where r.recipient_hash = $1 and r.state in ('waiting', 'sending') and r.id < $2
        and r.workspace_id is distinct from $3 and r.created_at > now() - interval '1 minute')
"""


async def is_behind(db: Db, recipient: bytes, reply: ReplyRow) -> bool:
    """Return whether an older reply to the recipient waits in another job: of before the link, or of another one."""
    return bool(await db.fetchval(_IS_BEHIND, recipient, reply.id, reply.workspace_id))


class LastReplyRow(Struct):
    """What became of a reply."""

    state: ReplyState
    error: str | None
    at: datetime


_LAST: Final = """
select state, error, coalesce(settled_at, created_at) from messenger_reply where link_id = $1 order by id desc limit 1
"""


async def last_reply(db: Db, link_id: UUID) -> LastReplyRow | None:
    """Return what became of the newest reply to a link."""
    record = await db.fetchrow(_LAST, link_id)
    return None if record is None else LastReplyRow(*record)


_SETTLED: Final = f"""
select p.id, {LINK} from unnest($1::uuid[]) as s(post_id)
join post p on p.id = s.post_id and p.workspace_id = any($2)
join messenger_link l on l.workspace_id = p.workspace_id and l.user_id = p.created_by_user_id and l.mode = p.mode
where {works("l")}
"""  # noqa: S608 - columns of a struct


async def links_of_posts(db: Db, post_ids: Sequence[UUID], workspace_ids: Sequence[UUID]) -> list[tuple[UUID, LinkRow]]:
    """Return those of the posts whose authors have a link, each with it."""
    records = await db.fetch(_SETTLED, post_ids, workspace_ids)
    return [(record[0], read_link(list(record.values())[1:])) for record in records]


SEALED: Final = tuple(
    SealedColumn(table, {"id": "uuid"}, column, lambda row: sealed_as(row["id"]))
    for table, column in (
        ("messenger_link", "recipient"), ("messenger_message", "body"), ("messenger_reply", "recipient"),
        ("messenger_reply", "body"),
    )
)  # fmt: skip


_BOT: Final = "select username from messenger_bot where bot_id = $1"


async def bot_username(db: Db, bot_id: str) -> str | None:
    """Return what a bot is called; None: it has not answered yet."""
    username: str | None = await db.fetchval(_BOT, bot_id)
    return username
