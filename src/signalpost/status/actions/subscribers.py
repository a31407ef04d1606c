"""Subscribe to the service status, confirm, and end it. Nobody gets anything who has not said that they want it."""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.context import AppContext, WebhookSecret
from signalpost.kit import batches, ids, problems
from signalpost.kit.db import Db, Row
from signalpost.kit.http import parse_url
from signalpost.kit.problems import Issue
from signalpost.mail import actions as mail
from signalpost.mail.languages.texts import spoken
from signalpost.mail.messages import Message, mailbox_of, seal
from signalpost.status import queries, tokens
from signalpost.status.actions import deliver
from signalpost.status.actions.notify import MAIL_QUEUE
from signalpost.status.places import network_of, registrable_domain
from signalpost.status.queries import SubscriberRow
from signalpost.status.schemas import StatusSubscribe, Subscription, SubscriptionState
from signalpost.status.tokens import Purpose
from signalpost.web.fields import ComponentId
from signalpost.web.inputs import Before

CONFIRM_PATH: Final = "/status/confirm"
MAILS_PER_HOUR: Final = 3
"""Confirmations to one mailbox, whatever follows a + in its address."""
CONFIRM_WITHIN: Final = timedelta(days=7)

_LOCK = "select pg_advisory_xact_lock(hashtextextended($1, 0))"
_SENT = """
select coalesce(sum(cardinality(array(select t from unnest(mailed_at) t where t > now() - interval '1 hour'))), 0)::int
from status_subscriber where mailbox = $1
"""
# Who is active stays so, with the components chosen before: only the holder of the mailbox may change them.
_BY_EMAIL = """
insert into status_subscriber as s (id, email, mailbox, component_ids, language, active)
values ($1, $2, $3, $4, $5, false)
on conflict (id) do update set component_ids = case when s.active then s.component_ids else excluded.component_ids end,
    language = case when s.active then s.language else coalesce(excluded.language, s.language) end
returning created_at, active
"""
_MAILED = """
update status_subscriber set mailed_at = array(
    select t from unnest(mailed_at) t where t > now() - interval '1 hour') || now() where id = $1
"""
_BY_WEBHOOK = """
insert into status_subscriber (id, url, secret, component_ids, language, network, active)
values ($1, $2, $3, $4, $5, $6, false) returning created_at
"""
_FIND = "select id, created_at, url, network, active from status_subscriber where id = $1 for update"
_CONFIRM = "update status_subscriber set active = true where id = $1"
_DELETE = "delete from status_subscriber where id = $1"
# From the last mail on: its link works as long as it says.
_PURGE = batches.delete(
    "status_subscriber",
    "not active and created_at < now() - $1::interval"
    " and coalesce(mailed_at[cardinality(mailed_at)], created_at) < now() - $1::interval",
)
_PURGE_WEBHOOKS = batches.delete(
    "status_subscriber", "not active and url is not null and created_at < now() - $1::interval"
)
ACTIVE_MAX: Final = 500
WAITING_MAX: Final = 500
PER_DOMAIN: Final = 5
PER_NETWORK: Final = 20
"""More than of a domain: many domains share the addresses of a hosting company."""

_LOCK_WEBHOOKS: Final = "select pg_advisory_xact_lock(hashtextextended('status:webhooks', 0))"
# Whoever failed, then whoever has been silent for longest, gives way.
_LISTED: Final = """
select id, url, network from status_subscriber where url is not null and active = $1
order by failures desc, coalesce(heard_at, created_at), id
"""
_DROP: Final = "delete from status_subscriber where id = any($1)"
_ACTIVATE: Final = "update status_subscriber set active = true, heard_at = now(), failures = 0 where id = $1"


class NewWebhook(Struct):
    """The id and secret of a webhook whose address was checked."""

    id: UUID
    secret: WebhookSecret


async def _check_webhook(context: AppContext, _caller: None, data: StatusSubscribe) -> NewWebhook:
    assert data.webhook_url is not None  # noqa: S101 - `BEFORE` asks only then
    subscriber_id = ids.new_id()
    secret = await context.hooks.prepare_webhook(context, subscriber_id, data.webhook_url, path="/webhookUrl")
    return NewWebhook(subscriber_id, secret)


BEFORE: Final = Before(lambda data: data.webhook_url is not None and data.email is None, _check_webhook)
"""The address is checked before the transaction is opened, since resolving a name can take seconds."""


async def subscribe(context: AppContext, db: Db, data: StatusSubscribe, webhook: NewWebhook | None) -> Subscription:
    """Subscribe an address. What follows is the same whether it was subscribed before or not.

    Raises:
        ValidationFailed: not exactly one channel, or unknown components.
        InvalidState: this instance sends no mail.
    """
    if (data.email is None) == (data.webhook_url is None):
        message = "Send exactly one of email and webhookUrl."
        raise problems.ValidationFailed(
            errors=[Issue(path, "required" if data.email is None else "not_allowed", message)
                    for path in ("/email", "/webhookUrl")]
        )  # fmt: skip
    unknown = await queries.unknown_components(db, data.component_ids or [])
    if unknown:
        raise problems.ValidationFailed(
            errors=[
                ComponentId.not_found(f"/componentIds/{index}")
                for index, component_id in enumerate(data.component_ids or [])
                if component_id in unknown
            ]
        )
    if webhook is not None:
        return await _by_webhook(context, db, data, webhook)
    return await _by_email(context, db, data)


async def _by_email(context: AppContext, db: Db, data: StatusSubscribe) -> Subscription:
    if context.settings.smtp_url is None:
        raise problems.InvalidState("This instance sends no mail.", remediation="Subscribe with `webhookUrl` instead.")
    email = (data.email or "").lower()
    mailbox = mailbox_of(email)
    subscriber_id = tokens.id_of_email(context.keys, email)
    await db.execute(_LOCK, f"status:{mailbox}")
    [(created_at, active)] = await db.fetch(
        _BY_EMAIL, subscriber_id, email, mailbox, data.component_ids or None, data.language
    )
    if not active and await db.fetchval(_SENT, mailbox) < MAILS_PER_HOUR:
        await db.execute(_MAILED, subscriber_id)
        token = tokens.issue(context.keys, "confirm", subscriber_id, created_at)
        secrets = seal(context.keys, {"link": f"{context.fixed_url}{CONFIRM_PATH}?token={token}"})
        values = {"days": CONFIRM_WITHIN.days, **spoken(data.language)}
        message = Message(to=email, template="status_confirm", values=values, secrets=secrets)
        await mail.enqueue(db, message, queue=MAIL_QUEUE)
    return Subscription(id=ids.encode("sub", subscriber_id), channel="email", status="pending_confirmation")


async def _by_webhook(context: AppContext, db: Db, data: StatusSubscribe, webhook: NewWebhook) -> Subscription:
    url = data.webhook_url or ""
    network = None if webhook.secret.address is None else network_of(webhook.secret.address)
    await make_room(db, url, network, active=False)
    created_at = await db.fetchval(
        _BY_WEBHOOK, webhook.id, url, webhook.secret.sealed, data.component_ids or None, data.language, network
    )
    await deliver.ask(db, webhook.id)
    return Subscription(
        id=ids.encode("sub", webhook.id),
        channel="webhook",
        status="pending_confirmation",
        secret=webhook.secret.plain,
        token=tokens.issue(context.keys, "unsubscribe", webhook.id, created_at),
    )


async def confirm(context: AppContext, db: Db, token: str) -> SubscriptionState:
    """Activate a subscription, with the token that was mailed to its address or sent to its webhook.

    Raises:
        NotFound: the token is of no subscription, or of one that was not confirmed in time.
    """
    row = await _holder_of(context, db, token, "confirm")
    if row["url"] is None:
        await db.execute(_CONFIRM, row["id"])
    elif not row["active"]:
        await activate(db, row)
    return SubscriptionState(id=ids.encode("sub", row["id"]), status="active")


async def unsubscribe(context: AppContext, db: Db, token: str) -> SubscriptionState:
    """Delete a subscription.

    Raises:
        NotFound: the token is of no subscription; perhaps it was ended before.
    """
    row = await _holder_of(context, db, token, "unsubscribe")
    await db.execute(_DELETE, row["id"])
    return SubscriptionState(id=ids.encode("sub", row["id"]), status="unsubscribed")


async def end(db: Db, row: SubscriberRow) -> None:
    """End a subscription, for the staff."""
    await db.execute(_DELETE, row.id)


async def _holder_of(context: AppContext, db: Db, token: str, purpose: Purpose) -> Row:
    subscriber_id = tokens.subscriber_of(token)
    row = None if subscriber_id is None else await db.fetchrow(_FIND, subscriber_id)
    if row is None or not tokens.is_valid(context.keys, token, purpose, row["id"], row["created_at"]):
        raise _unknown_token()
    return row


def _unknown_token() -> problems.NotFound:
    return problems.NotFound(
        "This link no longer works: there is no such subscription.",
        remediation="Subscribe again with `POST /status/subscribe`.",
    )


async def purge(db: Db) -> bool:
    """Delete subscriptions that nobody confirmed in time, a batch of them; return whether to repeat."""
    more = await batches.run(db, [_PURGE], CONFIRM_WITHIN)
    return await batches.run(db, [_PURGE_WEBHOOKS], deliver.CONFIRM_WITHIN) or more


class Receiver(Struct, frozen=True):
    """A webhook and its place."""

    id: UUID
    url: str
    network: str | None


async def make_room(db: Db, url: str, network: str | None, *, active: bool) -> None:
    """Lock the webhooks, and let those that were heard least give way until one more fits, in all and of its place."""
    await db.execute(_LOCK_WEBHOOKS)
    rows = [Receiver(*row) for row in await db.fetch(_LISTED, active)]
    dropped: set[UUID] = set()

    def keep(fitting: list[Receiver], maximum: int) -> None:
        excess = len(fitting) + 1 - maximum
        dropped.update(row.id for row in fitting[: max(excess, 0)])

    if not _is_here(url):
        domain = registrable_domain(url)
        keep([row for row in rows if registrable_domain(row.url) == domain], PER_DOMAIN)
        if network is not None:
            keep([row for row in rows if row.network == network and row.id not in dropped], PER_NETWORK)
    keep([row for row in rows if row.id not in dropped], ACTIVE_MAX if active else WAITING_MAX)
    if dropped:
        await db.execute(_DROP, [*dropped])


async def activate(db: Db, row: Any) -> None:
    """Give news to a receiver from now on, which has said that it wants them."""
    await make_room(db, row["url"], row["network"], active=True)
    await db.execute(_ACTIVATE, row["id"])


def _is_here(url: str) -> bool:
    """Whether this is an address of the same machine, which is allowed for development only."""
    address = parse_url(url).address
    return address is not None and address.is_loopback
