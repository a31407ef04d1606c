from signalpost.oidc import routes
from signalpost.room import Room

ROOM = Room(name="oidc", kind="extension", tables=("user_identity",), routes=routes.routes)
