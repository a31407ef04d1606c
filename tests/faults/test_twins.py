"""Equal requests under one Idempotency-Key race while servers are killed and answers are lost: one effect for each."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import httpx
from tests.faults.processes import Process
from tests.faults.scene import Scene, Tenant, sizes
from tests.figures.record import Record, holds

SEED = 20261123
TWINS = 50


class _Callers:
    """Callers that repeat a request until it is answered, at one of two servers of which one may be dead."""

    def __init__(self, clients: Sequence[httpx.AsyncClient]) -> None:
        self._clients = clients
        self.codes: Counter[int | str] = Counter()

    async def create(self, body: Any, key: str, chance: random.Random) -> str:
        """Return the id of the post, from an answer that has arrived."""
        first = chance.randrange(2)
        gives_up = chance.random() < 0.1  # and never learns what became of its first request
        for number in range(1_000):
            client = self._clients[(first + number) % 2]
            try:
                async with asyncio.timeout(chance.uniform(0.001, 0.1) if gives_up and number == 0 else 30):
                    answer = await client.post("/posts", json=body, headers={"Idempotency-Key": key})
            except (httpx.TransportError, TimeoutError):
                self.codes["no answer"] += 1
            else:
                self.codes[answer.status_code] += 1
                if answer.status_code == 201:
                    return str(answer.json()["id"])
                assert answer.status_code in (409, 503), answer.text
            await asyncio.sleep(0.1)
        raise AssertionError(f"no answer to {key}")


async def _kill_one(scene: Scene, servers: list[Process], number: int, seconds: float) -> None:
    """Kill one of the servers after a moment; another one takes its port."""
    await asyncio.sleep(seconds)
    old = servers[number % 2]
    old.kill()
    servers[number % 2] = await scene.serve(port=old.port)


@holds("R12")
@sizes("rounds", quick=2, heavy=50)
async def test_twins_have_one_effect_although_servers_die(scene: Scene, record: Record, rounds: int) -> None:
    """Each round fifty twins race, a tenth of them gives up waiting, and one of two servers is killed meanwhile."""
    chance = random.Random(SEED)
    tenant: Tenant = await scene.tenant()
    box = await tenant.sandbox()
    servers = [await scene.serve() for _ in range(2)]
    answered: dict[str, set[str]] = {}
    async with scene.client(servers[0], tenant) as one, scene.client(servers[1], tenant) as other:
        callers = _Callers((one, other))
        for number in range(rounds):
            body, key = tenant.body(box, text=f"twin {number}"), f"round-{number}"
            twins = [callers.create(body, key, random.Random(f"{SEED}-{number}-{twin}")) for twin in range(TWINS)]
            killing = _kill_one(scene, servers, number, chance.uniform(0.0, 0.15))
            _, *ids = await asyncio.gather(killing, *twins)
            answered[key] = set(ids)
    effects = Counter(row["text"] for row in await scene.query("select text from post"))
    twice = sum(count - 1 for count in effects.values()) + sum(len(found) - 1 for found in answered.values())
    measured = {"effects too many": twice, "keys without effect": rounds - len(effects)}
    record("R12", tried={"racing requests": TWINS * rounds, "kills": rounds}, measured=measured, seed=SEED)
    assert set(effects.values()) == {1}
    assert len(effects) == rounds
    assert [key for key, found in answered.items() if len(found) != 1] == []
    assert callers.codes["no answer"] > 0
