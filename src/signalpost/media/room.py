from signalpost.context import Hooks
from signalpost.media import queries, routes, work
from signalpost.room import Room

ROOM = Room(
    name="media",
    tables=("media",),
    routes=routes.routes,
    jobs=(work.jobs,),
    hooks=Hooks(media_exists=queries.media_exists),
)
