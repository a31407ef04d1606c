"""Ghost in the simulator: Ghost's own client works unmodified, and what Ghost refuses is refused."""

from pathlib import Path

from simulator import Simulator
from simulator.networks.ghost import Ghost
from tests.helpers.networks.ghost import CLIENT_IS_TOLD, run_client


async def test_the_client_publishes_mails_once_and_is_refused(simulator: Simulator, tmp_path: Path) -> None:
    network = simulator.world.networks["ghost"]
    assert isinstance(network, Ghost)
    key = network.add_key(simulator.world.add_person("ghost", "baker"))

    said = await run_client(simulator.url("ghost"), key, tmp_path)

    (entry,) = simulator.world.ledger.of("ghost")
    assert (said["title"], said["image"]["ref"]) == ("Corner Bakery", "dot")
    assert (said["read"], said["id"]) == ([entry.remote_id, "draft"], entry.remote_id)
    assert said["published"] == ["published", "rye", "https://bakery.example/rye/"]
    assert (said["again"], said["other"], said["listed"]) == ("published", "rye-2", 2)
    assert said["refused"] == CLIENT_IS_TOLD
    assert network.mails == [(entry.remote_id, "weekly", "status:free")]
    assert (entry.text, entry.details["tags"], len(entry.media)) == ("Fresh & warm", ["Bread"], 1)
