from signalpost.room import Room
from signalpost.snippets import routes, work

ROOM = Room(name="snippets", kind="extension", tables=("snippet",), routes=routes.routes, jobs=(work.jobs,))
