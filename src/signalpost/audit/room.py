from signalpost.audit import routes, work
from signalpost.room import Room

ROOM = Room(name="audit", tables=("audit", "audit_seal"), routes=routes.routes, jobs=(work.jobs,))
