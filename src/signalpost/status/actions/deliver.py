"""Give news to subscribers: mails go to the outbox, webhooks get a job each, which tries again as long as it may."""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct

from signalpost.context import AppContext, StatusNotice
from signalpost.engine import jobs
from signalpost.kit import clock, ids
from signalpost.kit.db import Db, Row
from signalpost.mail import actions as mail
from signalpost.mail.languages.texts import spoken
from signalpost.mail.messages import UNSUBSCRIBE, Message, seal
from signalpost.status import tokens
from signalpost.status.actions import notify
from signalpost.status.actions.notify import MAIL_QUEUE, News
from signalpost.status.tokens import unsubscribe_url

JOB: Final = "status.deliver"
BATCH: Final = 100
RETRY_SECONDS: Final = (60, 300, 1_800, 7_200, 43_200)
FAILURES_MAX: Final = 10
"""So many deliveries in a row that failed for good end a subscription."""

_NEXT = """
select id, email, language, created_at from status_subscriber
where active and id > coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid) and ($4 or url is not null)
    and ($2::uuid[] = '{}' or component_ids is null or component_ids && $2)
order by id limit $3
"""
CONFIRM: Final = "status.confirm"
"""What a receiver gets that has not said yet whether it wants news."""
CONFIRM_WITHIN: Final = timedelta(hours=1)

_FIND = "select url, secret, created_at from status_subscriber where id = $1 and active <> $2 and url is not null"
_DELIVERED = "update status_subscriber set failures = 0, heard_at = now() where id = $1 and active"
_FAILED = "update status_subscriber set failures = failures + 1 where id = $1"
_END = "delete from status_subscriber where id = $1 and failures >= $2"


class Delivery(Struct, kw_only=True):
    """One delivery to one webhook: the body stays the same over all attempts."""

    id: UUID
    subscriber_id: UUID
    type: str
    body: str
    attempts: int = 0


async def give(context: AppContext, db: Db, news: News) -> None:
    """Give news to the next hundred subscribers, and leave the others to another job."""
    by_mail = news.type == notify.INCIDENT
    rows = await db.fetch(_NEXT, news.after, news.component_ids, BATCH, by_mail)
    for row in rows:
        if row["email"] is None:
            await _enqueue(db, _delivery(news, row["id"]))
        else:
            await mail.enqueue(db, _message(context, news.data, row), queue=MAIL_QUEUE)
    if len(rows) == BATCH:
        await notify.send(db, msgspec.structs.replace(news, after=rows[-1]["id"]))


def _message(context: AppContext, incident: dict[str, Any], row: Row) -> Message:
    token = tokens.issue(context.keys, "unsubscribe", row["id"], row["created_at"])
    update = incident["updates"][0]
    values = {
        "title": incident["title"],
        "status": update["status"].replace("_", " "),
        "body": update["body"],
        "link": f"{context.fixed_url}/status",
        **spoken(row["language"]),
    }
    secrets = seal(context.keys, {UNSUBSCRIBE: unsubscribe_url(context, token)})
    return Message(to=row["email"], template="status_incident", values=values, secrets=secrets)


def _delivery(news: News, subscriber_id: UUID) -> Delivery:
    delivery_id = ids.new_id()
    return Delivery(
        id=delivery_id,
        subscriber_id=subscriber_id,
        type=news.type,
        body=_body(delivery_id, news.type, news.data).decode(),
    )


def _body(delivery_id: UUID, type_: str, data: dict[str, Any]) -> bytes:
    created_at = clock.wire(clock.now())
    return msgspec.json.encode(
        {"id": ids.encode("dlv", delivery_id), "type": type_, "createdAt": created_at, "data": data}
    )


async def ask(db: Db, subscriber_id: UUID) -> None:
    """Send a receiver the token by which it says that it wants news; once, since it is asked for again easily."""
    await _enqueue(db, Delivery(id=ids.new_id(), subscriber_id=subscriber_id, type=CONFIRM, body=""))


def _question(context: AppContext, delivery: Delivery, created_at: datetime) -> bytes:
    """Return the body with the token, which is in no row."""
    token = tokens.issue(context.keys, "confirm", delivery.subscriber_id, created_at)
    return _body(delivery.id, CONFIRM, {"token": token, "expiresAt": clock.wire(created_at + CONFIRM_WITHIN)})


async def _enqueue(db: Db, delivery: Delivery, *, after_seconds: int = 0) -> None:
    run_at = clock.actual() + timedelta(seconds=after_seconds) if after_seconds else None
    # Strangers ask, and choose whom: however slow those are, news wait behind none of it.
    queue = CONFIRM if delivery.type == CONFIRM else None
    await jobs.enqueue(db, JOB, msgspec.to_builtins(delivery), queue=queue, run_at=run_at)


async def attempt(context: AppContext, delivery: Delivery) -> str | None:
    """Send a delivery; return why it failed. Success, too, if the subscription has ended."""
    async with context.database.connection() as db:
        row = await db.fetchrow(_FIND, delivery.subscriber_id, delivery.type == CONFIRM)
    if row is None:
        return None
    body = _question(context, delivery, row["created_at"]) if delivery.type == CONFIRM else delivery.body.encode()
    notice = StatusNotice(
        id=delivery.id, subscriber_id=delivery.subscriber_id, url=row["url"], secret=row["secret"],
        type=delivery.type, body=body, attempts=delivery.attempts,
    )  # fmt: skip
    return await context.hooks.send_status_notice(context, notice)


async def settle(db: Db, delivery: Delivery, error: str | None) -> None:
    """Write how an attempt ended: the next one is a job of its own."""
    if error is None:
        await db.execute(_DELIVERED, delivery.subscriber_id)
    elif delivery.type == CONFIRM:
        return
    elif delivery.attempts < len(RETRY_SECONDS):
        seconds = RETRY_SECONDS[delivery.attempts]
        await _enqueue(db, msgspec.structs.replace(delivery, attempts=delivery.attempts + 1), after_seconds=seconds)
    else:
        await db.execute(_FAILED, delivery.subscriber_id)
        await db.execute(_END, delivery.subscriber_id, FAILURES_MAX)
