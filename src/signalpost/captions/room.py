from signalpost.captions import routes
from signalpost.room import Room

ROOM = Room(name="captions", routes=routes.routes)
