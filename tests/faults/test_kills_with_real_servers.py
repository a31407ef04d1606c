"""Workers that publish at Synapse and at relays of Nostr are killed, and answers are lost: every post is there once."""

from collections import Counter
from functools import partial

import pytest
from tests.faults.real_servers import SERVERS
from tests.faults.scene import Scene, sizes
from tests.faults.test_kills import kill_workers, start_worker

_STATES = "select p.text, t.status, t.error ->> 'code' as code from target t join post p on p.id = t.post_id"


@sizes("size", quick=(4, 16), heavy=(60, 200))
@pytest.mark.parametrize("key", SERVERS)
@pytest.mark.xdist_group("real-servers")
async def test_kills_at_random_points(scene: Scene, key: str, size: tuple[int, int]) -> None:
    """`size`: kills, posts. One answer in twenty is lost, of whatever call."""
    kills, posts = size
    opened, accounts = SERVERS[key]
    async with opened(0.05) as server:
        scene.put_network(server.key, server.url)
        tenant = await scene.tenant()
        await tenant.late_policy()
        with server.proxy.faithful():
            names = [await server.connect(tenant, number) for number in range(accounts)]
        for number in range(posts):
            await tenant.post(names[number % accounts], text=f"post {number}")
        workers = [start_worker(scene, kills) for _ in range(2)]
        await kill_workers(workers, kills, (0.2, 1.0), partial(start_worker, scene, kills))
        await scene.all_done()

        public = Counter(await server.texts())
        ends = Counter((row["status"], row["code"]) for row in await scene.query(_STATES))
        assert server.proxy.lost > 0
        assert ends == {("published", None): posts}
        assert public == {f"post {number}": 1 for number in range(posts)}
