"""Matrix in the simulator; what its documented errors mean stands with its fake in `tests/helpers/networks`."""

from collections.abc import Mapping
from typing import Any

from tests.helpers.scenes.scene import Scene


def fields(network: Any) -> Mapping[str, str]:
    """Return the credential form of a user in a room."""
    return dict(network.open_room(network.world.person(network.key, "alice")))


SCENE = Scene(
    create_call="PUT /_matrix/client/v3/rooms/{room}/send/{kind}/{txn}", errors=(), converts=(), fields=fields,
    replies="root", files_apart=True,
)  # fmt: skip
