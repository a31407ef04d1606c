"""Tell a workspace, once, that it has used 80 % or all of what its plan allows in a month."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.context import AppContext
from signalpost.engine.turns import Turns
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
"""Workspaces that one transaction looks at."""
KEEP_MONTHS: Final = 3

_WORKSPACES: Final = """
select id from workspace where id > $1 and deleted_at is null and plan = any($2) order by id limit $3
"""
_BEGINNING: Final = UUID(int=0)
# One statement for a batch. Of both thresholds passed since the last look, only the higher one is reported.
_CLAIM: Final = """
with limited as (
    select * from unnest($1::text[], $2::text[], $3::bigint[]) as l(plan, metric, maximum)
), due as (
    select w.id, w.name, w.plan, l.metric, l.maximum, sum(u.used)::bigint as used,
        case when sum(u.used) >= l.maximum then 100 else 80 end as percent
    from usage u join workspace w on w.id = u.workspace_id and w.deleted_at is null
    join limited l on l.plan = w.plan and l.metric = u.metric
    where u.workspace_id = any($5) and u.period = $4
    group by w.id, w.name, w.plan, l.metric, l.maximum
    having sum(u.used) * 100 >= l.maximum * 80 and not exists (
        select from usage_notice n where n.workspace_id = w.id and n.metric = l.metric and n.period = $4
            and n.maximum = l.maximum and n.percent >= case when sum(u.used) >= l.maximum then 100 else 80 end)
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


def turns(context: AppContext) -> Turns[None]:
    """Return the turns that report to workspaces what is new, a batch of them in each transaction."""
    maximums = [
        (plan, limit.name, maximum)
        for limit in limits.LIMITS
        if isinstance(limit, Monthly)
        for plan, maximum in limit.by_plan.items()
        if maximum is not None
    ]
    plans = sorted({plan for plan, _, _ in maximums})

    async def limited(db: Db, after: UUID | None, limit: int) -> Sequence[UUID]:
        return [record[0] for record in await db.fetch(_WORKSPACES, after or _BEGINNING, plans, limit)]

    async def report(db: Db, positions: Mapping[UUID, None], _share: int) -> Mapping[UUID, None]:
        month = month_of(clock.actual())
        columns = (list(column) for column in zip(*maximums, strict=True))
        for record in await db.fetch(_CLAIM, *columns, month, list(positions)):
            await _report(context, db, DueNotice(*record), month)
        return {}

    return Turns(limited, report, page=BATCH, rows=BATCH)


async def forget(db: Db) -> bool:
    """Forget a batch of the notices of months long past; return whether there may be more."""
    return await batches.run(db, [_PURGE], month_of(clock.actual()))


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
