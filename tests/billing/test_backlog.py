"""Notifications and differences that are old are forgotten in bounded transactions, until none is left."""

from typing import Any, Final

import pytest
from tests.helpers.counted import CountedLease
from tests.helpers.till import Till

from signalpost.billing import work
from signalpost.kit import batches

ROWS: Final = batches.ROWS + 1_200
BACKLOGS: Final = {
    "billing_event": "insert into billing_event (id, workspace_id, type, received_at)"
    " select 'backlog' || n, (select min(id::text)::uuid from workspace), '', now() - interval '100 days'"
    " from generate_series(1, $1::int) n",
    "billing_difference": "insert into billing_difference (id, kind, customer_id, remote_id, detail, found_at,"
    " solved_at, solution) select gen_random_uuid(), 'several', '', 'backlog' || n, '', now(),"
    " now() - interval '500 days', '' from generate_series(1, $1::int) n",
}
_LEFT: Final = "select (select count(*) from billing_event where id like 'backlog%')"
_LEFT_DIFFERENCES: Final = " + (select count(*) from billing_difference where remote_id like 'backlog%')"


@pytest.mark.parametrize("table", BACKLOGS)
async def test_what_is_old_is_forgotten_in_bounded_transactions(till: Till, table: str) -> None:
    database = till.context.database
    await till.make.owner()
    async with database.transaction() as db:
        await db.execute(BACKLOGS[table], ROWS)
    lease: Any = CountedLease(database)
    while await work.keep_up(till.context, lease) is not None:
        pass
    written = [step.written.get(table, 0) for step in lease.transactions]
    assert sum(written) >= ROWS
    assert max(written) <= batches.ROWS
    async with database.connection() as db:
        assert await db.fetchval(_LEFT + _LEFT_DIFFERENCES) == 0
