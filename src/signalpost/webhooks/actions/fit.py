"""A plan covers some webhooks: the newest beyond its limit stop, with the reason, until it covers them again."""

from typing import Final
from uuid import UUID

from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.web.caller import Caller
from signalpost.webhooks.actions.wake import wake_waiting
from signalpost.webhooks.queries import WEBHOOK_COLUMNS, WebhookRow, read_webhook

REASON: Final = "plan_limit"
_RANKED: Final = f"""
select {WEBHOOK_COLUMNS} from webhook where workspace_id = $1 and deleted_at is null order by created_at, id
"""  # noqa: S608 - constants only
_STOP: Final = """
update webhook set status = 'disabled', disabled_reason = $3, updated_at = now()
where workspace_id = $1 and id = any($2) and status = 'active'
"""
_START: Final = """
update webhook set status = 'active', disabled_reason = null, updated_at = now()
where workspace_id = $1 and id = any($2) and status = 'disabled' and disabled_reason = $3
"""
_OLDER: Final = """
select count(*) from webhook where workspace_id = $1 and deleted_at is null and (created_at, id) < ($2, $3)
"""


async def fit(db: Db, workspace_id: UUID, maximum: int | None) -> None:
    """Stop the active webhooks beyond `maximum`, and start those within it that were stopped so."""
    rows = [read_webhook(record) for record in await db.fetch(_RANKED, workspace_id)]
    covered = len(rows) if maximum is None else maximum
    starting = [row for row in rows[:covered] if row.disabled_reason == REASON]
    stopping = [row.id for row in rows[covered:] if row.status == "active"]
    for row in starting:
        await wake_waiting(db, row)
    if starting:
        await db.execute(_START, workspace_id, [row.id for row in starting], REASON)
    if stopping:
        await db.execute(_STOP, workspace_id, stopping, REASON)


async def require_covered(db: Db, caller: Caller, webhook: WebhookRow) -> None:
    """Ensure that the plan covers this webhook, before it is made active.

    Raises:
        PlanLimitReached: it is one of the newest beyond the limit.
        PlanFeatureUnavailable: the plan has no webhooks.
    """
    maximum = limits.WEBHOOKS.of(caller.plan)
    if maximum is None:
        return
    if maximum == 0:
        raise PlanFeatureUnavailable(
            f"The plan {caller.plan} does not include webhooks.",
            limit={"name": limits.WEBHOOKS.name, "used": 0, "max": 0, "plan": caller.plan},
        )
    if await db.fetchval(_OLDER, caller.workspace_id, webhook.created_at, webhook.id) >= maximum:
        raise await plans.over_limit(db, caller, limits.WEBHOOKS)
