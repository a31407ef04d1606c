from signalpost.calendar_links import routes
from signalpost.room import Room

ROOM = Room(name="calendar_links", kind="extension", tables=("calendar_link",), routes=routes.routes)
