from signalpost.report_links import queries, routes, work
from signalpost.room import Room

ROOM = Room(
    name="report_links",
    kind="extension",
    tables=("report_link",),
    routes=routes.routes,
    jobs=(work.jobs,),
    sealed=(queries.SEALED,),
)
