"""A service process and the networks: a person connects an account in a browser, a post goes out and is public there.

The networks are those of the simulator; its ledger says what became public.
"""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.helpers.everywhere import KEYS, World, everywhere
from tests.helpers.scenes import SCENES

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with everywhere() as opened:
        yield opened


async def test_accounts_of_all_networks_are_connected_and_each_post_becomes_public_once(world: World) -> None:
    posts = {key: await world.post(key, f"From the whole service to {key}") for key in KEYS}

    async def arrived() -> bool:
        return all(map(world.received, KEYS))

    await world.service.until(arrived, "post at every network")
    world.simulator.world.clock.advance(60)  # what networks need for videos
    published = dict(zip(KEYS, await asyncio.gather(*map(world.api.ends, posts.values())), strict=True))

    for key, post in published.items():
        (target,) = post["targets"]
        (entry,) = [entry for entry in world.simulator.world.ledger.of(key) if entry.kind == SCENES[key].kind]
        assert entry.text == f"From the whole service to {key}"
        assert (target["platform"], target["status"]) == (key, "published")
        assert target["platformPostId"].endswith(entry.remote_id), (key, target)
