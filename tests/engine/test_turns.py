"""Work over all tenants is done in small transactions, in turns, whatever their number and backlogs are."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast
from uuid import UUID

import pytest

from signalpost.engine.contract import Lease
from signalpost.engine.jobs import RunAgain
from signalpost.engine.turns import AT_ONCE, STEPS, Turns
from signalpost.kit.db import Db


class Backlogs:
    """So many rows of each key; what each transaction has done, in order."""

    def __init__(self, left: Mapping[UUID, int]) -> None:
        self.left = dict(left)
        self.steps: list[Counter[UUID]] = []
        self.fails = False

    async def keys(self, _db: Db, after: UUID | None, limit: int) -> Sequence[UUID]:
        return [key for key in sorted(self.left) if after is None or key > after][:limit]

    async def work(self, _db: Db, positions: Mapping[UUID, int | None], share: int) -> dict[UUID, int]:
        if self.fails:
            raise TimeoutError
        done = Counter({key: min(share, self.left[key]) for key in positions})
        self.steps.append(done)
        self.left.update({key: self.left[key] - count for key, count in done.items()})
        return {key: (positions[key] or 0) + count for key, count in done.items() if count == share}


class _Lease:
    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        yield None


LEASE = cast("Lease", cast("Any", _Lease()))


def keys_of(count: int) -> list[UUID]:
    return [UUID(int=number) for number in range(1, count + 1)]


async def test_no_transaction_does_more_for_more_tenants_or_more_rows() -> None:
    for tenants, rows in ((3, 10), (300, 10), (300, 1_000)):
        backlogs = Backlogs(dict.fromkeys(keys_of(tenants), rows))
        turns = Turns(backlogs.keys, backlogs.work, page=50, rows=100)
        while await turns.run(LEASE):
            pass
        assert sum(backlogs.left.values()) == 0
        assert max(step.total() for step in backlogs.steps) <= 100
        assert max(len(step) for step in backlogs.steps) <= 50


async def test_a_tenant_with_a_long_backlog_holds_nobody_up() -> None:
    tenants = keys_of(200)
    backlogs = Backlogs({key: 50_000 if number < 40 else 1 for number, key in enumerate(tenants)})
    turns = Turns(backlogs.keys, backlogs.work, page=20, rows=100)
    assert await turns.run(LEASE) == RunAgain(0)
    assert len(backlogs.steps) == STEPS
    assert [key for key in tenants[40:] if backlogs.left[key]] == [], "ten pages fit into twenty steps"
    for _ in range(4):
        assert await turns.run(LEASE) == RunAgain(0)
    shares = [50_000 - backlogs.left[key] for key in tenants[:40]]
    assert max(shares) - min(shares) <= 100 // AT_ONCE, "those with more have equal shares"


async def test_a_step_that_fails_is_repeated() -> None:
    backlogs = Backlogs(dict.fromkeys(keys_of(30), 7))
    turns = Turns(backlogs.keys, backlogs.work, page=10, rows=50)
    assert await turns.step(LEASE)
    backlogs.fails = True
    with pytest.raises(TimeoutError):
        await turns.step(LEASE)
    backlogs.fails = False
    assert await turns.run(LEASE) is None
    assert sum(backlogs.left.values()) == 0
