"""A stream as the bytes of server-sent events (WHATWG HTML, section 9.2)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.problems import Problem
from signalpost.stream import queries
from signalpost.stream.hub import LONGEST, OVERLAP, Hub, Listener
from signalpost.stream.queries import Change
from signalpost.stream.schemas import MissedChanges, StreamedChange
from signalpost.web.caller import Caller

RECHECK_SECONDS: Final = 5.0
"""How long a stream may outlive its session, key or role."""
HEARTBEAT_SECONDS: Final = 15.0
LIFE_SECONDS: Final = 3_600.0
REPEATED: Final = timedelta(hours=1)
"""How long a client may have been away and still get what it missed."""
MISSED_MAX: Final = 1_000
"""Changes that are repeated to a client that comes back; if it missed more, it has to read again."""
_RETRY: Final = b"retry: 2000\n\n"
_READY: Final = b"event: ready\ndata: {}\n\n"
_RESET: Final = b"event: reset\ndata: {}\n\n"
_HEARTBEAT: Final = b": alive\n\n"
_encode = msgspec.json.Encoder().encode


async def stream(
    context: AppContext,
    caller: Caller,
    listener: Listener,
    last_id: str | None,
    recheck: Callable[[], Awaitable[Caller]],
    receive: Callable[[], Awaitable[Any]],
) -> AsyncIterator[bytes]:
    """Yield what the client missed, then what changes; it ends with the right to listen.

    `listener`: has joined, and leaves at the end. `receive`: tells when the client is gone.
    """
    hub = context.state(Hub)
    listener.begins_until = None
    leaving = asyncio.get_running_loop().create_task(_until_gone(receive, listener))
    try:
        missed = await _missed(context, caller, last_id)
        hub.begin(listener, missed.reported, missed.horizon)
        first = [None] if missed.visible is None else missed.visible
        yield _RETRY + b"".join(map(_event, first)) + _READY
        until = clock.monotonic() + LIFE_SECONDS
        checked_at = sent_at = clock.monotonic()
        while not listener.ended and clock.monotonic() < until:
            try:
                async with asyncio.timeout(RECHECK_SECONDS):
                    await listener.wake.wait()
            except TimeoutError:
                pass  # nothing changed: the caller is checked all the same
            listener.wake.clear()
            if clock.monotonic() - checked_at >= RECHECK_SECONDS:
                checked_at = clock.monotonic()
                try:
                    caller = await recheck()
                except Problem as problem:
                    if problem.status < 500 and problem.status != 429:
                        yield _end(problem)
                        return
            changes, listener.waiting = listener.waiting, []
            text = b"".join(_event(change) for change in changes if change is None or _may_see(caller, change))
            if not text and clock.monotonic() - sent_at >= HEARTBEAT_SECONDS:
                text = _HEARTBEAT
            if text:
                sent_at = clock.monotonic()
                yield text
    finally:
        leaving.cancel()
        hub.leave(listener)


async def _until_gone(receive: Callable[[], Awaitable[Any]], listener: Listener) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.end()


class _Missed(NamedTuple):
    """What a client gets first, of which entries that is, and when all could be seen that was written before.

    `visible` None: it is not known, or too much.
    """

    visible: list[Change] | None
    reported: frozenset[UUID]
    horizon: datetime


async def missed_changes(context: AppContext, caller: Caller, last_id: str | None) -> MissedChanges:
    """Return what happened after the last event of the client, at once."""
    visible = (await _missed(context, caller, last_id)).visible
    return MissedChanges(data=[_streamed(change) for change in visible or ()], reset=visible is None)


async def _missed(context: AppContext, caller: Caller, last_id: str | None) -> _Missed:
    """Return what happened after the last event of the client.

    For a new client that is what happened in the last moments: it may have read just before that. Some of it may be
    what it has: an entry that was under way when it heard the last event is older than that.
    """
    now = clock.actual()
    last = None if last_id is None else ids.decode("aud", last_id)
    async with context.database.connection() as db:
        horizon = max(await queries.horizon(db), now - LONGEST)
        if last_id is not None and (last is None or last < ids.first_at(now - REPEATED)):
            return _Missed(None, frozenset(), horizon)
        after = horizon - OVERLAP if last is None else ids.made_at(last) - LONGEST
        changes = await queries.since(db, caller.workspace_id, ids.first_at(after), MISSED_MAX + 1)
    if len(changes) > MISSED_MAX:
        return _Missed(None, frozenset(), horizon)
    visible = [change for change in changes if change.id != last and _may_see(caller, change)]
    return _Missed(visible, frozenset(change.id for change in changes), horizon)


def _may_see(caller: Caller, change: Change) -> bool:
    """Whether the caller could read what changed: a post as any post, the rest as the history of the workspace."""
    if change.post_id is None:
        sees_workspace = caller.role in ("owner", "admin") and caller.profile_ids is None and caller.mode == "live"
        return sees_workspace and "team:read" in caller.scopes
    if caller.mode == "test" and change.mode != "test":
        return False
    return caller.profile_ids is None or change.profile_id in caller.profile_ids


def _end(problem: Problem) -> bytes:
    return b"event: end\ndata: " + _encode({"code": problem.code}) + b"\n\n"


def _event(change: Change | None) -> bytes:
    if change is None:
        return _RESET
    data = _streamed(change)
    return b"id: " + data.id.encode() + b"\nevent: change\ndata: " + _encode(data) + b"\n\n"


def _streamed(change: Change) -> StreamedChange:
    return StreamedChange(
        id=ids.encode("aud", change.id),
        type=change.type,
        subject=change.subject if change.post_id is None else ids.encode("pst", change.post_id),
        target_id=ids.encode_or_none("tgt", change.target_id),
    )
