from signalpost.health import routes
from signalpost.room import Room

ROOM = Room(name="health", routes=routes.routes)
