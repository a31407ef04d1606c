from signalpost.identity import routes, work
from signalpost.identity.actions import second_factor
from signalpost.room import Room

ROOM = Room(
    name="identity",
    tables=("api_key", "app_user", "member", "one_time_token", "session", "workspace"),
    routes=routes.routes,
    jobs=(work.jobs,),
    sealed=(second_factor.SEALED,),
)
