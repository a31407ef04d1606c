from signalpost.context import AppContext
from signalpost.room import Room
from signalpost.stream import routes
from signalpost.stream.hub import Hub


async def end(context: AppContext) -> None:
    """End the streams of this process."""
    await context.state(Hub).end()


ROOM = Room(name="stream", kind="extension", tables=("stream_process", "stream_place"), routes=routes.routes, end=end)
