"""Lemmy in the simulator; what its documented errors mean stands with its fake in `tests/helpers/networks`."""

from collections.abc import Mapping
from typing import Any

from tests.helpers.scenes.scene import Scene


def fields(network: Any) -> Mapping[str, str]:
    """Return the credential form of a person who follows a community."""
    return dict(network.open_account(network.world.person(network.key, "alice")))


SCENE = Scene(
    create_call="POST /api/v3/post", create_calls={"comment": "POST /api/v3/comment"}, errors=(), converts=(),
    fields=fields, title="A title", options={"community": "bread"},
)  # fmt: skip
