from signalpost.room import Room
from signalpost.sandbox_clock import routes, work

ROOM = Room(name="sandbox_clock", kind="extension", tables=("sandbox_clock",), routes=routes.routes, jobs=(work.jobs,))
