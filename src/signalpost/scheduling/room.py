from signalpost.room import Room
from signalpost.scheduling import routes

ROOM = Room(name="scheduling", tables=("slot_block", "slot_queue", "slot_reservation"), routes=routes.routes)
