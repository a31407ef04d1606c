from signalpost.room import Room
from signalpost.workspaces import routes, work

ROOM = Room(name="workspaces", tables=("workspace_export",), routes=routes.routes, jobs=(work.jobs,))
