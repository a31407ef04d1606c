"""The ways from a room to one above it."""

import dataclasses
from collections.abc import Sequence

import pytest

from signalpost import events
from signalpost.context import AppContext, Hooks
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.main import wiring


def test_every_hook_has_an_answer() -> None:
    """A hook without one would fail in the middle of a request."""
    unanswered = Hooks()
    answered = wiring.hooks()
    for hook in dataclasses.fields(Hooks):
        assert getattr(answered, hook.name) is not getattr(unanswered, hook.name), hook.name


async def test_a_hook_without_an_answer_says_where_hooks_are_connected(context: AppContext) -> None:
    async with context.database.connection() as db:
        with pytest.raises(LookupError, match=r"main\.wiring\.hooks"):
            await Hooks().profile_exists(db, ids.new_id(), ids.new_id())


async def test_subscribers_are_called_in_order_and_belong_to_one_context(context: AppContext) -> None:
    """Two contexts in one process, as in a test or a command-line tool, do not hear each other."""
    calls: list[str] = []

    async def first(_context: AppContext, _db: Db, _events: Sequence[events.AccountReady]) -> None:
        calls.append("first")

    async def second(_context: AppContext, _db: Db, _events: Sequence[events.AccountReady]) -> None:
        calls.append("second")

    own = AppContext(
        settings=context.settings, database=context.database, http=context.http, keys=context.keys, storage=None
    )
    own.subscribe(events.AccountReady, first)
    own.subscribe(events.AccountReady, second)
    other = AppContext(
        settings=context.settings, database=context.database, http=context.http, keys=context.keys, storage=None
    )
    event = events.AccountReady(workspace_id=ids.new_id(), at=clock.now(), account_id=ids.new_id(), platform="sandbox")
    async with context.database.connection() as db:
        await own.emit(db, event)
        await other.emit(db, event)

    assert calls == ["first", "second"]
