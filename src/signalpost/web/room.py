from signalpost.room import Room
from signalpost.web import idempotency

ROOM = Room(name="web", tables=("idempotency", "request_bucket"), jobs=(idempotency.jobs,))
