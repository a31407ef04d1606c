from signalpost import events
from signalpost.comments import routes, subscriber, work
from signalpost.comments.actions import push, send
from signalpost.context import AppContext, Hooks
from signalpost.room import Room


def subscribe(context: AppContext) -> None:
    """Subscribe to the events that this room acts upon."""
    context.subscribe(events.PostPublished, subscriber.on_posts_published)
    context.subscribe(events.AccountConnected, subscriber.on_accounts_connected)
    context.subscribe(events.AccountDisconnected, subscriber.on_accounts_disconnected)


ROOM = Room(
    name="comments",
    kind="extension",
    tables=(
        "comment",
        "comment_push",
        "comment_reply",
        "comment_rule",
        "comment_rule_use",
        "comment_source",
        "saved_reply",
    ),
    routes=routes.routes,
    jobs=(work.jobs,),
    hooks=Hooks(end_comment_push=push.end),
    subscribe=subscribe,
    after_failover=send.doubt_what_is_sent,
)
