"""Every periodic job ends, however much has gathered, and none of its transactions does more for a larger backlog."""

import dataclasses
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from tests.conftest import _copy
from tests.faults.scene import sizes
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.counted import CountedLease
from tests.helpers.factories import Make
from tests.main.backlogs import BACKLOGS, OTHERS, TENANTS
from tests.main.one_off_jobs import ONE_OFF

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.jobs import Handler
from signalpost.kit import batches
from signalpost.main import app, wiring
from signalpost.settings import Settings

ROWS: Final = batches.ROWS + 1_200
"""More than any transaction may work on."""
READ_MAX: Final = 20 * batches.ROWS
"""Rows that a transaction may read to find what it works on; a tenth of what a full run has gathered, or less."""
FILL_SECONDS = 300
"""The rows come in one statement, which no user of the service could send."""
TRANSACTIONS_MAX: Final = 501
"""Of one run: one that takes longer than five minutes is ended, and begins from scratch."""
_MESSENGERS: Final = {"telegram_bot_token": "1:a", "slack_bot_token": "xoxb-1", "slack_app_token": "xapp-1"}
_ID_OF: Final = """
create or replace function pg_temp.id_of(n int) returns uuid language sql as
    $$ select ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid $$
"""
_FILL_TENANTS: Final = """
with w as (
    insert into workspace (id, name, slug, plan)
    select gen_random_uuid(), 'tenant', gen_random_uuid()::text, 'free' from generate_series(2, $1::int) returning id
), p as (
    insert into profile (id, workspace_id, name, slug, timezone, is_default)
    select gen_random_uuid(), id, 'tenant', 'tenant', 'UTC', true from w returning id, workspace_id
)
insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username, display_name, status,
    connected_via) select gen_random_uuid(), workspace_id, id, 'sandbox', 'personal', id, 'tenant', '', 'active', 'api'
from p
"""
_TENANT: Final = """
create temp table tenant on commit drop as
select row_number() over (order by a.created_at, p.id) - 1 as number, p.workspace_id, p.id, a.id as account_id
from profile p cross join lateral (
    select id, created_at from account where profile_id = p.id order by created_at limit 1) a
where p.is_default order by 1 limit $1
"""
"""Those of the fixture: the first has an owner, and a post at its account."""


@pytest.fixture(scope="module")
async def installation(settings: Settings) -> AsyncIterator[AppContext]:
    """One that sells plans, in a database of its own: its many workspaces would be in the way of other tests."""
    settings = dataclasses.replace(settings, billing_enabled=True)
    async with _copy() as dsn, app.open_context(settings, dsn) as opened, Api(app.create(opened)) as api:
        make = Make(opened, api)
        for plan in ("max", "max", "free"):
            owner = await make.owner(plan=plan)
        await make.account(owner)
        await make.post(owner)
        async with opened.database.transaction() as db:
            await db.execute(_FILL_TENANTS, TENANTS)
        yield opened
        assert opened.engine is not None
        await opened.engine.stop(0)


def handlers_of(context: AppContext) -> dict[str, Handler]:
    periodic = {job.kind: job.handler for job in wiring.job_kinds(context) if job.every_seconds is not None}
    return periodic | {"engine.purge": jobs._purge}


def test_every_job_has_a_backlog_or_is_about_one_thing(context: AppContext) -> None:
    context = dataclasses.replace(context, settings=dataclasses.replace(context.settings, **_MESSENGERS))
    filled, periodic = {backlog.job for backlog in BACKLOGS.values()}, handlers_of(context).keys()
    assert {*periodic} == {*filled, *OTHERS}
    assert not filled & OTHERS.keys()
    assert {job.kind for job in wiring.job_kinds(context)} - {*periodic} == {*ONE_OFF}
    elsewhere = [Path(where) for where in (OTHERS | ONE_OFF).values() if where.startswith("tests/")]
    assert [path for path in elsewhere if not path.exists()] == []


@holds("R22")
@sizes("rows", quick=ROWS, heavy=400_000)
@pytest.mark.parametrize("name", BACKLOGS)
async def test_a_backlog_is_worked_off_in_bounded_transactions(
    installation: AppContext, record: Record, name: str, rows: int
) -> None:
    backlog, database = BACKLOGS[name], installation.database
    rows //= backlog.share
    async with database.transaction() as db:
        await db.execute(_ID_OF)
        await db.execute(_TENANT, TENANTS)
        await db.execute(backlog.fill, rows, timeout=FILL_SECONDS)
        gathered = await db.fetchval(backlog.left)
        await db.execute("analyze webhook, delivery, " + backlog.table)  # as the server does within a minute
    handler = handlers_of(installation)[backlog.job]
    lease: Any = CountedLease(database)
    runs = [0]
    while (again := await handler(lease, {})) is not None and again.after_seconds <= 1:
        runs.append(len(lease.transactions))
    runs.append(len(lease.transactions))
    written = [step.written.get(backlog.table, 0) for step in lease.transactions]
    async with database.connection() as db:
        left = await db.fetchval(backlog.left)
    tried = {"backlogs": 1, "rows": rows}
    record("R22", tried=tried, measured={"rows of a transaction": max(written), "rows left": left})
    assert sum(written) * backlog.covers >= gathered
    assert max(written) <= backlog.at_once < gathered
    assert max(sum(step.read.values()) for step in lease.transactions) <= READ_MAX
    assert max(after - before for before, after in pairwise(runs)) <= TRANSACTIONS_MAX
    assert left == 0
