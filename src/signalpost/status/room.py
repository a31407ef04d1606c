from signalpost.room import Room
from signalpost.status import routes, work

ROOM = Room(
    name="status",
    tables=("status_component", "status_day", "status_incident", "status_subscriber", "status_update"),
    routes=routes.routes,
    jobs=(work.jobs,),
)
