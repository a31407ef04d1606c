"""DEV in the simulator; what its documented errors mean stands with its fake in `tests/helpers/networks`."""

from collections.abc import Mapping
from typing import Any

from tests.helpers.scenes.scene import Scene


def fields(network: Any) -> Mapping[str, str]:
    """Return the credential form of a person's API key."""
    return {"apiKey": network.add_key(network.world.person(network.key, "alice"))}


SCENE = Scene(
    create_call="POST /api/articles", errors=(), converts=(), fields=fields, title="A title", revokes=False,
    refuses_duplicates=True,
)  # fmt: skip
