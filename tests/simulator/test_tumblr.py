"""Tumblr in the simulator: Tumblr's own client works unmodified, and what Tumblr refuses is refused."""

import asyncio
import hashlib
import json
from pathlib import Path

from simulator import Simulator
from simulator.networks.tumblr import Tumblr
from tests.counterparts import tools

from signalpost.conformance.harness import PNG


async def test_the_client_publishes_edits_lists_and_is_refused(simulator: Simulator, tmp_path: Path) -> None:
    network, world = simulator.world.networks["tumblr"], simulator.world
    assert isinstance(network, Tumblr)
    app = world.add_app("tumblr")
    token, secret = network.add_signer(app, world.add_person("tumblr", "alice"))
    (tmp_path / "dot.png").write_bytes(PNG)
    (tmp_path / "film.mp4").write_bytes(b"a film")

    program = await asyncio.create_subprocess_exec(
        tools.node(), tools.node_script("tumblr"), simulator.url("tumblr"), app.client_id, app.client_secret, token,
        secret, "alice", tmp_path / "dot.png", tmp_path / "film.mp4", stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, _ = await program.communicate()
    said = json.loads(output)

    plain, picture, film, draft = said["ids"]
    entries = {entry.remote_id: entry for entry in world.ledger.of("tumblr", deleted=True)}
    assert said["blogs"] == ["alice"]
    assert said["listed"] == [[picture, "text"], [plain, "text"]], "the film is still converted"
    assert said["drafts"] == [draft]
    assert said["refused"] == {
        "long": "API error: 400 Bad Request", "gone": "API error: 404 Not Found",
        "wrong": "API error: 401 Unauthorized",
    }  # fmt: skip
    assert entries[plain].text == "Fresh & cold"
    assert entries[picture].media == (hashlib.sha256(PNG).hexdigest(),)
    assert entries[picture].details["alt_texts"] == ["A dot"]
    assert entries[picture].deleted_at is not None
    assert [block["type"] for block in entries[film].details["content"]] == ["video"]
