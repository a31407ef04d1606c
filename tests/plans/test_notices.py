"""A workspace is told once that it has used 80 % of a month, and once that it has used all of it."""

import dataclasses
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from tests.helpers.counted import CountedLease
from tests.helpers.factories import Make

from signalpost import events
from signalpost.context import AppContext
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.plans import actions as plans
from signalpost.plans import limits, notices, work


@pytest.fixture
def told(context: AppContext) -> tuple[AppContext, list[events.PublicEvent]]:
    """An installation that sells plans, and the events of usage that it emits."""
    emitted: list[events.PublicEvent] = []
    sold = dataclasses.replace(
        context,
        settings=dataclasses.replace(context.settings, billing_enabled=True),
        subscribers=type(context.subscribers)(list),
    )

    async def note(_context: AppContext, _db: Db, news: Any) -> None:
        emitted.extend(news)

    for kind in (events.UsageWarning, events.UsageExceeded):
        sold.subscribe(kind, note)
    return sold, emitted


async def report(context: AppContext) -> None:
    """Look at all workspaces once."""
    handler = next(job.handler for job in work.jobs(context) if job.kind == work.NOTICE_JOB)
    lease: Any = CountedLease(context.database)
    while await handler(lease, {}):
        pass


async def use(context: AppContext, workspace_id: UUID, total: int) -> None:
    async with context.database.transaction() as db:
        await db.execute(
            "insert into usage (workspace_id, metric, period, stripe, used) values ($1, 'posts', $2, 0, $3)"
            " on conflict (workspace_id, metric, period, stripe) do update set used = excluded.used",
            workspace_id, plans.month_of(clock.actual()), total,
        )  # fmt: skip


async def test_each_threshold_is_reported_once_by_event_and_mail(
    told: tuple[AppContext, list[events.PublicEvent]], make: Make
) -> None:
    """Again after an upgrade, since then there is another limit."""
    context, emitted = told
    owner = await make.owner(plan="free")
    seen = []
    for total, plan in ((23, "free"), (24, "free"), (25, "free"), (30, "free"), (30, "free"), (30, "starter"),
                        (170, "starter"), (200, "starter"), (200, "max")):  # fmt: skip
        async with context.database.transaction() as db:
            await plans.change_plan(context, db, owner.workspace_id, plan)
        await use(context, owner.workspace_id, total)
        emitted.clear()
        for _ in range(2):
            await report(context)
        mine = [event for event in emitted if event.workspace_id == owner.workspace_id]
        seen.append([(event.type, event.data.used, event.data.max) for event in mine])  # type: ignore[attr-defined] # usage

    assert seen == [
        [], [("usage.warning", 24, 30)], [], [("usage.exceeded", 30, 30)], [], [],
        [("usage.warning", 170, 200)], [("usage.exceeded", 200, 200)], [],
    ]  # fmt: skip
    async with context.database.connection() as db:
        rows = await db.fetch("select payload from job where kind = 'mail.send' and payload ->> 'to' = $1", owner.email)
    mails = [row[0] for row in rows if row[0]["template"] == "usage_notice"]
    assert sorted((mail["values"]["used"], mail["values"]["all"]) for mail in mails) == [
        (24, False), (30, True), (170, False), (200, True),
    ]  # fmt: skip


async def test_of_two_thresholds_passed_at_once_only_the_higher_is_reported(
    told: tuple[AppContext, list[events.PublicEvent]], make: Make
) -> None:
    context, emitted = told
    owner = await make.owner(plan="free")
    await use(context, owner.workspace_id, limits.POSTS.of("free") or 0)
    await report(context)

    assert [event.type for event in emitted if event.workspace_id == owner.workspace_id] == ["usage.exceeded"]


async def test_what_was_used_in_other_months_is_not_read(make: Make) -> None:
    """The ledger keeps every month of every workspace, and notices look at one of them every two minutes."""
    async with make.context.database.transaction() as db:
        await db.execute(
            "insert into usage (workspace_id, metric, period, stripe, used)"
            " select gen_random_uuid(), 'posts', date '2001-01-01' + make_interval(months => n % 200), 0, 1"
            " from generate_series(1, 20000) n"
        )
        await db.execute("analyze usage")
        # As with many workspaces and months, of which this database has few.
        await db.execute("set local enable_nestloop = off; set local enable_seqscan = off")
        parameters = ([], [], [], plans.month_of(clock.actual()), [])
        plan = await db.fetchval("explain (format json) " + notices._CLAIM, *parameters)
        await db.execute("delete from usage where period < '2020-01-01'")

    reads = [node for node in _nodes(plan[0]["Plan"]) if node.get("Relation Name") == "usage"]
    assert reads
    conditions = [node.get("Index Cond") or node.get("Recheck Cond") or "" for node in reads]
    assert all("period" in condition for condition in conditions), reads


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)
