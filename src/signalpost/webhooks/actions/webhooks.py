"""Making, changing and result webhooks. Locks are taken in the order lane, delivery, webhook, as the engine does."""

from datetime import timedelta
from uuid import UUID

from msgspec import UNSET

from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.web.caller import Caller
from signalpost.webhooks import queries, signing
from signalpost.webhooks.actions import validation
from signalpost.webhooks.queries import COLUMNS, WebhookRow
from signalpost.webhooks.schemas import Webhook, WebhookCreate, WebhookDeletion, WebhookUpdate, WebhookWithSecret
from signalpost.webhooks.states import switched

FORMER_SECRET_SIGNS_FOR = timedelta(hours=24)

_INSERT = f"""
insert into webhook (id, workspace_id, url, events, name, description, profile_ids, delivery_mode, status, secret,
    created_by, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
returning {COLUMNS}
"""  # noqa: S608 - constants only
# Takes the lane's lock, if anything waits in it.
_WAKE = """
select wake_lanes('delivery', array[$1::uuid], $2, array[null::text],
    array[(select min(due_at) from delivery where webhook_id = $1 and due_at is not null)])
"""
_UPDATE = f"""
update webhook set url = $3, events = $4, name = $5, description = $6, profile_ids = $7, delivery_mode = $8,
    status = $9, disabled_reason = case when $9 = 'active' then null else disabled_reason end,
    consecutive_failures = case when $10 then 0 else consecutive_failures end,
    consecutive_lost = case when $10 then 0 else consecutive_lost end,
    enabled_at = case when $10 then now() else enabled_at end, updated_at = $11
where id = $1 and workspace_id = $2
returning {COLUMNS}
"""  # noqa: S608 - constants only
_ROTATE = f"""
update webhook set former_secret = secret, former_secret_until = now() + $4::interval, secret = $3, updated_at = $5
where id = $1 and workspace_id = $2 and deleted_at is null
returning {COLUMNS}
"""  # noqa: S608 - constants only
_DROP = """
update delivery set next_attempt_at = null, resend_at = null
where workspace_id = $2 and webhook_id = $1 and due_at is not null
"""
_DELETE = """
update webhook set deleted_at = now(), status = 'disabled', updated_at = $3
where id = $1 and workspace_id = $2 and deleted_at is null returning true
"""


async def create_webhook(context: AppContext, caller: Caller, data: WebhookCreate) -> WebhookWithSecret:
    """Write a webhook and show its secret, this once.

    Raises:
        UnsafeAddress: the address must not be reached from here.
        PlanLimitReached: the plan has no room for one more.
        PlanFeatureUnavailable: the plan has no webhooks.
    """
    async with context.database.connection() as db:
        await plans.require_capacity(db, caller, limits.WEBHOOKS)  # refused early, before we look up anybody's names
        scope = await validation.checked(db, caller, data)
    await validation.check_address(context, data.url)
    webhook_id, secret = ids.new_id(), signing.new_secret()
    async with context.database.transaction() as db:
        await plans.require_capacity(db, caller, limits.WEBHOOKS)
        row = await db.fetchrow(
            _INSERT,
            webhook_id,
            caller.workspace_id,
            data.url,
            scope.events or validation.ALL_EVENTS,
            data.name or None,
            data.description or None,
            caller.sees_profiles if scope.profile_ids is UNSET else scope.profile_ids,
            data.delivery_mode or "retry",
            "paused" if data.active is False else "active",
            signing.seal(context.keys, webhook_id, caller.workspace_id, secret),
            caller.actor,
            clock.now(),
        )
    return WebhookRow(*row or ()).shown_once(secret)


async def update_webhook(context: AppContext, caller: Caller, webhook_id: UUID, data: WebhookUpdate) -> Webhook:
    """Change what is mentioned. Setting `active` lets held deliveries go, and forgets why it was disabled.

    Raises:
        UnsafeAddress: the new address must not be reached from here.
    """
    async with context.database.connection() as db:
        scope = await validation.checked(db, caller, data)
    if data.url is not UNSET:
        await validation.check_address(context, data.url)
    async with context.database.transaction() as db:
        if data.active is True:
            await db.execute(_WAKE, webhook_id, caller.workspace_id)
        row = await queries.lock(db, caller, webhook_id)
        if row is None:
            raise problems.NotFound
        status = row.status if data.active is UNSET else switched(row.status, active=data.active)
        changed = await db.fetchrow(
            _UPDATE,
            row.id,
            row.workspace_id,
            row.url if data.url is UNSET else data.url,
            row.events if scope.events is None else scope.events,
            row.name if data.name is UNSET else data.name,
            row.description if data.description is UNSET else data.description,
            row.profile_ids if scope.profile_ids is UNSET else scope.profile_ids,
            row.delivery_mode if data.delivery_mode is UNSET else data.delivery_mode,
            status,
            row.status == "disabled" and status == "active",
            clock.now(),
        )
    return WebhookRow(*changed or ()).shown()


async def rotate_secret(db: Db, keys: KeyRing, webhook: WebhookRow) -> WebhookWithSecret:
    """Make a new secret and show it, this once. The old one signs beside it for 24 hours, where there is room."""
    secret = signing.new_secret()
    row = await db.fetchrow(
        _ROTATE,
        webhook.id,
        webhook.workspace_id,
        signing.seal(keys, webhook.id, webhook.workspace_id, secret),
        FORMER_SECRET_SIGNS_FOR,
        clock.now(),
    )
    if row is None:
        raise problems.NotFound
    return WebhookRow(*row).shown_once(secret)


async def delete_webhook(db: Db, webhook: WebhookRow) -> WebhookDeletion:
    """End a webhook and drop what waits for it. An attempt under way ends by itself and changes nothing any more."""
    await db.execute(_WAKE, webhook.id, webhook.workspace_id)
    await db.execute(_DROP, webhook.id, webhook.workspace_id)
    if not await db.fetchval(_DELETE, webhook.id, webhook.workspace_id, clock.now()):
        raise problems.NotFound
    return WebhookDeletion(ids.encode("whk", webhook.id), deleted=True)
