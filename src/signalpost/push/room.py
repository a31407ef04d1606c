from signalpost.push import queries, routes, work
from signalpost.room import Room

ROOM = Room(
    name="push",
    tables=("push_device",),
    routes=routes.routes,
    jobs=(work.jobs,),
    sealed=(queries.SEALED,),
)
