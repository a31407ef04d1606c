"""WordPress in the simulator; what its documented errors mean stands with its fake in `tests/helpers/networks`."""

from collections.abc import Mapping
from typing import Any

from tests.helpers.scenes.scene import Scene


def fields(network: Any) -> Mapping[str, str]:
    """Return the credential form of an application password."""
    person = network.world.person(network.key, "alice")
    return {
        "siteUrl": network.url, "username": person.username, "applicationPassword": network.add_password(person),
    }  # fmt: skip


SCENE = Scene(create_call="POST /wp-json/wp/v2/posts", errors=(), converts=(), fields=fields, title="A title")
