"""Send again what happened in a range of time: written as one document of the webhook, done in steps by a job.

At most `WAITING_MAX` of its deliveries wait at one time, so that new events of the webhook pass between them.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from signalpost.engine import jobs
from signalpost.events import PUBLIC_EVENTS
from signalpost.kit import clock, ids, issue_text, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.web.caller import Caller
from signalpost.web.fields import WebhookId
from signalpost.web.inputs import deleted_meanwhile
from signalpost.webhooks import queries, views
from signalpost.webhooks.actions.deliveries import AGAIN, TEST_EVENT, inactive
from signalpost.webhooks.actions.wake import wake_now
from signalpost.webhooks.queries import WEBHOOK_COLUMNS, ReplayRow, WebhookRow, read_webhook
from signalpost.webhooks.schemas import Replay, ReplayCreate, Webhook
from signalpost.webhooks.states import MISSED_DAYS, UNDELIVERED

JOB: Final = "webhooks.replay"
STEP_SECONDS: Final = 1.0
WAITING_MAX: Final = 200
LOOKED_AT_MAX: Final = 5_000
"""How many deliveries one step looks at, whatever their states and types are."""

_WRITE: Final = """
update webhook set replay = $3, updated_at = now() where id = $1 and workspace_id = $2
"""
_READ: Final = f"""
select {WEBHOOK_COLUMNS} from webhook where id = $1 and workspace_id = $2 and status = 'active' and deleted_at is null
"""  # noqa: S608 - constants only
_WAITING: Final = """
select count(*) from (
    select from delivery where webhook_id = $1 and workspace_id = $2 and due_at <= now() limit $3) w
"""
_STEP: Final = f"""
with span as materialized (
    select id, created_at, state, type from delivery
    where webhook_id = $1 and workspace_id = $2 and created_at >= $3 and created_at < $4
        and ($5::timestamptz is null or (created_at, id) > ($5, $6))
    order by created_at, id limit $7
), chosen as materialized (
    select id, created_at from span
    where state = any($8) and ($9::text[] is null or type = any($9)) order by created_at, id limit $10
), again as (
    update delivery d set {AGAIN} from chosen c, webhook w
    where d.id = c.id and w.id = $1 and d.state = any($8) returning d.id
), ends as (
    select 1 as n, created_at, id from (select * from chosen order by created_at desc, id desc limit 1) c
    union all select 2, created_at, id from (select * from span order by created_at desc, id desc limit 1) s
)
select (select count(*) from again) as replayed, (select count(*) from chosen) as chosen,
    (select count(*) from span) as looked_at, array_agg(created_at order by n) as ats, array_agg(id order by n) as ids
from ends
"""  # noqa: S608 - constants only


async def request_replay(db: Db, caller: Caller, webhook: WebhookRow, data: ReplayCreate) -> Replay:
    """Have the deliveries of a range sent again. The same request while it runs changes nothing.

    Raises:
        ValidationFailed: the range is empty, or a type is unknown.
        InvalidState: the webhook is not active, or another replay is running.
        NotFound: the webhook was deleted meanwhile.
    """
    _check(data)
    await resume_replay(db, webhook)  # first: it locks the lane of the job
    row = await queries.lock_mine(db, caller, webhook.id)
    if row is None:
        raise deleted_meanwhile(WebhookId, webhook.id)
    if row.status != "active":
        raise inactive(row)
    now = clock.now()
    replay = ReplayRow(
        after=data.from_ or now - timedelta(days=MISSED_DAYS),
        before=data.to or now,
        types=data.types or None,
        states=list(data.states or UNDELIVERED),
        requested_at=now,
    )
    if row.replay is not None and row.replay.finished_at is None:
        if not _is_same(row.replay, replay, data):
            raise problems.InvalidState(
                "Another replay of this webhook is running. Wait for its end, or stop it first."
            )
        replay = row.replay
    else:
        await _write(db, row, replay)
    return views.replay(replay)


async def stop_replay(db: Db, caller: Caller, webhook: WebhookRow) -> Webhook:
    """Stop the replay that is running; what it has made due is still sent. No replay running: nothing changes.

    Raises:
        NotFound: the webhook was deleted meanwhile.
    """
    row = await queries.lock_mine(db, caller, webhook.id)
    if row is None:
        raise deleted_meanwhile(WebhookId, webhook.id)
    if row.replay is not None and row.replay.finished_at is None:
        row.replay.finished_at, row.replay.stopped = clock.now(), True
        await _write(db, row, row.replay)
    return views.webhook(row)


async def resume_replay(db: Db, webhook: WebhookRow) -> None:
    """Have the job go on with the webhook's replay. Its lane is locked before that of deliveries and the webhook."""
    payload = {"webhookId": ids.encode("whk", webhook.id)}
    await jobs.enqueue(db, JOB, payload, unique_key=f"{JOB}:{webhook.id}", workspace_id=webhook.workspace_id)


async def advance(db: Db, workspace_id: UUID, webhook_id: UUID) -> float | None:
    """Make the next deliveries of a replay due; return after how many seconds to call this again, or None.

    A replay of a webhook that is not active waits until it is: `update_webhook` resumes it.
    """
    record = await db.fetchrow(_READ, webhook_id, workspace_id)
    if record is None or (webhook := read_webhook(record)).replay is None or webhook.replay.finished_at is not None:
        return None
    await wake_now(db, webhook)  # first: it locks the lane
    waiting = await db.fetchval(_WAITING, webhook_id, workspace_id, WAITING_MAX)
    if waiting >= WAITING_MAX:
        return STEP_SECONDS
    replay = webhook.replay
    is_over = await _step(db, webhook, replay, WAITING_MAX - waiting)
    latest = await db.fetchrow(_READ + " for no key update", webhook_id, workspace_id)
    if latest is None:
        return None
    current = read_webhook(latest).replay
    if current is None or current.requested_at != replay.requested_at or current.finished_at is not None:
        return None  # stopped meanwhile
    if is_over:
        replay.finished_at = clock.now()
    await _write(db, webhook, replay)
    return None if is_over else STEP_SECONDS


async def _step(db: Db, webhook: WebhookRow, replay: ReplayRow, room: int) -> bool:
    """Make up to `room` deliveries due, and note it in `replay`; return whether nothing of the range is left."""
    [record] = await db.fetch(
        _STEP,
        webhook.id,
        webhook.workspace_id,
        replay.after if replay.cursor_at is None else replay.cursor_at,
        replay.before,
        replay.cursor_at,
        replay.cursor_id,
        LOOKED_AT_MAX,
        replay.states,
        replay.types,
        room,
    )
    is_full = record["chosen"] == room
    if record["looked_at"]:  # all of them were looked at, or those up to the last one that there was room for
        end = 0 if is_full else -1
        replay.cursor_at, replay.cursor_id = record["ats"][end], record["ids"][end]
    replay.replayed += record["replayed"]
    return not is_full and record["looked_at"] < LOOKED_AT_MAX


async def _write(db: Db, webhook: WebhookRow, replay: ReplayRow) -> None:
    await db.execute(_WRITE, webhook.id, webhook.workspace_id, replay)


def _check(data: ReplayCreate) -> None:
    allowed = [*PUBLIC_EVENTS, TEST_EVENT]
    issues = [
        issue_text.not_allowed(f"/types/{index}", name, allowed)
        for index, name in enumerate(data.types or ())
        if name not in allowed
    ]
    if data.from_ is not None and data.from_ >= (data.to or clock.now()):
        issues.append(Issue("/from", "out_of_range", "Must be before `to`, and in the past."))
    if issues:
        raise problems.ValidationFailed(errors=issues)


def _is_same(running: ReplayRow, requested: ReplayRow, data: ReplayCreate) -> bool:
    """Return whether the request is for what is running; a time that it leaves out is that of the running one."""
    return (running.types, running.states) == (requested.types, requested.states) and all(
        bound is None or bound == of_running
        for bound, of_running in ((data.from_, running.after), (data.to, running.before))
    )
