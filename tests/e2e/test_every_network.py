"""A service process and the networks: a person connects an account in a browser, a post goes out and is public there.

The networks are those of the simulator; its ledger says what became public.
"""

import asyncio
import hashlib
import io
from collections.abc import AsyncIterator

import httpx
import pytest
from PIL import Image, ImageColor
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


async def test_each_network_receives_its_own_part_of_a_picture(world: World) -> None:
    """One downloads it, to the other it is uploaded. The simulator has a checksum of it; it is decoded here."""
    halves, out = Image.new("RGB", (900, 600), "blue"), io.BytesIO()
    halves.paste("red", (0, 0, 450, 600))
    halves.save(out, "PNG")
    parts = {
        "instagram": ({"x": 0.5, "y": 0.25, "width": 0.5, "height": 0.75}, (450, 450), "blue"),
        "linkedin": ({"x": 0.0, "y": 0.0, "width": 0.25, "height": 1.0}, (225, 600), "red"),
    }
    uploaded = await world.api.post("/media/upload", files={"file": ("halves.png", out.getvalue())})
    media = [{"mediaId": uploaded["id"], "altText": "Halves", "crops": {key: part[0] for key, part in parts.items()}}]
    targets = [{"accountId": await world.connect(key)} for key in parts]
    body = {"profileId": world.api.profile, "text": "Parts of a picture", "targets": targets, "media": media}
    post = await world.api.post("/posts", json=body)

    async def arrived() -> bool:
        return all(map(world.received, parts))

    await world.service.until(arrived, "post at both networks")
    world.simulator.world.clock.advance(60)
    await world.api.ends(post)

    forms = {form["platform"]: form for form in (await world.api.get(f"/media/{uploaded['id']}"))["variants"]}
    async with httpx.AsyncClient() as client:
        for key, (_, size, colour) in parts.items():
            content = (await client.get(forms[key]["url"])).content
            (entry,) = world.simulator.world.ledger.of(key)
            assert entry.media == (hashlib.sha256(content).hexdigest(),), key
            with Image.open(io.BytesIO(content)) as image:
                assert image.size == size, key
                shown = image.convert("RGB").resize((1, 1)).getpixel((0, 0))
            assert isinstance(shown, tuple)
            assert max(abs(a - b) for a, b in zip(shown, ImageColor.getrgb(colour), strict=True)) < 8, (key, shown)
