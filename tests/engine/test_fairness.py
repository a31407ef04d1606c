"""Who is served first when more is due than can be done at once."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from prometheus_client import REGISTRY
from tests.helpers.engine import ALL_DONE, Work, add, running, until, value

from signalpost.engine.backlog import Backlog
from signalpost.engine.contract import Lease
from signalpost.engine.engine import Engine
from signalpost.engine.lanes import LaneStatements
from signalpost.kit import ids
from signalpost.kit.db import Database

NOW = datetime(2026, 11, 1, tzinfo=UTC)


class Started(Work):
    """Remembers in which order items start."""

    per_lane = 1
    lanes = 16
    lanes_per_workspace = 8

    def __init__(self, database: Database) -> None:
        super().__init__(database, batch=True)
        self.order: list[UUID | None] = []
        self.on_run = self._remember

    def _remember(self, lease: Lease, _item: UUID) -> None:
        self.order.append(lease.workspace_id)


def failures() -> float:
    return REGISTRY.get_sample_value("signalpost_engine_loop_failures_total", {"loop": "claim"}) or 0.0


async def test_in_a_backlog_workspaces_take_turns(store: Database) -> None:
    """However many accounts a workspace has, and however much is due: the last one is served in the first round."""
    before = failures()
    workspaces = {ids.new_id(): 1 + 60 * (number < 5) for number in range(200)}  # the first five have 61 accounts
    for workspace, accounts in workspaces.items():
        lanes = [ids.new_id() for _ in range(accounts)]
        await add(store, lanes * 3, workspace_id=workspace)
    source = Started(store)

    async with running(Engine(store, [source])):
        await until(store, ALL_DONE)

    assert Counter(source.order) == {workspace: accounts * 3 for workspace, accounts in workspaces.items()}
    last_to_begin = max(source.order.index(workspace) for workspace in workspaces)
    assert last_to_begin < 2 * len(workspaces)
    assert failures() == before


async def test_a_quiet_tenant_does_not_wait_for_the_list_to_be_used_up(store: Database) -> None:
    loud, quiet = ids.new_id(), ids.new_id()
    await add(store, [ids.new_id() for _ in range(400)] * 20, workspace_id=loud)
    source = Started(store)
    behind = []

    async with running(Engine(store, [source])):
        await until(store, "count(*) > 200 from work where done_at is not null")
        for number in range(1, 21):
            already = len(source.order)
            (item,) = await add(store, [ids.new_id()], workspace_id=quiet)
            await until(store, "done_at is not null from work where id = $1", item)
            places = [place for place, workspace in enumerate(source.order) if workspace == quiet]
            assert len(places) == number
            behind.append(places[-1] - already)
        assert await value(store, "count(*) > 0 from work where next_attempt_at is not null"), "burst was over"

    assert sorted(behind)[-2] < 150, behind  # of 8,000


async def test_a_workspace_never_holds_more_lanes_than_its_share(store: Database) -> None:
    workspace = ids.new_id()
    await add(store, [ids.new_id() for _ in range(50)], workspace_id=workspace)
    await add(store, [ids.new_id() for _ in range(50)], workspace_id=ids.new_id())
    source = Work(store, seconds=0.02)
    source.lanes, source.lanes_per_workspace = 12, 4
    async with running(Engine(store, [source])) as engine:
        held = 0
        while await value(store, f"not ({ALL_DONE})"):
            leases = Counter(lease.workspace_id for lease in engine._leases())
            held = max(held, *leases.values(), 0)

    assert held == 4


@pytest.mark.parametrize("workers", [2, 3])
async def test_workers_of_one_backlog_do_everything_once(store: Database, workers: int) -> None:
    """Their lists name the same lanes."""
    for _ in range(20):
        await add(store, [ids.new_id() for _ in range(40)], workspace_id=ids.new_id())
    engines = [Engine(store, [Started(store)]) for _ in range(workers)]
    tasks = [running(engine) for engine in engines]
    for task in tasks:
        await task.__aenter__()
    await until(store, ALL_DONE, seconds=10)
    for task in tasks:
        await task.__aexit__(None, None, None)

    assert await value(store, "count(*) from work where runs = 1") == 800


async def test_the_list_is_ranked_by_turn(store: Database) -> None:
    loud, quiet = ids.new_id(), ids.new_id()
    first, second = ids.new_id(), ids.new_id()
    late = [ids.new_id() for _ in range(3)]
    for lane, workspace in ((first, loud), (second, loud), *((lane, quiet) for lane in late)):
        await add(store, [lane], workspace_id=workspace)
    async with store.connection() as db:
        statements = LaneStatements(Work(store))
        fresh = await statements.by_turn(db, ([], []))
        served = await statements.by_turn(db, ([loud], [1]))

    assert [row["key"] for row in fresh] == [first, late[0], second, late[1], late[2]]
    assert [row["key"] for row in served] == [late[0], first, late[1], second, late[2]]
    assert {row["seen_until"] for row in served} == {max(row["wake_at"] for row in served)}


class TestBacklog:
    def rows(self, *lanes: tuple[UUID, UUID | None, int]) -> list[dict[str, object]]:
        return [
            {"key": key, "workspace_id": workspace, "wake_at": NOW + timedelta(seconds=second), "seen_until": NOW}
            for key, workspace, second in lanes
        ]

    def test_turns_count_what_a_workspace_had_already(self) -> None:
        loud, quiet = ids.new_id(), ids.new_id()
        first, second, late = ids.new_id(), ids.new_id(), ids.new_id()
        backlog = Backlog()
        backlog.begin(Counter({loud: 1}))
        backlog.replace(self.rows((first, loud, 0), (second, loud, 1), (late, quiet, 2)))  # type: ignore[arg-type]

        assert backlog.take(10, Counter(), 100) == [late, first, second]

    def test_arrivals_go_where_they_belong(self) -> None:
        loud, quiet = ids.new_id(), ids.new_id()
        lanes = [ids.new_id() for _ in range(4)]
        backlog = Backlog()
        backlog.begin(Counter())
        backlog.replace(self.rows(*((lane, loud, 0) for lane in lanes[:3])))  # type: ignore[arg-type]
        assert backlog.take(1, Counter(), 100) == lanes[:1]
        backlog.count(self.rows((lanes[0], loud, 0)))  # type: ignore[arg-type]
        backlog.add(self.rows((lanes[3], quiet, 9), (lanes[1], loud, 0)))  # type: ignore[arg-type]

        assert backlog.take(10, Counter(), 100) == [lanes[3], lanes[1], lanes[2]]

    def test_a_full_workspace_is_left_in_the_list(self) -> None:
        full, other = ids.new_id(), ids.new_id()
        lanes = [ids.new_id() for _ in range(3)]
        backlog = Backlog()
        backlog.begin(Counter())
        backlog.replace(self.rows((lanes[0], full, 0), (lanes[1], full, 0), (lanes[2], other, 1)))  # type: ignore[arg-type]

        assert backlog.take(10, Counter({full: 1}), 2) == [lanes[0], lanes[2]]
        assert backlog.take(10, Counter(), 2) == [lanes[1]]

    def test_an_empty_list_ends_it(self) -> None:
        backlog = Backlog()
        backlog.begin(Counter())
        backlog.replace([])

        assert not backlog.active
