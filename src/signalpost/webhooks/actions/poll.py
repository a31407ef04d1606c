"""Webhooks whose deliveries a program fetches, for receivers that cannot be reached: what waits, and what became of it.

Reading takes nothing away. A delivery waits until its result is written, so whoever fetches may stop at any moment.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.flags.cache import is_enabled
from signalpost.flags.registry import STANDARD_WEBHOOK_HEADERS
from signalpost.kit import clock, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.fields import WebhookId
from signalpost.web.inputs import deleted_meanwhile
from signalpost.webhooks import queries
from signalpost.webhooks.actions import results
from signalpost.webhooks.actions.deliveries import inactive
from signalpost.webhooks.queries import WebhookRow
from signalpost.webhooks.schemas import (
    DeliveryResult,
    PendingDeliveries,
    PendingDelivery,
    RecordedResults,
    ResultsCreate,
)
from signalpost.webhooks.sending import Attempt, AttemptResult, error_of, excerpt, sender_of

BYTES_MAX: Final = 2_000_000
"""Of the bodies in one response, beyond the first."""

_ATTEMPT: Final = rows.columns(
    Attempt,
    "d",
    resend="false",
    age_seconds="0::float8",
    url="w.url",
    mode="w.delivery_mode",
    secrets="array_remove(array[w.secret, case when w.former_secret_until > now() then w.former_secret end,"
    " w.next_secret], null)",
)
_PENDING: Final = f"""
select {_ATTEMPT} from webhook w join delivery d on d.webhook_id = w.id
where w.id = $1 and w.workspace_id = $2 and d.workspace_id = $2 and d.state = 'pending' and d.due_at is null
order by d.created_at, d.id limit $3
"""  # noqa: S608 - constants only
_WAITING: Final = f"""
select {_ATTEMPT} from webhook w join delivery d on d.webhook_id = w.id
where w.id = $1 and w.workspace_id = $2 and d.workspace_id = $2 and d.id = any($3)
    and d.state = 'pending' and d.due_at is null
for no key update of d
"""  # noqa: S608 - constants only

_read = rows.reader(Attempt)


async def pending(db: Db, context: AppContext, webhook: WebhookRow, limit: int) -> PendingDeliveries:
    """Return what waits to be fetched, the oldest first, each with the headers that it would be sent with.

    Raises:
        InvalidState: the webhook is not active, or is not one whose deliveries are fetched.
    """
    _require_polled(webhook)
    waiting = [_read(record) for record in await db.fetch(_PENDING, webhook.id, webhook.workspace_id, limit + 1)]
    standard = await is_enabled(context, STANDARD_WEBHOOK_HEADERS, workspace_id=webhook.workspace_id)
    sender, now = sender_of(context), int(clock.now().timestamp())
    fitting = _fitting(waiting[:limit])
    return PendingDeliveries(
        data=[
            PendingDelivery(
                id=ids.encode("dlv", attempt.id),
                type=attempt.type,
                headers=sender.headers(attempt, now, standard=standard),
                body=attempt.body.decode(),
            )
            for attempt in fitting
        ],
        has_more=len(waiting) > len(fitting),
    )


async def record_results(db: Db, caller: Caller, webhook: WebhookRow, data: ResultsCreate) -> RecordedResults:
    """Write what became of fetched deliveries. A result of one that does not wait any more is left out.

    Raises:
        InvalidState: see `pending`.
        NotFound: the webhook was deleted meanwhile.
    """
    row = await queries.lock_mine(db, caller, webhook.id)  # of two programs that write results, one waits
    if row is None:
        raise deleted_meanwhile(WebhookId, webhook.id)
    _require_polled(row)
    by_id = {UUID(int=result.id.int): result for result in data.results}
    waiting = [_read(record) for record in await db.fetch(_WAITING, row.id, row.workspace_id, list(by_id))]
    settled = [results.decide(attempt, _attempt_result(by_id[attempt.id])) for attempt in waiting]
    if settled:
        await results.settle(db, settled)
    return RecordedResults(recorded=len(settled))


def _attempt_result(result: DeliveryResult) -> AttemptResult:
    error = result.error or (error_of(result.status) if result.status is not None else "no response")
    response = None if result.response is None else excerpt(result.response.encode("utf-8", "replace"))
    return AttemptResult(
        clock.monotonic(), result.duration_ms, result.status, error, response, timestamp=int(clock.now().timestamp())
    )


def _require_polled(webhook: WebhookRow) -> None:
    if webhook.delivery_mode != "poll":
        raise problems.InvalidState(
            "Deliveries of this webhook are sent to its address. Create one with the deliveryMode poll to fetch them."
        )
    if webhook.status != "active":
        raise inactive(webhook)


def _fitting(attempts: Sequence[Attempt]) -> list[Attempt]:
    selected: list[Attempt] = []
    size = 0
    for attempt in attempts:
        size += len(attempt.body)
        if selected and size > BYTES_MAX:
            break
        selected.append(attempt)
    return selected
