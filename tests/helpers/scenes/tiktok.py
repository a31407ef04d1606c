"""TikTok in the simulator. Its errors are in the fake."""

from tests.helpers.scenes.scene import Scene

SCENE = Scene(
    create_call="PUT /video/",
    options={"privacyLevel": "PUBLIC_TO_EVERYONE"},
    kind="video",
    converts=(),  # why a video failed is said by its reason, see tests/simulator/test_tiktok.py
    errors=(),
)
