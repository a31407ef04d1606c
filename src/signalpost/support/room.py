from signalpost.room import Room
from signalpost.support import routes, work

ROOM = Room(name="support", tables=("ticket", "ticket_message", "ticket_vote"), routes=routes.routes, jobs=(work.jobs,))
