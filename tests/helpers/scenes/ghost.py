"""Ghost in the simulator; what its documented errors mean stands with its fake in `tests/helpers/networks`."""

from collections.abc import Mapping
from typing import Any

from tests.helpers.scenes.scene import Scene

NAMES = {"image": "dot.png", "gif": "dot.gif", "video": "film.mp4", "audio": "song.mp3", "document": "menu.pdf"}
"""Ghost looks at the ends of names too."""


def fields(network: Any) -> Mapping[str, str]:
    """Return the credential form of an integration."""
    return {"siteUrl": network.url, "adminApiKey": network.add_key(network.world.person(network.key, "alice"))}


SCENE = Scene(
    create_call="PUT /ghost/api/admin/posts/{post}/",
    errors=(),
    converts=(),
    fields=fields,
    title="A title",
    files={kind: {"file_name": name} for kind, name in NAMES.items()},  # type: ignore[misc]
    revokes=False,
)
