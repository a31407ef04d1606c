from signalpost import events
from signalpost.context import AppContext
from signalpost.messenger import queries, routes, subscriber, work
from signalpost.messenger.actions import send
from signalpost.room import Room


def subscribe(context: AppContext) -> None:
    """Subscribe to the events that this room acts upon."""
    context.subscribe(events.PostSettled, subscriber.on_posts_settled)


ROOM = Room(
    name="messenger",
    tables=(
        "messenger_bot",
        "messenger_code",
        "messenger_guess",
        "messenger_link",
        "messenger_message",
        "messenger_reply",
    ),
    routes=routes.routes,
    jobs=(work.jobs,),
    subscribe=subscribe,
    sealed=queries.SEALED,
    after_failover=send.doubt_what_waits,
)
