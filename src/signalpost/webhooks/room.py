from signalpost import events
from signalpost.context import AppContext, Hooks
from signalpost.room import Room
from signalpost.webhooks import notices, routes, signing, subscriber, work
from signalpost.webhooks.actions.deliveries import LISTENING


def subscribe(context: AppContext) -> None:
    """Subscribe to the events that this room acts upon."""
    context.subscribe(events.PlanChanged, subscriber.on_plan_changed)
    for kind in events.PUBLIC_EVENTS.values():
        context.subscribe(kind, subscriber.on_events, when=LISTENING)


ROOM = Room(
    name="webhooks",
    tables=("delivery", "webhook"),
    routes=routes.routes,
    jobs=(work.jobs,),
    sources=(work.DeliverySource,),
    hooks=Hooks(prepare_webhook=notices.prepare_webhook, send_status_notice=notices.send_status_notice),
    subscribe=subscribe,
    sealed=(*signing.SEALED, notices.SUBSCRIBERS_SEALED),
)
