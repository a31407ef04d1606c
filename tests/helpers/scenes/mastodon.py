"""Mastodon in the simulator; its documented errors are with its fake in `tests/helpers/networks`."""

from tests.helpers.scenes.scene import Scene

SCENE = Scene(create_call="POST /api/v1/statuses", errors=(), converts=("video", "audio", "gif"))
