from signalpost import events
from signalpost.context import AppContext
from signalpost.room import Room
from signalpost.team import routes, subscriber, work


def subscribe(context: AppContext) -> None:
    """Subscribe to the events that this room acts upon."""
    context.subscribe(events.PlanChanged, subscriber.on_plan_changed)


ROOM = Room(name="team", routes=routes.routes, jobs=(work.jobs,), subscribe=subscribe)
