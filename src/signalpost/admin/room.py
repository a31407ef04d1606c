from signalpost.admin import routes
from signalpost.room import Room

ROOM = Room(name="admin", tables=("backup",), routes=routes.routes)
