"""Who is served first when more is due than can be done at once."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from prometheus_client import REGISTRY
from tests.helpers.engine import ALL_DONE, Work, add, running, until, value

from signalpost.engine.backlog import Backlog
from signalpost.engine.contract import Lease
from signalpost.engine.engine import Engine
from signalpost.engine.lanes import LaneStatements
from signalpost.engine.shares import Claimant, Shares
from signalpost.kit import ids
from signalpost.kit.db import Database

NOW = datetime(2026, 11, 1, tzinfo=UTC)
ROOM = Shares(1000, 100, 1000)


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


class Refilled(Work):
    """While old lanes wait, two new ones become ready for each item that ends: of its tenant, or of one that is new."""

    per_lane = 1
    lanes = 16
    lanes_per_workspace = 8
    ENDED_MAX = 3_000

    def __init__(self, database: Database, old: UUID) -> None:
        super().__init__(database)
        self.old = old
        self.ended = 0
        self.old_left = 0

    async def run(self, lease: Lease, item: UUID) -> str | None:
        assert lease.workspace_id is not None
        await super().run(lease, item)
        self.ended += 1
        self.old_left -= lease.workspace_id == self.old
        if self.old_left > 0 and self.ended < self.ENDED_MAX:
            tenant = ids.new_id() if lease.workspace_id == self.old else lease.workspace_id
            await add(self.database, [ids.new_id(), ids.new_id()], workspace_id=tenant)
        return None


async def test_what_is_due_for_long_is_served_however_much_becomes_due_meanwhile(store: Database) -> None:
    """Arrivals are read newest first, and more arrive than can be served: nobody waits behind those who come later."""
    old = ids.new_id()
    lanes = [ids.new_id() for _ in range(10)]
    await add(store, lanes, workspace_id=old, in_seconds=-60)
    for _ in range(30):
        await add(store, [ids.new_id() for _ in range(4)], workspace_id=ids.new_id())
    source = Refilled(store, old)
    source.old_left = 10

    async with running(Engine(store, [source])):
        await until(store, "not exists (select from work where lane = any($1) and done_at is null)", lanes)
        served = source.ended

    assert served < 10 * 2 * 41, "ten turns of about forty tenants"


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
    await until(store, ALL_DONE)
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


async def test_who_arrives_is_found_behind_thousands_that_became_ready_at_once(store: Database) -> None:
    """A burst that is due at one second must not hide for as long as the list is used what becomes ready after it."""
    quiet = ids.new_id()
    await add(store, [ids.new_id() for _ in range(1_500)], workspace_id=ids.new_id())
    async with store.connection() as db:
        statements = LaneStatements(Work(store))
        listed = await statements.by_turn(db, ([], []))
        await add(store, [quiet], workspace_id=ids.new_id())
        arrived = await statements.arrived(db, listed[0]["seen_until"])

    assert quiet in {row["key"] for row in arrived}


def owned_by(owner: UUID, workspaces: Collection[UUID]) -> Callable[[str], str]:
    """SQL of a workspace's tenant, where these have one owner and each other is a tenant of its own."""
    listed = ",".join(f"'{workspace}'" for workspace in workspaces)
    return lambda workspace_id: f"case when {workspace_id} in ({listed}) then '{owner}'::uuid else {workspace_id} end"


async def test_the_workspaces_of_an_owner_share_its_turns_alike(store: Database) -> None:
    """One of them has two lanes before all others; the list gives each workspace one, and the owner one at a time."""
    owner, (busy, idle), other = ids.new_id(), (ids.new_id(), ids.new_id()), ids.new_id()
    lanes = [ids.new_id() for _ in range(5)]
    for lane, workspace in zip(lanes, (busy, busy, idle, other, other), strict=True):
        await add(store, [lane], workspace_id=workspace)
    async with store.connection() as db:
        statements = LaneStatements(Work(store), owned_by(owner, (busy, idle)))
        fresh = await statements.by_turn(db, ([], []))
        served = await statements.by_turn(db, ([owner], [1]))
        arrived = await statements.arrived(db, datetime.min.replace(tzinfo=UTC))

    assert [lanes.index(row["key"]) for row in fresh] == [0, 3, 2, 4, 1]
    assert [lanes.index(row["key"]) for row in served] == [3, 0, 4, 2, 1]
    assert [row["tenant_id"] for row in fresh] == [owner, other, owner, other, owner]
    assert {row["workspace_id"]: row["tenant_id"] for row in arrived} == {busy: owner, idle: owner, other: other}


async def test_many_workspaces_are_served_no_more_than_one(store: Database) -> None:
    """A stranger's 40 workspaces have 400 lanes; ten others have one workspace with four lanes each."""
    owner, workspaces = ids.new_id(), [ids.new_id() for _ in range(40)]
    for workspace in workspaces:
        await add(store, [ids.new_id() for _ in range(10)], workspace_id=workspace)
    others = [ids.new_id() for _ in range(10)]
    for workspace in others:
        await add(store, [ids.new_id() for _ in range(4)], workspace_id=workspace)
    source = Started(store)

    async with running(Engine(store, [source], tenant_sql=owned_by(owner, workspaces))):
        await until(store, ALL_DONE)

    last = max(place for place, workspace in enumerate(source.order) if workspace in others)
    assert last < 2 * 11 * 4, "eleven tenants take turns; a claim or two more were under way"


class Hanging(Work):
    """One network hangs, the others respond at once."""

    async def run(self, lease: Lease, item: UUID) -> str | None:
        if lease.platform == "hangs":
            await asyncio.sleep(60)
        return await super().run(lease, item)


async def test_a_hanging_network_leaves_lanes_to_the_others(store: Database) -> None:
    """200 accounts of four workspaces wait for it; a quiet tenant's posts go out at once."""
    for _ in range(4):
        await add(store, [ids.new_id() for _ in range(50)], workspace_id=ids.new_id(), platform="hangs")
    source = Hanging(store, batch=True)
    source.lanes, source.lanes_per_workspace = 32, 16
    quiet = ids.new_id()
    seconds = []
    async with running(Engine(store, [source]), grace_seconds=0.1) as engine:
        await until(store, "count(*) = 16 from lane where owner is not null")
        for number in range(30):
            (item,) = await add(store, [ids.new_id()], workspace_id=quiet, in_seconds=0.2 * (number % 2))
            seconds.append(await until(store, "done_at is not null from work where id = $1", item) - 0.2 * (number % 2))
        held = Counter(lease.platform for lease in engine._leases())

    assert held["hangs"] == 16
    assert max(seconds) < 30, "for a lane they would wait the minute that the network hangs"


class TestShares:
    @pytest.mark.parametrize(
        ("held", "may"),
        [
            ({}, True),
            ({"a": 15}, True),
            ({"a": 16}, False),  # half of 32 are free
            ({"a": 10, "b": 10}, True),
            ({"a": 11, "b": 10}, False),
            ({"b": 31}, True),
            ({"b": 32}, False),
            ({"a": 1, "b": 30}, False),
        ],
    )
    def test_a_network_holds_no_more_lanes_than_are_free(self, held: dict[str, int], may: bool) -> None:
        shares = Shares(32, 100, 32).with_lanes(
            Claimant(None, None, platform) for platform, lanes in held.items() for _ in range(lanes)
        )

        assert shares.may_hold(Claimant(ids.new_id(), ids.new_id(), "a")) == may

    def test_a_workspace_holds_no_more_than_its_share(self) -> None:
        tenant = ids.new_id()
        full, other = Claimant(tenant, ids.new_id(), None), Claimant(tenant, ids.new_id(), None)
        shares = Shares(32, 4, 32).with_lanes([full] * 4)

        assert not shares.may_hold(full)
        assert shares.may_hold(other)
        shares.give_back(full)
        assert shares.may_hold(full)

    @pytest.mark.parametrize(("per_tenant", "may_hold"), [(6, 6), (32, 16)])
    def test_all_workspaces_of_an_owner_have_one_share(self, per_tenant: int, may_hold: int) -> None:
        """At most `per_tenant`, and no more than are free."""
        owner = ids.new_id()
        shares = Shares(32, 4, per_tenant)
        held = 0
        while shares.may_hold(lane := Claimant(owner, ids.new_id(), None)):
            shares.hold(lane)
            held += 1

        assert held == may_hold
        assert shares.may_hold(Claimant(ids.new_id(), ids.new_id(), None))

    @pytest.mark.parametrize("lanes", [1, 2, 7, 32, 256])
    @pytest.mark.parametrize("held", [0, 1, 3, 16])
    def test_room_may_be_claimed_whoever_it_is_for(self, lanes: int, held: int) -> None:
        lane = Claimant(ids.new_id(), ids.new_id(), "a")
        shares = Shares(lanes, 20, 18).with_lanes([lane] * min(held, lanes))
        for _ in range(shares.room):
            assert shares.may_hold(lane)
            shares.hold(lane)
        assert not shares.may_hold(lane) or shares.room == 0


class TestBacklog:
    def rows(self, *lanes: tuple[UUID, UUID | None, int]) -> list[Any]:
        return [
            {
                "key": key,
                "tenant_id": workspace,
                "workspace_id": workspace,
                "platform": "test",
                "wake_at": NOW + timedelta(seconds=second),
                "seen_until": NOW,
            }
            for key, workspace, second in lanes
        ]

    def test_turns_count_what_a_workspace_holds_already(self) -> None:
        loud, quiet = ids.new_id(), ids.new_id()
        first, second, late = ids.new_id(), ids.new_id(), ids.new_id()
        backlog = Backlog()
        backlog.begin(ROOM.with_lanes([Claimant(loud, loud, None)]))
        backlog.replace(self.rows((first, loud, 0), (second, loud, 1), (late, quiet, 2)))

        assert backlog.take(10, ROOM) == [late, first, second]

    def test_arrivals_go_where_they_belong(self) -> None:
        loud, quiet = ids.new_id(), ids.new_id()
        lanes = [ids.new_id() for _ in range(4)]
        backlog = Backlog()
        backlog.begin(ROOM)
        backlog.replace(self.rows(*((lane, loud, 0) for lane in lanes[:3])))
        assert backlog.take(1, ROOM) == lanes[:1]
        backlog.add(self.rows((lanes[3], quiet, 9), (lanes[1], loud, 0)))

        assert backlog.take(10, ROOM) == [lanes[3], lanes[1], lanes[2]]

    def test_nobody_saves_up_turns(self) -> None:
        """Who was quiet while others worked for hours joins at the present turn."""
        steady, new = ids.new_id(), ids.new_id()
        backlog = Backlog()
        backlog.begin(ROOM)
        for _ in range(50):
            backlog.replace(self.rows((ids.new_id(), steady, 0)))
            backlog.take(1, ROOM)
        burst, next_one = [ids.new_id() for _ in range(3)], ids.new_id()
        backlog.replace(self.rows(*((lane, new, 0) for lane in burst), (next_one, steady, 1)))

        assert backlog.take(10, ROOM) == [burst[0], burst[1], next_one, burst[2]]

    def test_a_full_workspace_is_left_in_the_list(self) -> None:
        full, other = ids.new_id(), ids.new_id()
        lanes = [ids.new_id() for _ in range(3)]
        shares = Shares(100, 2, 100).with_lanes([Claimant(full, full, None)])
        backlog = Backlog()
        backlog.begin(Shares(100, 2, 100))
        backlog.replace(self.rows((lanes[0], full, 0), (lanes[1], full, 0), (lanes[2], other, 1)))

        assert backlog.take(10, shares) == [lanes[0], lanes[2]]
        assert backlog.take(10, Shares(100, 2, 100)) == [lanes[1]]

    def test_an_empty_list_ends_it(self) -> None:
        backlog = Backlog()
        backlog.begin(ROOM)
        backlog.replace([])

        assert not backlog.active
