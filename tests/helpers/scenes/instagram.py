"""Instagram in the simulator, by Instagram Login. What its errors mean stands beside its fake."""

from typing import Any

from tests.helpers.networks.facebook import MP4
from tests.helpers.networks.instagram import FILES, URL
from tests.helpers.scenes.scene import Scene, content_of


def prepare(network: Any) -> None:
    network.files |= FILES


DOWNLOADS = {
    "image": {**content_of(FILES[f"{URL}red.jpg"]), "mime_type": "image/jpeg", "url": lambda: f"{URL}red.jpg"},
    "video": {**content_of(MP4), "url": lambda: f"{URL}clip.mp4"},
}
SCENE = Scene(
    create_call="POST /{version}/{account}/media_publish",
    create_calls={"comment": "POST /{version}/{node}/comments"},
    files=DOWNLOADS,
    deletes=False,  # only accounts that were connected through their Page can
    revokes=False,
    code_seconds=3_600,
    conversion_error="media_unsupported",
    prepare=prepare,
    errors=(),
)
