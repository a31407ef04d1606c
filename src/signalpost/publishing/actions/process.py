"""One bounded round of the worker's loop, for operators who run it from cron."""

import hmac

from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.kit.patience import patience
from signalpost.publishing import views
from signalpost.publishing.errors import InvalidQueueSecret
from signalpost.publishing.schemas import QueueProcess, QueueRun


async def process_queue(context: AppContext, secret: str | None, data: QueueProcess) -> QueueRun:
    """Do the work that is due. Safe at any concurrency, and beside the built-in worker: leases divide the work.

    Raises:
        InvalidQueueSecret: the secret is missing, wrong or not set up.
        Unavailable: this process has no engine.
    """
    expected = context.settings.queue_secret
    if not expected or secret is None or not hmac.compare_digest(secret.encode(), expected.encode()):
        raise InvalidQueueSecret("The header X-Queue-Secret is missing, or its value is another one.")
    if context.engine is None:
        raise problems.Unavailable(
            "This process runs no engine.", remediation="Call a process that was started without --no-worker."
        )
    patience.set(None)  # what the engine begins here is its work, and may take as long as in a worker
    return views.queue_run(await context.engine.tick(limit=data.limit))
