from signalpost.api_keys import routes
from signalpost.room import Room

ROOM = Room(name="api_keys", routes=routes.routes)
