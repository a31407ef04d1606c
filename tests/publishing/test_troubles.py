"""What goes wrong at a server or a limit is known to all processes, and costs nothing where nothing goes wrong."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Sequence
from uuid import uuid4

import pytest

from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.publishing import troubles
from signalpost.publishing.servers import Servers
from signalpost.publishing.troubles import ACCOUNTS_MIN, PROBE_SECONDS, WITHIN_SECONDS, Troubles


class Counted(Troubles):
    """Counts what it writes."""

    written = 0

    async def _write(self, *arguments: object) -> object:  # type: ignore[override]
        self.written += 1
        return await super()._write(*arguments)  # type: ignore[arg-type]


@pytest.fixture
def name() -> str:
    return f"stage:{secrets.token_hex(8)}.test"


def processes(context: AppContext, count: int) -> list[Counted]:
    return [Counted(context.database) for _ in range(count)]


async def look(context: AppContext, *several: Troubles) -> None:
    """Have these processes read what others noted, as a claim does."""
    async with context.database.reserve.connection() as db:
        for process in several:
            process.learn(await db.fetchval(troubles.ALL))


async def pass_time(context: AppContext, name: str, seconds: float) -> None:
    """Have so much time pass since all that was noted of a server or limit."""
    async with context.database.reserve.connection() as db:
        await db.execute(
            "update network_trouble set noted_at = noted_at - make_interval(secs => $2),"
            " probe_at = probe_at - make_interval(secs => $2), accounts = ("
            "select jsonb_object_agg(key, value::float8 - $2) from jsonb_each(accounts)) where name = $1",
            name, seconds,
        )  # fmt: skip


async def break_server(name: str, several: Sequence[Servers]) -> None:
    for number in range(ACCOUNTS_MIN):
        await several[number % len(several)].failed(name, uuid4())


async def probing(context: AppContext, name: str, several: Sequence[Servers]) -> list[Servers]:
    """Return which processes ask the server in the claims that they make now."""
    asking = []
    for process in several:
        async with context.database.reserve.transaction() as db:
            probes = await process.begin_probes(db, [name, None, name])
            waits = [process.admit(name, Counter(), probes) for _ in range(2)]
        assert waits[1] > 0, "one at a time"
        if waits[0] == 0:
            asking.append(process)
    return asking


@pytest.mark.parametrize("count", [1, 2, 10])
async def test_a_server_is_broken_for_all_processes_and_one_asks_whether_it_works(
    context: AppContext, name: str, count: int
) -> None:
    mirrors = processes(context, count)
    several = [Servers(process) for process in mirrors]
    await break_server(name, several)
    await look(context, *mirrors)
    assert all(process.is_broken(name) for process in several)
    waits = [process.admit(name, Counter(), set()) for process in several]
    assert min(waits) > PROBE_SECONDS[0] - 5
    assert max(waits) <= 1.2 * PROBE_SECONDS[0]
    assert await probing(context, name, several) == []

    seconds = PROBE_SECONDS[0]
    for longer in (10, 20, 40, 60, 60):
        await pass_time(context, f"server {name}", seconds)
        await look(context, *mirrors)
        (asking,) = await probing(context, name, several)
        await look(context, *mirrors)
        assert await probing(context, name, several) == [], "it is asked already"
        for process in several:  # the others had begun earlier
            await process.failed(name, uuid4())
        await look(context, *mirrors)
        assert longer - 5 < mirrors[0].seconds_left(f"server {name}") <= longer
        seconds = longer
    await asking.answered(name)
    await look(context, *mirrors)
    assert not any(process.is_broken(name) for process in several)
    assert all(process.admit(name, Counter(), set()) == 0 for process in several)


async def test_three_accounts_within_a_minute_while_none_succeeds(context: AppContext, name: str) -> None:
    mirrors = processes(context, 2)
    one, two = [Servers(process) for process in mirrors]
    account = uuid4()
    for _ in range(5):
        await one.failed(name, account)
    await two.failed(name, uuid4())
    await pass_time(context, f"server {name}", WITHIN_SECONDS)
    await two.failed(name, uuid4())
    await one.failed(name, uuid4())
    assert not one.is_broken(name)
    await look(context, *mirrors)
    await two.answered(name)
    await one.failed(name, uuid4())
    await look(context, *mirrors)
    assert not one.is_broken(name)
    assert not two.is_broken(name)


async def test_a_limit_that_accounts_of_several_processes_meet_is_that_of_all(context: AppContext, name: str) -> None:
    one, two, three = mirrors = processes(context, 3)
    first, second, third = uuid4(), uuid4(), uuid4()
    assert not any([await one.met(name, account) for account in (first, first, first, second)])
    assert not await three.met("another", third)
    assert await two.met(name, third)
    await pass_time(context, name, WITHIN_SECONDS)
    assert not await two.met(name, third)

    await look(context, *mirrors)
    await three.works(name)
    for _ in range(3):
        assert not any([await two.met(name, account) for account in (first, second)])
        await look(context, *mirrors)
        await one.works(name)
    assert await one.met(name, first) is False
    await one.works("another")


async def test_what_works_costs_no_statement(context: AppContext, name: str) -> None:
    """And of a broken server only who asks it writes."""
    one, two = mirrors = processes(context, 2)
    for _ in range(5):
        await one.works(f"server {name}")
        await Servers(one).answered(name)
    assert one.written == 0
    await break_server(name, [Servers(two)])
    await look(context, *mirrors)
    await Servers(one).failed(name, uuid4())
    assert (one.written, two.written) == (0, ACCOUNTS_MIN)


async def test_others_are_read_once_a_second(context: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(clock, "monotonic", lambda: now)
    (process,) = processes(context, 1)
    assert process.is_outdated
    process.learn(None)
    now += troubles.LOOK_SECONDS / 2
    assert not process.is_outdated
    now += troubles.LOOK_SECONDS / 2
    assert process.is_outdated


async def test_a_process_that_froze_in_its_claim_holds_nobody_up(
    context: AppContext, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was about to ask the server: until its transaction is ended, nobody does, and nobody waits for it."""
    monkeypatch.setattr(troubles, "WRITE_SECONDS", 60.0)
    mirrors = processes(context, 3)
    frozen, other, late = [Servers(process) for process in mirrors]
    await break_server(name, [frozen])
    await look(context, mirrors[1])
    await pass_time(context, f"server {name}", PROBE_SECONDS[0])
    await look(context, *mirrors[:2])
    async with context.database.reserve.transaction() as db:
        assert await frozen.begin_probes(db, [name]) == {name}
        async with asyncio.timeout(4):
            assert await probing(context, name, [other]) == []
            await other.answered(name)
            await late.failed(name, uuid4())


async def test_what_nobody_noted_for_an_hour_is_forgotten(context: AppContext, name: str) -> None:
    mirrors = processes(context, 2)
    await break_server(name, [Servers(mirrors[0])])
    await pass_time(context, f"server {name}", 3_601)
    await mirrors[1].failed("server another", uuid4())
    await look(context, *mirrors)
    assert not Servers(mirrors[0]).is_broken(name)
