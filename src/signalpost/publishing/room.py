from signalpost import events
from signalpost.context import AppContext
from signalpost.publishing import routes, subscriber, work
from signalpost.room import Room


def subscribe(context: AppContext) -> None:
    """Subscribe to the events that this room acts upon."""
    context.subscribe(events.RemovalRequested, subscriber.on_removal_requested)


ROOM = Room(
    name="publishing",
    tables=("attempt", "network_trouble"),
    routes=routes.routes,
    jobs=(work.jobs,),
    sources=(work.TargetSource,),
    subscribe=subscribe,
    prepare=work.declare_buckets,
)
