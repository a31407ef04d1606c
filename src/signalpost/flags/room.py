from signalpost.flags import routes
from signalpost.room import Room

ROOM = Room(name="flags", tables=("feature_flag",), routes=routes.routes)
