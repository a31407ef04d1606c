from signalpost.comments import routes, work
from signalpost.room import Room

ROOM = Room(
    name="comments",
    kind="extension",
    tables=("comment", "comment_reply", "comment_source"),
    routes=routes.routes,
    jobs=(work.jobs,),
)
