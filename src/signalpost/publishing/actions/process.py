"""The worker's loop, one bounded round of it, for those who run it by cron."""

import hmac

from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.publishing.errors import InvalidQueueSecret
from signalpost.publishing.schemas import DeliveryCounts, Processed, ProcessQueue


async def process_queue(context: AppContext, secret: str | None, wish: ProcessQueue) -> Processed:
    """Work off what is due. Safe at any number at once, and beside the built-in worker: leases divide the work.

    Raises:
        InvalidQueueSecret: the secret is missing, wrong or not set up.
        Unavailable: this process has no engine.
    """
    known = context.settings.queue_secret
    if not known or secret is None or not hmac.compare_digest(secret.encode(), known.encode()):
        raise InvalidQueueSecret
    if context.engine is None:
        raise problems.Unavailable("This process runs no engine.")
    report = await context.engine.tick(limit=wish.limit)
    targets, deliveries = report.outcomes.get("target", {}), report.outcomes.get("delivery", {})
    return Processed(
        claimed=report.claimed.get("target", 0),
        published=targets.get("published", 0),
        failed=targets.get("failed", 0),
        retrying=targets.get("retrying", 0),
        unknown=targets.get("unknown", 0),
        remaining=report.remaining,
        oldest_due_age_seconds=round(max(report.oldest_due_age_seconds, 0.0), 3),
        duration_ms=round(report.duration_seconds * 1000),
        webhooks=DeliveryCounts(
            sum(deliveries.values()),
            deliveries.get("delivered", 0),
            sum(count for word, count in deliveries.items() if word != "delivered"),
        ),
    )
