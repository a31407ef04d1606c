from signalpost.discussion import routes
from signalpost.room import Room

ROOM = Room(name="discussion", tables=("post_message",), routes=routes.routes)
