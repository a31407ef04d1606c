"""Ghost itself, with workers that are killed, requests and answers that are lost, and Ghost killed too."""

import asyncio
import random
from collections import Counter

import pytest
from tests.counterparts import real_ghost
from tests.faults import sabotage
from tests.faults.lossy_proxy import LossyProxy
from tests.faults.processes import Process
from tests.faults.scene import Scene
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.sign_in_servers import context_with

from signalpost.main import app

SEED = 20261129
SECONDS = 600.0
WRITES = "(POST|PUT) "
_ENDS = """
select p.title, t.status, t.error ->> 'code' as code from target t join post p on p.id = t.post_id
"""


@holds("R1")
@pytest.mark.heavy
@pytest.mark.timeout(1500)
async def test_nothing_is_lost_or_doubled_at_ghost_itself(scene: Scene, record: Record) -> None:
    """200 posts of one site, every fifth of them mailed. One request in twenty that writes is lost, and one answer."""
    posts, kills, kills_of_ghost = 200, 40, 4
    chance = random.Random(SEED)
    async with real_ghost() as ghost, LossyProxy(WRITES, share=0.1, seed=SEED, port=ghost.port) as proxy:
        operated = context_with(scene.context, GHOST_BASE_URL=proxy.url)
        async with Api(app.create(operated)) as api:
            scene.api = api
            tenant = await scene.tenant()
            await tenant.late_policy()
            fields = {"siteUrl": proxy.url, "adminApiKey": ghost.admin_key}
            site = await tenant.connect("ghost", **fields)
            for number in range(posts):
                mailed = {"options": {"ghost": {"newsletter": "default-newsletter"}}} if number % 5 == 0 else {}
                await tenant.post(site, text=f"Text {number}\n\n  with  spaces", title=f"Post {number}", **mailed)

            workers: list[Process] = []

            def start() -> None:
                workers.append(scene.start_worker(sabotage.short_claims, SIGNALPOST_GHOST_BASE_URL=proxy.url))

            for _ in range(2):
                start()
            for number in range(kills):
                await asyncio.sleep(chance.uniform(0.5, 4.0))
                workers.pop(chance.randrange(2)).kill()
                start()
                if number % (kills // kills_of_ghost) == 5:
                    await ghost.kill()
                    await ghost.start()

            async def ended() -> bool:
                await scene.skip_wait()  # a site that could not be reached is tried again after minutes
                await asyncio.sleep(1)
                return bool(await scene.value("not exists (select from target where next_attempt_at is not null)"))

            await scene.until(ended, "end of all targets", SECONDS)

            found = await ghost.posts()
            made = Counter(post["title"] for post in found if post["status"] == "published")
            doubled = {title: count for title, count in made.items() if count > 1}
            rows = {row["title"]: (row["status"], row["code"]) for row in await scene.query(_ENDS)}
            record(
                "R1", tried={"posts": posts, "kills": kills},
                measured={"doubles": len(doubled), "missing": posts - len(made)}, seed=SEED,
            )  # fmt: skip
            assert Counter(rows.values()) == {("published", None): posts}
            assert (doubled, made.keys()) == ({}, rows.keys())
            assert [post["slug"] for post in found if post["slug"].startswith("signalpost-")] == []
            assert len(found) == posts
            mailed_ones = {post["title"] for post in found if post["email"]}
            assert mailed_ones <= {f"Post {number}" for number in range(0, posts, 5)}
            assert proxy.lost_requests > 0
            assert proxy.lost_answers > 0
