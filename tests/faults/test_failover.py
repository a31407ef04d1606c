"""The database fails over to its standby, is put back, or falls silent: nothing acknowledged is lost or doubled.

The address names both servers and asks for the one that takes writes, so that the service finds the new primary itself.
"""

import asyncio
import itertools
import signal
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from tests.faults import sabotage
from tests.faults.hostile import HostileNetwork
from tests.faults.load import load
from tests.faults.own_postgres import SECONDS_MAX, OwnPostgres, folder_of_server, own_postgres, standby_of
from tests.faults.scene import Scene, open_scene, sizes
from tests.faults.tcp_proxy import TcpProxy
from tests.figures.record import Record, holds
from typing_extensions import override

from signalpost.kit import clock
from signalpost.settings import Settings

LATER = 20
_LATER = "text like 'later %'"


def both(*servers: OwnPostgres) -> str:
    """The address of whichever of these takes writes."""
    folders = ",".join(str(server.folder) for server in servers)
    return f"postgresql://postgres@/postgres?host={folders}&target_session_attrs=read-write"


@pytest.mark.alone
@holds("R10")
async def test_a_failover_to_a_synchronous_standby_loses_and_doubles_nothing(
    settings: Settings, server_files: Path, network: HostileNetwork, tmp_path: Path, record: Record
) -> None:
    """The primary is gone under load, and the standby promoted; nobody tells the service."""
    async with own_postgres(server_files) as primary, standby_of(primary) as standby:
        await primary.execute("alter system set synchronous_standby_names = '*'", "select pg_reload_conf()")
        async with open_scene(settings, both(primary, standby), tmp_path) as scene:
            async with load(scene, network) as running:
                await running.accepted(clock.monotonic() + 1)
                await primary.stop(signal.SIGQUIT)
                await standby.execute("select pg_promote()")
                writable = clock.monotonic()
                healthy = await running.accepted(writable)
                made = len(network.made())
                await scene.until(lambda: len(network.made()) > made, "publishing on the new primary")
            await running.check(record, network, healthy, failovers_to_a_synchronous_standby=1)
            assert await standby.value("(timeline, is_synchronous) = (2, false) from engine_timeline")
            assert await standby.value("count(*) from target where steps::text like '%restored%'") == 0


@pytest.mark.alone
@holds("R10")
async def test_a_failover_to_an_asynchronous_standby_doubles_nothing(
    settings: Settings, server_files: Path, network: HostileNetwork, tmp_path: Path, record: Record
) -> None:
    """The standby lacks what was published last, intents included. The network knows no keys: it has to be asked."""
    network.knows_keys = False
    async with (
        own_postgres(server_files) as primary,
        standby_of(primary) as standby,
        open_scene(settings, both(primary, standby), tmp_path) as scene,
    ):
        async with load(scene, network) as running:
            await running.accepted(clock.monotonic() + 1)
            at = clock.wire(clock.now() + timedelta(hours=1))
            for number, account in enumerate(running.accounts * 2):
                await running.tenant.post(account, text=f"later {number}", scheduledAt=at)
            await _make_due(scene)  # in some seconds, however long it took to write them all
            has_all = f"count(*) = {LATER} from post where {_LATER} and scheduled_at < now() + interval '1 minute'"
            await scene.until(lambda: standby.value(has_all), "a standby")
            await standby.lag()
            await scene.until(lambda: len(network.public("later")) == LATER, "posts that the standby thinks wait")
            await primary.stop(signal.SIGQUIT)
            thinks_wait = await standby.value(f"count(*) from post where {_LATER} and status = 'scheduled'")
            await standby.execute("select pg_promote()")
            writable = clock.monotonic()
            healthy = await running.accepted(writable)
            made = len(network.made())
            await scene.until(lambda: len(network.made()) > made, "publishing on the new primary")
        await running.check(record, network, healthy, may_lack=True, failovers_to_an_asynchronous_standby=1)
        assert thinks_wait > LATER / 2
        looked_up = await standby.value("count(*) from target where steps::text like '%restored%'")
        assert looked_up >= thinks_wait


async def _make_due(scene: Scene) -> None:
    """Have the later posts be due in five seconds."""
    await scene.query(
        f"""with due as (update post set scheduled_at = now() + interval '5 s' where {_LATER} returning id),
        waiting as (update target set due_at = now() + interval '5 s', next_attempt_at = now() + interval '5 s'
            where post_id in (select id from due) returning account_id)
        update lane set next_due_at = least(next_due_at, now() + interval '5 s')
        where kind = 'target' and key in (select account_id from waiting)"""
    )


class Recovery(ABC):
    """A way in which a primary with a synchronous standby is replaced by a server that lacks the last commits."""

    name: str

    def __init__(self, primary: OwnPostgres, other: OwnPostgres) -> None:
        self.primary, self.other = primary, other

    @abstractmethod
    async def keep(self) -> None:
        """Keep what the primary has now: no more than that will be there."""

    @abstractmethod
    async def take_over(self) -> None:
        """Be the database; the primary is gone."""


class PointInTime(Recovery):
    name = "recoveries to a point in time"

    @override
    async def keep(self) -> None:
        await self.other.save(self.primary)
        self.target = await self.primary.value("pg_current_wal_lsn()::text")

    @override
    async def take_over(self) -> None:
        self.other.configure(synchronous_standby_names="")  # as whoever recovers has to
        self.other.recover_until(self.primary, self.target)
        await self.other.start()
        async with asyncio.timeout(SECONDS_MAX):
            while await self.other.value("pg_is_in_recovery()"):
                await asyncio.sleep(0.05)


class SecondStandby(Recovery):
    """Commits wait for the first one; the second, which follows later, is promoted."""

    name = "promotions of a lagging second standby"

    @override
    async def keep(self) -> None:
        await self.other.follow(self.primary)
        await self.other.execute("alter system reset synchronous_standby_names", "select pg_reload_conf()")
        await self.other.lag()

    @override
    async def take_over(self) -> None:
        await self.other.execute("select pg_promote()")


class Snapshot(Recovery):
    """The disk as it was: the same cluster, the same timeline, and a log that ends earlier."""

    name = "snapshots put back"

    @override
    async def keep(self) -> None:
        await self.other.save(self.primary)

    @override
    async def take_over(self) -> None:
        self.other.configure(synchronous_standby_names="")
        await self.other.start()


class Dump(Recovery):
    name = "dumps restored by hand"

    @override
    async def keep(self) -> None:
        await self.other.create()
        await self.other.execute(
            "create role signalpost_service nologin", "create role signalpost_engine nologin",
            "alter system set default_transaction_read_only = on", "select pg_reload_conf()",
        )  # fmt: skip
        file = str(self.other.folder / "dump")
        options = ["-h", str(self.primary.folder), "-U", "postgres", "-d", "postgres"]
        await self.other.run("pg_dump", *options, "-Fc", "-f", file)

    @override
    async def take_over(self) -> None:
        await self.other.execute("alter system reset default_transaction_read_only", "select pg_reload_conf()")
        file = str(self.other.folder / "dump")
        await self.other.run("pg_restore", "-h", str(self.other.folder), "-U", "postgres", "-d", "postgres", file)


@asynccontextmanager
async def synchronous_primary(files: Path) -> AsyncIterator[OwnPostgres]:
    """A server whose commits wait for a standby, which goes with it."""
    async with own_postgres(files) as primary, standby_of(primary) as standby:
        await standby.execute("alter system set cluster_name = 'near'")
        await standby.stop()
        await standby.start()
        await primary.execute("alter system set synchronous_standby_names = 'near'", "select pg_reload_conf()")
        yield primary


@holds("R10")
@pytest.mark.parametrize(
    ("way", "restarts"),
    [
        (PointInTime, True),
        *(
            pytest.param(way, restarts, marks=[pytest.mark.heavy, pytest.mark.timeout(300)])
            for way, restarts in itertools.product((PointInTime, SecondStandby, Snapshot, Dump), (False, True))
            if (way, restarts) != (PointInTime, True)
        ),
    ],
)
async def test_a_server_that_lacks_the_last_commits_doubles_nothing(
    settings: Settings, server_files: Path, network: HostileNetwork, tmp_path: Path, record: Record,
    way: type[Recovery], restarts: bool,
) -> None:  # fmt: skip
    """Commits waited for a standby, and this one did not have them. `restarts`: the workers were killed meanwhile."""
    network.knows_keys = False
    async with AsyncExitStack() as servers:
        primary = await servers.enter_async_context(synchronous_primary(server_files))
        other = await servers.enter_async_context(folder_of_server({}))
        recovery = way(primary, other)
        scene = await servers.enter_async_context(open_scene(settings, both(primary, other), tmp_path))
        tenant = await scene.tenant()
        await tenant.late_policy()
        accounts = [await tenant.mastodon(network, f"a{number}") for number in range(4)]
        workers = [await scene.worker(sabotage.short_waits) for _ in range(2)]
        for worker in workers:
            worker.freeze()  # until what is kept has the posts, which are due
        for number, account in enumerate(accounts * 2):
            await tenant.post(account, text=f"later {number}")
        await recovery.keep()
        assert network.public("later") == []
        for worker in workers:
            worker.thaw()
        await scene.until(lambda: len(network.public("later")) == 8, "posts that the other server lacks")
        if restarts:
            for worker in workers:
                worker.kill()
        await primary.stop(signal.SIGQUIT)
        await recovery.take_over()
        if restarts:
            scene.start_worker(sabotage.short_waits)
        await scene.all_done()
        looked_up = await other.value("count(*) from target where steps::text like '%restored%'")
        ended = await other.value("count(*) from target where status in ('published', 'failed')")
        record("R10", tried={way.name: 1}, measured={"doubles": len(network.doubles())})
        assert network.doubles() == {}
        assert (looked_up, ended) == (8, 8)


@pytest.mark.alone
@holds("R10")
@sizes("holes", quick=(1, 12.0), heavy=(3, 30.0))
async def test_black_holes_lose_and_double_nothing(
    settings: Settings, server_files: Path, network: HostileNetwork, tmp_path: Path, record: Record,
    holes: tuple[int, float],
) -> None:  # fmt: skip
    """`holes`: how many, and how many seconds. Packets to the database vanish: nothing is refused, nothing answers."""
    count, seconds = holes
    async with own_postgres(server_files) as server, TcpProxy(server.socket) as proxy:
        dsn = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres"
        async with open_scene(settings, dsn, tmp_path) as scene:
            async with load(scene, network) as running:
                slowest = 0.0
                for _ in range(count):
                    await running.accepted(clock.monotonic() + 0.5)
                    proxy.swallow()
                    await asyncio.sleep(seconds)
                    proxy.forward()
                    slowest = max(slowest, await running.accepted(clock.monotonic()))
            assert running.codes[503], running.codes
            await running.check(record, network, slowest, black_holes=count)
