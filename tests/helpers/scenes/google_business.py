"""Google Business Profile in the simulator, with a location that Google has not verified and one that can post."""

from typing import Any

from simulator import Destination
from tests.helpers.networks.google_business import JPEG, URL
from tests.helpers.scenes.scene import Scene, content_of


def prepare(network: Any) -> None:
    network.files[URL] = JPEG


SCENE = Scene(
    create_call="POST /v4/accounts/{account}/locations/{location}/localPosts",
    destinations=(
        Destination("16", "location", "Pop-up", {"unverified": True}),
        Destination("17", "location", "Corner Bakery"),
    ),
    files={"image": {**content_of(JPEG), "mime_type": "image/jpeg", "url": lambda: URL, "width": 800, "height": 600}},
    converts=("image",),
    conversion_error="content_rejected",
    prepare=prepare,
    errors=(),
)
