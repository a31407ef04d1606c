"""Facebook in the simulator, with one Page. What its errors mean stands beside its fake."""

from simulator import Destination
from tests.helpers.networks.facebook import MP4
from tests.helpers.scenes.scene import Scene, content_of

from signalpost.conformance.harness import PNG

SCENE = Scene(
    create_call="POST /{version}/{page}/feed",
    create_calls={"comment": "POST /{version}/{node}/comments"},
    destinations=(Destination("1001", "page", "Bakery"),),
    files={"image": {**content_of(PNG), "mime_type": "image/png"}, "video": content_of(MP4)},
    refuses_duplicates=True,
    errors=(),
)
