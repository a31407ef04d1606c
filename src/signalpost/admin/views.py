from signalpost.admin.queries import DueTarget, Figures, Queue, WorkerRow
from signalpost.admin.schemas import (
    AccountFigures,
    AdminQueue,
    PostFigures,
    QueueFigures,
    QueueItem,
    QueueWorker,
    Stats,
    WebhookFigures,
)
from signalpost.health.views import uptime_seconds
from signalpost.kit import clock, ids


def stats(figures: Figures, *, overdue: int | None, version: str) -> Stats:
    """Return the figures of the installation."""
    sampled = {
        name: getattr(figures, name) for name in ("users", "workspaces", "profiles", "accounts", "posts", "storage")
    }
    return Stats(
        users=figures.users.total,
        workspaces=figures.workspaces.total,
        profiles=figures.profiles.total,
        accounts=AccountFigures(figures.accounts.total, figures.accounts.by(0), figures.accounts.by(1)),
        posts=PostFigures(figures.posts.total, figures.created, figures.posts.by(0)),
        success_rate24h={platform: round(rate, 4) for platform, rate in figures.rates.items()},
        queue=queue_figures(figures.queue, overdue),
        webhooks=WebhookFigures(figures.pending, figures.failed),
        storage_bytes=figures.storage.total,
        payment_differences=figures.differences,
        estimated=["storageBytes" if name == "storage" else name for name, count in sampled.items() if count.estimated],
        version=version,
        uptime_seconds=uptime_seconds(),
    )


def queue_figures(queue: Queue, overdue: int | None) -> QueueFigures:
    return QueueFigures(queue.waiting, queue.ready, queue.leased, overdue)


def queue(counts: QueueFigures, items: list[DueTarget], workers: list[WorkerRow]) -> AdminQueue:
    """Return the queue of all workspaces."""
    oldest = min((item.next_attempt_at for item in items), default=None)
    return AdminQueue(
        counts=counts,
        oldest_due_age_seconds=0.0 if oldest is None else max(0.0, (clock.now() - oldest).total_seconds()),
        workers=[QueueWorker(str(row.id), row.host, clock.wire(row.seen_at), row.leases) for row in workers],
        items=[_item(item) for item in items],
    )


def _item(item: DueTarget) -> QueueItem:
    return QueueItem(
        post_id=ids.encode("pst", item.post_id),
        target_id=ids.encode("tgt", item.id),
        workspace_id=ids.encode("wsp", item.workspace_id),
        account_id=ids.encode("acc", item.account_id),
        platform=item.platform,
        state="leased" if item.leased else "ready",
        run_at=clock.wire(item.next_attempt_at),
        attempts=item.attempts,
    )
