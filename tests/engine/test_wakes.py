"""Workers are notified after the commit: no transaction that writes notifies, many commits share one notification."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from tests.helpers.engine import add

from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.wakes import Wakes, Woken

_WAKE_NOW = "select wake_lanes('work', array[$1::uuid], null, array['test'], array[now()])"
_ENDS = "the end of what is heard"


class Heard:
    """What a listener of the channel of lanes receives."""

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        self._connection = connection
        self._payloads: asyncio.Queue[str] = asyncio.Queue()

    async def start(self) -> None:
        await self._connection.add_listener("lane", lambda *said: self._payloads.put_nowait(said[3]))

    async def until_now(self) -> list[str]:
        """Return everything since the last call. Notifications come in the order of their commits."""
        await self._connection.execute(f"notify lane, '{_ENDS}'")
        heard = []
        while (payload := await self._payloads.get()) != _ENDS:
            heard.append(payload)
        return heard


@asynccontextmanager
async def listening(store: Database) -> AsyncIterator[Heard]:
    connection = await asyncpg.connect(store.dsn)
    try:
        heard = Heard(connection)
        await heard.start()
        yield heard
    finally:
        await connection.close()


async def test_no_transaction_that_writes_notifies(store: Database) -> None:
    """A connection that tells nobody of its notices shows what the transaction itself sends: nothing."""
    writer = await asyncpg.connect(store.dsn)
    try:
        async with listening(store) as heard:
            await writer.execute(_WAKE_NOW, ids.new_id())
            assert await heard.until_now() == []
    finally:
        await writer.close()


async def test_no_function_of_the_database_notifies(dsn: str) -> None:
    """Every function can be reached from a transaction that writes."""
    connection = await asyncpg.connect(dsn)
    try:
        notifying = await connection.fetch(
            "select proname from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~* 'notify'"
        )
    finally:
        await connection.close()
    assert [row[0] for row in notifying] == []


async def test_workers_are_notified_once_it_is_committed(store: Database) -> None:
    async with listening(store) as heard:
        async with store.transaction() as db:
            await db.execute(_WAKE_NOW, ids.new_id())
            await store.wakes.flush()
            assert await heard.until_now() == []
        await store.wakes.flush()
        assert await heard.until_now() == ["work"]


async def test_nobody_is_notified_of_what_is_due_later(store: Database) -> None:
    async with listening(store) as heard:
        await add(store, [ids.new_id()], in_seconds=60)
        await store.wakes.flush()
        assert await heard.until_now() == []


async def test_a_process_tells_of_all_at_hand_in_one_message() -> None:
    sent: list[Woken] = []
    under_way, may_end = asyncio.Event(), asyncio.Event()

    async def send(woken: Woken) -> None:
        sent.append(woken)
        under_way.set()
        await may_end.wait()

    wakes = Wakes(send)
    wakes.add({"target": {1}})
    await under_way.wait()
    for number in range(50):
        wakes.add({"target": {number}})
        wakes.add({"job": {number}})
    may_end.set()
    await wakes.flush()

    assert sent == [{"target": {1}}, {"target": set(range(50)), "job": set(range(50))}]


async def test_who_cannot_tell_goes_on() -> None:
    sent: list[Woken] = []

    async def send(woken: Woken) -> None:
        sent.append(woken)
        if len(sent) == 1:
            raise ConnectionResetError

    wakes = Wakes(send)
    wakes.add({"target": {1}})
    await wakes.flush()
    wakes.add({"job": {2}})
    await wakes.flush()

    assert sent == [{"target": {1}}, {"job": {2}}]
