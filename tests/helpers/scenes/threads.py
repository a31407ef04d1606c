"""Threads in the simulator. What its errors mean stands beside its fake."""

from tests.helpers.scenes.instagram import DOWNLOADS, prepare
from tests.helpers.scenes.scene import Scene

SCENE = Scene(
    create_call="POST /{version}/{user}/threads_publish",
    files=DOWNLOADS,
    finds_comments=True,
    code_seconds=3_600,
    conversion_error="media_unsupported",
    prepare=prepare,
    errors=(),
)
