from signalpost.plans import routes, work
from signalpost.room import Room

ROOM = Room(name="plans", tables=("usage", "usage_notice"), routes=routes.routes, jobs=(work.jobs,))
