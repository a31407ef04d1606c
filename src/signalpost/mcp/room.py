from signalpost.mcp import errors  # noqa: F401 - `/mcp` is no operation of the API, but its problem has a page too
from signalpost.room import Room

ROOM = Room(name="mcp", kind="extension")
