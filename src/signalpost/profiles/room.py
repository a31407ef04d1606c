from signalpost import events
from signalpost.context import AppContext, Hooks
from signalpost.profiles import queries, routes, subscriber
from signalpost.profiles.actions import create
from signalpost.room import Room


def subscribe(context: AppContext) -> None:
    """Subscribe to the events that this room acts upon."""
    context.subscribe(events.PlanChanged, subscriber.on_plan_changed)


ROOM = Room(
    name="profiles",
    tables=("profile", "profile_link", "profile_link_history"),
    routes=routes.routes,
    hooks=Hooks(create_default_profile=create.create_default, profile_exists=queries.profile_exists),
    subscribe=subscribe,
)
