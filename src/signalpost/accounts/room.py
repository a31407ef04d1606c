from signalpost import events
from signalpost.accounts import notices, routes, secrets, subscriber, work
from signalpost.accounts.actions import disconnect, network_apps
from signalpost.accounts.token_store import Renewals
from signalpost.context import AppContext, Hooks
from signalpost.room import Room


def subscribe(context: AppContext) -> None:
    """Subscribe to the events that this room acts upon."""
    context.subscribe(events.PlanChanged, subscriber.on_plan_changed)


async def end(context: AppContext) -> None:
    """Wait for renewals under way: a token that a network has replaced is written down."""
    await context.state(Renewals).end()


ROOM = Room(
    name="accounts",
    tables=("account", "network_app", "oauth_flow"),
    routes=routes.routes,
    jobs=(work.jobs, notices.jobs),
    hooks=Hooks(disconnect_profile_accounts=disconnect.disconnect_profile),
    subscribe=subscribe,
    sealed=(secrets.SEALED, network_apps.SEALED),
    end=end,
)
