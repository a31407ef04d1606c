"""YouTube in the simulator. Its errors are in the fake."""

from tests.helpers.scenes.scene import Scene

SCENE = Scene(
    create_call="PUT /upload/youtube/v3/videos",
    create_calls={"comment": "POST /youtube/v3/commentThreads"},
    title="A film",
    text="Hello & *you* 🎉",  # YouTube refuses angle brackets
    kind="video",
    refuses_duplicates=True,
    errors=(),
)
