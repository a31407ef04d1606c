"""The service is restarted under load, one process after the other, as an update does it: no caller notices."""

import asyncio
import random
from collections import Counter

from tests.faults.hostile import HostileNetwork, slow
from tests.faults.processes import Process
from tests.faults.rolling import balancer, steady_load
from tests.faults.scene import Scene, sizes
from tests.figures.record import Record, holds

SEED = 20261123
REQUESTS_PER_RESTART = 50


async def _restart_all(
    scene: Scene, processes: list[Process], times: int, codes: Counter[object], chance: random.Random
) -> int:
    """End one process after the other in an orderly way; each time a new one takes its port and its place.

    Goes on past that many times until there were enough answers for them; returns how often it was.
    """
    number = 0
    while number < times or codes.total() < times * REQUESTS_PER_RESTART:
        await asyncio.sleep(chance.uniform(0.1, 0.6))
        index = number % len(processes)
        old = processes[index]
        assert await old.stop() == 0
        processes[index] = await scene.serve(with_worker=True, port=old.port)
        number += 1
    return number


@holds("O2")
@sizes("times", quick=2, heavy=20)
async def test_a_rolling_restart_fails_no_request(
    scene: Scene, network: HostileNetwork, record: Record, times: int
) -> None:
    """Two processes behind nginx, fifty requests a second; half of them create posts, for a slow network."""
    network.on("", slow(0.2))
    tenant = await scene.tenant()
    await tenant.late_policy()
    accounts = [await tenant.mastodon(network, f"a{number}") for number in range(10)]
    processes = [await scene.serve(with_worker=True) for _ in range(2)]
    ports = [process.port for process in processes if process.port]
    async with balancer(ports) as port, scene.client_at(port, tenant) as client:
        await scene.until(lambda: scene.answers(client), "an answer through nginx")
        codes: Counter[object] = Counter()
        load = asyncio.create_task(steady_load(client, tenant, accounts, codes))
        try:
            restarts = await _restart_all(scene, processes, times, codes, random.Random(SEED))
        finally:
            load.cancel()
        texts = await load
    await scene.all_done()
    left = await scene.value("count(*) from target where status = 'publishing'")
    failed = codes.total() - codes[200] - codes[201]
    tried = {"restarts": restarts, "requests": codes.total()}
    record("O2", tried=tried, measured={"requests failed": failed, "targets left publishing": left}, seed=SEED)
    assert failed == 0, codes
    assert left == 0
    assert sorted(network.public()) == sorted(texts)
    assert network.doubles() == {}
