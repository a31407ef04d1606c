from signalpost.context import AppContext
from signalpost.request_log import routes, work
from signalpost.request_log.recorder import Recorder
from signalpost.room import Room


async def end(context: AppContext) -> None:
    """Write the calls that are not written yet."""
    await context.state(Recorder).end()


ROOM = Room(
    name="request_log", kind="extension", tables=("request_log",), routes=routes.routes, jobs=(work.jobs,), end=end
)
