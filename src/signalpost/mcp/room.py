from signalpost.room import Room

ROOM = Room(name="mcp", kind="extension")
