from signalpost import events
from signalpost.context import AppContext, Hooks
from signalpost.posts import approval_mail, failure_mail, queries, routes, subscriber, work
from signalpost.posts.change import recovery
from signalpost.room import Room


def subscribe(context: AppContext) -> None:
    """Subscribe to the events that this room acts upon; after a change of plan it looks at what the others decided."""
    context.subscribe(events.PlanChanged, subscriber.on_plan_changed)
    context.subscribe(events.AccountReady, subscriber.on_account_ready)
    context.subscribe(events.PostSettled, subscriber.on_posts_settled)
    context.subscribe(events.PostSettled, failure_mail.on_posts_settled)
    context.subscribe(events.PostApprovalRequested, approval_mail.on_approval_requested)


ROOM = Room(
    name="posts",
    tables=(
        "post",
        "post_count",
        "post_count_change",
        "post_count_progress",
        "recurrence_occurrence",
        "recurrence_series",
        "post_text",
        "search_pending",
        "search_progress",
        "target",
    ),
    routes=routes.routes,
    jobs=(work.jobs,),
    hooks=Hooks(
        count_media_uses=queries.media_uses,
        count_waiting_posts=subscriber.count_waiting_posts,
        trash_profile_posts=subscriber.trash_profile_posts,
        fail_waiting_targets=subscriber.fail_waiting_targets,
    ),
    subscribe=subscribe,
    after_failover=recovery.look_up_what_is_due,
)
