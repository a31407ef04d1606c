"""Tell a workspace, once, that it has used 80 % or all of what its plan allows in a month."""

from datetime import date
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.context import AppContext
from signalpost.events import UsageData, UsageExceeded, UsageWarning
from signalpost.kit import batches, clock
from signalpost.kit.db import Db
from signalpost.mail import actions as mail
from signalpost.mail.messages import Message
from signalpost.plans import limits
from signalpost.plans.actions import month_of
from signalpost.plans.limits import Monthly

WARN_AT: Final = 80
ALL: Final = 100
BATCH: Final = 200
KEEP_MONTHS: Final = 3

# One statement for all workspaces. Of both thresholds passed since the last look, only the higher one is reported.
_CLAIM: Final = """
with limited as (
    select * from unnest($1::text[], $2::text[], $3::bigint[]) as l(plan, metric, maximum)
), due as (
    select w.id, w.name, w.plan, l.metric, l.maximum, sum(u.used)::bigint as used,
        case when sum(u.used) >= l.maximum then 100 else 80 end as percent
    from usage u join workspace w on w.id = u.workspace_id and w.deleted_at is null
    join limited l on l.plan = w.plan and l.metric = u.metric
    where u.period = $4
    group by w.id, w.name, w.plan, l.metric, l.maximum
    having sum(u.used) * 100 >= l.maximum * 80 and not exists (
        select from usage_notice n where n.workspace_id = w.id and n.metric = l.metric and n.period = $4
            and n.maximum = l.maximum and n.percent >= case when sum(u.used) >= l.maximum then 100 else 80 end)
    order by w.id limit $5
), claimed as (
    insert into usage_notice (workspace_id, metric, period, maximum, percent)
    select id, metric, $4, maximum, percent from due on conflict do nothing returning workspace_id, metric
)
select d.id, d.name, d.plan, d.metric, d.maximum, d.used, d.percent, a.email
from due d join claimed c on c.workspace_id = d.id and c.metric = d.metric
join member m on m.workspace_id = d.id and m.role = 'owner' and m.status = 'active'
join app_user a on a.id = m.user_id
"""
_PURGE: Final = batches.delete("usage_notice", f"period < $1::date - interval '{KEEP_MONTHS} months'")


class DueNotice(NamedTuple):
    """How much of a limit a workspace has used, and who owns it."""

    workspace_id: UUID
    workspace: str
    plan: str
    metric: str
    maximum: int
    used: int
    percent: int
    email: str


async def send_due(context: AppContext, db: Db) -> bool:
    """Report to a batch of workspaces what is new, and forget a batch of old notices; return whether to repeat."""
    rows = [
        (plan, limit.name, maximum)
        for limit in limits.LIMITS
        if isinstance(limit, Monthly)
        for plan, maximum in limit.by_plan.items()
        if maximum is not None
    ]
    month = month_of(clock.actual())
    plans, metrics, maximums = (list(column) for column in zip(*rows, strict=True))
    notices = [DueNotice(*record) for record in await db.fetch(_CLAIM, plans, metrics, maximums, month, BATCH)]
    for notice in notices:
        await _report(context, db, notice, month)
    return await batches.run(db, [_PURGE], month) or len(notices) >= BATCH


async def _report(context: AppContext, db: Db, notice: DueNotice, month: date) -> None:
    kind = UsageExceeded if notice.percent == ALL else UsageWarning
    data = UsageData(
        limit=notice.metric,
        used=notice.used,
        max=notice.maximum,
        percent=notice.percent,
        plan=notice.plan,
        period=month.isoformat(),
    )
    event = kind(workspace_id=notice.workspace_id, at=clock.actual(), profile_id=None, mode="live", data=data)
    await context.emit(db, event)
    values = {
        "workspace": notice.workspace,
        "plan": notice.plan,
        "used": notice.used,
        "maximum": notice.maximum,
        "what": WORDS[notice.metric],
        "all": notice.percent == ALL,
    }
    message = Message(to=notice.email, template="usage_notice", values=values)
    await mail.enqueue(db, message, workspace_id=notice.workspace_id)


WORDS: Final = {"posts": "posts", "aiCaptions": "captions by AI"}
