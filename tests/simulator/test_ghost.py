"""Ghost in the simulator: Ghost's own client works unmodified, and what Ghost refuses is refused."""

import asyncio
import json
from pathlib import Path

from simulator import Simulator
from simulator.networks.ghost import Ghost
from tests.counterparts import tools

from signalpost.conformance.harness import PNG


async def test_the_client_publishes_mails_once_and_is_refused(simulator: Simulator, tmp_path: Path) -> None:
    network = simulator.world.networks["ghost"]
    assert isinstance(network, Ghost)
    key = network.add_key(simulator.world.add_person("ghost", "baker"))
    (tmp_path / "dot.png").write_bytes(PNG)

    program = await asyncio.create_subprocess_exec(
        tools.node(), tools.node_script("ghost"), simulator.url("ghost"), key, str(tmp_path / "dot.png"),
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    output, _ = await program.communicate()
    said = json.loads(output)

    (entry,) = simulator.world.ledger.of("ghost")
    assert (said["title"], said["image"]["ref"]) == ("Corner Bakery", "dot")
    assert (said["read"], said["id"]) == ([entry.remote_id, "draft"], entry.remote_id)
    assert said["published"] == ["published", "rye", "https://bakery.example/rye/"]
    assert (said["again"], said["other"], said["listed"]) == ("published", "rye-2", 2)
    assert said["refused"] == {
        "unknown": {"name": "BadRequestError", "code": None, "property": None},
        "old": {"name": "UpdateCollisionError", "code": "UPDATE_COLLISION", "property": None},
        "long": {"name": "ValidationError", "code": None, "property": "title"},
        "gone": {"name": "NotFoundError", "code": None, "property": None},
        "wrong": {"name": "UnauthorizedError", "code": "INVALID_JWT", "property": None},
    }
    assert network.mails == [(entry.remote_id, "weekly", "status:free")]
    assert (entry.text, entry.details["tags"], len(entry.media)) == ("Fresh & warm", ["Bread"], 1)
