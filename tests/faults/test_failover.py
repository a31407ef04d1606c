"""The database fails over to its standby, or falls silent: nothing acknowledged is lost, nothing is doubled.

The address names both servers and asks for the one that takes writes, so that the service finds the new primary itself.
"""

import asyncio
import signal
from datetime import timedelta
from pathlib import Path

from tests.faults.hostile import HostileNetwork
from tests.faults.load import load
from tests.faults.own_postgres import OwnPostgres, own_postgres, standby_of
from tests.faults.scene import open_scene, sizes
from tests.faults.tcp_proxy import TcpProxy
from tests.figures.record import Record, holds

from signalpost.kit import clock
from signalpost.settings import Settings

LATER = 20
_LATER = "text like 'later %'"


def both(*servers: OwnPostgres) -> str:
    """The address of whichever of these takes writes."""
    folders = ",".join(str(server.folder) for server in servers)
    return f"postgresql://postgres@/postgres?host={folders}&target_session_attrs=read-write"


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
                await scene.until(lambda: len(network.made()) > made, "publishing on the new primary", 40)
            await running.check(record, network, healthy, failovers_to_a_synchronous_standby=1)
            assert await standby.value("(timeline, is_synchronous) = (2, false) from engine_timeline")
            assert await standby.value("count(*) from target where steps::text like '%restored%'") == 0


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
            at = clock.wire(clock.now() + timedelta(seconds=6))
            for number, account in enumerate(running.accounts * 2):
                await running.tenant.post(account, text=f"later {number}", scheduledAt=at)
            await scene.until(lambda: standby.value(f"count(*) = {LATER} from post where {_LATER}"), "a standby")
            await standby.lag()
            await scene.until(lambda: len(network.public("later")) == LATER, "posts that the standby thinks wait")
            await primary.stop(signal.SIGQUIT)
            thinks_wait = await standby.value(f"count(*) from post where {_LATER} and status = 'scheduled'")
            await standby.execute("select pg_promote()")
            writable = clock.monotonic()
            healthy = await running.accepted(writable)
            made = len(network.made())
            await scene.until(lambda: len(network.made()) > made, "publishing on the new primary", 40)
        await running.check(record, network, healthy, may_lack=True, failovers_to_an_asynchronous_standby=1)
        assert thinks_wait > LATER / 2
        looked_up = await standby.value("count(*) from target where steps::text like '%restored%'")
        assert looked_up >= thinks_wait


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
