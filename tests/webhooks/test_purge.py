"""The purge of deliveries works in steps that depend neither on how many webhooks there are nor on what they keep."""

from typing import Any, Final, cast

from tests.helpers.counted import CountedLease
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.kit.db import Database
from signalpost.webhooks import work
from signalpost.webhooks.actions import purge

WEBHOOKS: Final = 6_000
KEPT: Final = 4_000
_FILL: Final = """
with h as (
    insert into webhook (id, workspace_id, url, name, events, secret, created_by, status)
    select gen_random_uuid(), $1, 'https://hooks.example', 'many', '{post.published}', '', '{}', 'disabled'
    from generate_series(1, $2::int)
    returning id
)
insert into delivery (id, workspace_id, webhook_id, event_id, type, body, state, created_at)
select gen_random_uuid(), $1, h.id, gen_random_uuid(), 'post.published', '', 'skipped', now() - interval '20 days'
from (select id from h limit 1) h, generate_series(1, $3::int)
"""


async def test_a_step_looks_at_so_many_rows(context: AppContext, database: Database, make: Make) -> None:
    """One webhook keeps what it missed, older than what has ended is kept; thousands have nothing."""
    owner = await make.owner()
    async with database.transaction() as db:
        await db.execute(_FILL, owner.workspace_id, WEBHOOKS, KEPT)
        await db.execute("analyze webhook, delivery")
    handler = next(job.handler for job in work.jobs(context) if job.kind == work.PURGE_JOB)
    lease: Any = CountedLease(database)

    runs = 1
    while await handler(cast("Lease", lease), {}) is not None:
        runs += 1
        assert runs < 100

    rows = [step.rows for step in lease.transactions]
    assert max(rows) <= purge.ROWS + 4 * purge.WEBHOOKS, sorted(rows)[-5:]
    async with database.connection() as db:
        assert await db.fetchval("select count(*) from delivery where workspace_id = $1", owner.workspace_id) == KEPT
