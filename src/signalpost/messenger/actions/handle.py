"""Handling messages that were stored: each once, in the order in which a person sent them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.identity.authenticate import caller_by_grant
from signalpost.identity.errors import KeyRevoked, PlanLimitReached, TokenExpired
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.kit.failpoint import failpoint
from signalpost.kit.problems import Problem
from signalpost.messenger import queries, texts
from signalpost.messenger.actions import converse, files, link, reply
from signalpost.messenger.actions.converse import Conversation
from signalpost.messenger.contract import Message, Reply, Unusable
from signalpost.messenger.queries import LinkRow, MessageRow
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.web.caller import Caller

HANDLE_JOB: Final = "messenger.handle"
ALBUM_MAX: Final = 10
ALBUM_SECONDS: Final = 2.0

_HANDLED: Final = "update messenger_message set body = null, handled_at = now() where id = $1"
_IN_WORKSPACE: Final = "update messenger_message set workspace_id = $2 where id = $1"
_UNSORTED: Final = "update messenger_message set workspace_id = null where id = $1"
_NAME_FILE: Final = "update messenger_message set media_id = $2 where id = $1 and handled_at is null"
_KNOWN: Final = """
update messenger_link set last_message_at = greatest(last_message_at, $2),
    user_hash = coalesce(user_hash, (select $3::bytea where not exists (
        select from messenger_link where user_hash = $3))),
    phone_hash = coalesce(phone_hash, (select $4::bytea where not exists (
        select from messenger_link where phone_hash = $4)))
where id = $1
"""
_REFUSED: Final = {"locked": texts.LOCKED, "wrong": texts.WRONG_CODE, "taken": texts.TAKEN}
_STATE: Final = "update messenger_link set post_ids = $2, awaits_time = $3, profile_id = $4 where id = $1"


async def sort(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> None:
    """Find out whose the messages of a number are: codes link it, others go to the workspace of its link."""
    sender = bytes.fromhex(payload["sender"])
    while True:
        async with lease.transaction() as db:
            row = await queries.next_message(db, sender, None)
            if row is None:
                return
            if await queries.lock_message(db, row.id):
                await _sort_one(context, db, row)
        failpoint("messenger.sorted")


async def _sort_one(context: AppContext, db: Db, row: MessageRow) -> None:
    message = _open(context, row)
    linked = await queries.lock_of_sender(db, context.keys, message.sender)
    if message.kind == "text" and (code := link.code_in(message.text)) is not None:
        outcome = await link.try_code(context, db, message, code)
        if outcome in {"linked", "taken"} or linked is None:
            if outcome != "linked":
                text = _REFUSED[outcome]
                await reply.to_sender(context, db, message.sender, Reply(text, reply_to=message.reply_to))
            await db.execute(_HANDLED, row.id)
            return
    if linked is None:
        if message.kind != "blocked":
            await link.answer_stranger(context, db, message.sender, message.reply_to)
        await db.execute(_HANDLED, row.id)
        return
    await _recognize(context, db, linked, message)
    await db.execute(_IN_WORKSPACE, row.id, linked.workspace_id)
    names = {"sender": row.sender_hash.hex(), "workspace": str(linked.workspace_id)}
    key = f"{HANDLE_JOB}:{names['sender']}:{linked.workspace_id}"
    await jobs.enqueue(db, HANDLE_JOB, names, unique_key=key, workspace_id=linked.workspace_id)


async def _recognize(context: AppContext, db: Db, linked: LinkRow, message: Message) -> None:
    """Note when the person wrote, and by what else they can be recognized; whom a link knows both ways stays so."""
    sender, keys = message.sender, context.keys
    user = next(iter(queries.user_hashes(keys, sender)), None)
    phone = next(iter(queries.phone_hashes(keys, sender)), None)
    await db.execute(_KNOWN, linked.id, message.sent_at, user, phone)


class Part(NamedTuple):
    """A message, and the id that its file gets. `stored`: by an earlier try."""

    row: MessageRow
    message: Message
    media_id: UUID | None = None
    stored: bool = False


async def handle(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> RunAgain | None:
    """Handle the messages of a linked number that wait in its workspace; those of an album are one."""
    sender, workspace_id = bytes.fromhex(payload["sender"]), UUID(payload["workspace"])
    while True:
        async with lease.transaction() as db:
            parts = await _next_parts(context, db, sender, workspace_id)
            if not parts:
                return None
            if (seconds := _still_arriving(parts)) > 0:
                return RunAgain(seconds)
            parts = [await _with_file(db, part) for part in parts]
        failpoint("messenger.begun")
        unusable = await _fetch_all(context, parts)
        failpoint("messenger.fetched")
        async with lease.transaction() as db:
            if all([await queries.lock_message(db, part.row.id) for part in parts]):
                await _handle_one(context, db, parts, unusable)
        failpoint("messenger.handled")


async def _next_parts(context: AppContext, db: Db, sender: bytes, workspace_id: UUID) -> list[Part]:
    """Return the oldest message that waits, with those of its album."""
    rows = await queries.next_messages(db, sender, workspace_id, ALBUM_MAX)
    parts = [Part(row, _open(context, row)) for row in rows]
    album = parts[0].message.album if parts else None
    return parts[:1] if album is None else [part for part in parts if part.message.album == album]


def _still_arriving(parts: Sequence[Part]) -> float:
    """Return how long to wait for more of an album: its pictures are messages of their own, which come together."""
    first = parts[0].message
    if first.album is None or len(parts) >= (first.album_count or ALBUM_MAX):
        return 0.0
    newest = max(part.row.received_at for part in parts)
    return ALBUM_SECONDS - (clock.actual() - newest).total_seconds()


async def _with_file(db: Db, part: Part) -> Part:
    """Name the file of a message; an earlier try may have left a part under another id."""
    media_id = part.row.media_id
    stored = media_id is not None and await files.is_stored(db, media_id)
    if part.message.file is not None and not stored:
        media_id = ids.new_id()
        await db.execute(_NAME_FILE, part.row.id, media_id)
    return part._replace(media_id=media_id, stored=stored)


async def _fetch_all(context: AppContext, parts: Sequence[Part]) -> str | None:
    """Store the files of messages; return why the first one that cannot be used cannot."""
    for part in parts:
        if part.media_id is not None and not part.stored:
            unusable = await _fetch(context, part.message, part.media_id)
            if unusable is not None:
                return unusable
    return None


async def _fetch(context: AppContext, message: Message, media_id: UUID) -> str | None:
    """Store the file of a message; return why it cannot be used. Without a link or rights nothing is fetched."""
    assert message.file is not None  # noqa: S101 - it has an id for one
    async with context.database.connection() as db:
        linked = await queries.lock_of_sender(db, context.keys, message.sender)
        try:
            caller = None if linked is None else await _caller(context, db, linked)
        except Problem:
            return None  # said when it is handled
        if linked is None or caller is None or "media:write" not in caller.scopes:
            return None
    try:
        await files.fetch(context, caller, linked, message.sender, message.file, media_id)
    except Unusable as unusable:
        return str(unusable)
    except PlanLimitReached as problem:
        return texts.refusal(problem)
    return None


async def _caller(context: AppContext, db: Db, linked: LinkRow) -> Caller | None:
    """Return the user of a link with their rights of this moment; None: they are not a member any more.

    Raises:
        Forbidden: the membership is suspended.
        PlanFeatureUnavailable: the plan has no messenger any more.
        KeyRevoked, TokenExpired: the credential that linked it does not work any more, or was never noted.
    """
    if linked.key_id is None and linked.session_id is None:
        raise KeyRevoked("It is not known who linked this number.")
    name = f"messaging:{linked.id.hex}"
    caller = await caller_by_grant(context.settings, db, linked, name, limits.API_KEYS.of)
    if caller is not None:
        plans.require_feature(caller, limits.MESSENGER_LINK)
    return caller


async def _handle_one(context: AppContext, db: Db, parts: Sequence[Part], unusable: str | None) -> None:
    """Do what a message asks for, write the reply, and forget its text: all of it or nothing."""
    await db.executemany(_HANDLED, [(part.row.id,) for part in parts])
    text = next((part.message.text for part in parts if part.message.text), "")
    message = msgspec.structs.replace(parts[0].message, text=text)
    media_ids = [part.media_id for part in parts if part.media_id is not None]
    linked = await queries.lock_of_sender(db, context.keys, message.sender)
    if linked is None or linked.workspace_id != parts[0].row.workspace_id:  # unlinked, or linked elsewhere, meanwhile
        return
    answer, ended = await _answer(context, db, linked, message, media_ids, unusable)
    if answer is not None:
        answer = msgspec.structs.replace(answer, reply_to=message.reply_to)
        await reply.to_link(context, db, linked, answer, ended=ended)


async def _answer(
    context: AppContext, db: Db, linked: LinkRow, message: Message, media_ids: list[UUID], unusable: str | None
) -> tuple[Reply | None, bool]:
    """Return the reply, and whether the link has ended."""
    try:
        caller = await _caller(context, db, linked)
    except (KeyRevoked, TokenExpired):
        await link.end(db, linked)
        return Reply(texts.ENDED), True
    except Problem as problem:
        return Reply(texts.refusal(problem)), False
    if caller is None:
        await link.end(db, linked)
        return Reply(texts.NO_MEMBER), True
    if unusable is not None:
        return Reply(unusable), False
    profile = await converse.visible_profile(db, caller, linked.profile_id)
    talk = Conversation(context, db, caller, linked, message, profile, media_ids)
    answer = await converse.respond(talk)
    if not talk.ended:
        await db.execute(_STATE, linked.id, talk.link.post_ids, talk.link.awaits_time, talk.link.profile_id)
    return answer, talk.ended


async def give_up(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> None:
    """Say of the oldest message that it could not be handled, and go on with the others."""
    sender, workspace_id = bytes.fromhex(payload["sender"]), UUID(payload["workspace"])
    async with lease.transaction() as db:
        parts = await _next_parts(context, db, sender, workspace_id)
        if not parts:
            return
        message = parts[0].message
        linked = await queries.lock_of_sender(db, context.keys, message.sender)
        if linked is not None:
            text = texts.FAILED if message.file is None else texts.NO_FILE
            await reply.to_link(context, db, linked, Reply(text, reply_to=message.reply_to))
        await db.executemany(_HANDLED, [(part.row.id,) for part in parts])
        await jobs.enqueue(db, HANDLE_JOB, dict(payload), workspace_id=workspace_id)


def _open(context: AppContext, row: MessageRow) -> Message:
    plain = context.keys.open(row.body, context=queries.sealed_as(row.id))
    return msgspec.json.decode(plain, type=Message)
