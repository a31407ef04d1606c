from signalpost.api_keys import routes
from signalpost.api_keys.actions import device_logins
from signalpost.room import Room

ROOM = Room(
    name="api_keys",
    tables=("device_login",),
    routes=routes.routes,
    jobs=(device_logins.jobs,),
    sealed=device_logins.SEALED,
)
