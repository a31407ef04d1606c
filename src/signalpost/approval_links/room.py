from signalpost.approval_links import routes, work
from signalpost.room import Room

ROOM = Room(name="approval_links", tables=("approval_link",), routes=routes.routes, jobs=(work.jobs,))
