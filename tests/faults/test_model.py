"""Any history that people and networks can make up: never doubled, never early, never lost, and the states are true.

The machine draws requests, faults of the network and passing time; real API, engine and database do them, a model
(`model.py`) says what must come of it, and the ledger of the network what did. A history that breaks a rule is shrunk
to the shortest one that does, and printed as a program. The same seed draws the same histories.
"""

import asyncio
import os
from collections.abc import Coroutine, Iterator
from functools import partial
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from tests.faults.model import Post
from tests.faults.model_checks import check, finish
from tests.faults.model_history import ACCOUNTS, History
from tests.faults.model_world import FATES, World, open_world
from tests.figures.record import Record, holds

from signalpost.settings import Settings

SEED = int(os.environ.get("FAULTS_SEED", "20261123"))
STEPS = 25
_PHASES = (hypothesis.Phase.generate, hypothesis.Phase.shrink)
_names = st.sampled_from([("ann",), ("bob",), ("ann", "bob")])
_fates = st.lists(st.sampled_from(FATES), max_size=4)
_when = st.sampled_from([None, None, 600.0, 7_200.0, 30_000.0])
_which = st.integers(0, 7)
_SIZES = [
    pytest.param(SEED, 15, id="quick", marks=pytest.mark.small),
    *[pytest.param(SEED + n, 280, id=f"heavy-{n}", marks=pytest.mark.heavy) for n in range(2)],
]


class Machine(RuleBasedStateMachine):
    """Rules are what can happen; which post, is a number, so that histories shrink well."""

    def __init__(self, world: World, runner: asyncio.Runner, counts: dict[str, int]) -> None:
        super().__init__()
        self.run, self.counts = runner.run, counts
        self.history = History(world)
        self.do(self.history.begin())

    def do(self, step: Coroutine[Any, Any, None]) -> None:
        self.holding = False
        self.run(step)
        self.holding = True

    def post(self, which: int) -> Post:
        posts = list(self.history.model.posts.values())
        return posts[which % len(posts)]

    @property
    def has_posts(self) -> bool:
        return bool(self.history.model.posts)

    @rule(names=_names, when=_when, parts=st.integers(1, 2), fates=_fates, draft=st.booleans(),
          editor=st.sampled_from([False, False, False, True]), twice=st.sampled_from([False, False, True]))  # fmt: skip
    def create(self, names: Any, when: Any, parts: Any, fates: Any, draft: bool, editor: bool, twice: bool) -> None:
        options = {"draft": draft, "editor": editor, "twice": twice}
        self.do(self.history.create(names, when, parts, fates, **options))

    @rule(names=_names, count=st.integers(1, 3), when=_when, fates=_fates)
    def bulk(self, names: Any, count: int, when: Any, fates: Any) -> None:
        self.do(self.history.bulk(names, count, when, fates))

    @precondition(lambda self: self.has_posts)
    @rule(which=_which, fates=_fates)
    def edit_text(self, which: int, fates: Any) -> None:
        self.do(self.history.edit_text(self.post(which), fates))

    @precondition(lambda self: self.has_posts)
    @rule(which=_which, when=_when)
    def edit_time(self, which: int, when: Any) -> None:
        self.do(self.history.edit_time(self.post(which), when))

    @precondition(lambda self: self.has_posts)
    @rule(which=_which)
    def submit(self, which: int) -> None:
        self.do(self.history.submit(self.post(which)))

    @precondition(lambda self: self.has_posts)
    @rule(which=_which, unknown=st.booleans())
    def retry(self, which: int, unknown: bool) -> None:
        self.do(self.history.retry(self.post(which), unknown=unknown))

    @precondition(lambda self: self.has_posts)
    @rule(which=_which)
    def cancel(self, which: int) -> None:
        self.do(self.history.cancel(self.post(which)))

    @precondition(lambda self: self.has_posts)
    @rule(which=_which, permanent=st.sampled_from([False, False, True]))
    def trash(self, which: int, permanent: bool) -> None:
        self.do(self.history.trash(self.post(which), permanent=permanent))

    @precondition(lambda self: self.has_posts)
    @rule(which=_which)
    def restore(self, which: int) -> None:
        self.do(self.history.restore(self.post(which)))

    @precondition(lambda self: self.has_posts)
    @rule(which=_which, approve=st.sampled_from([True, True, False]))
    def decide(self, which: int, approve: bool) -> None:
        self.do(self.history.decide(self.post(which), approve=approve))

    @rule(name=st.sampled_from(ACCOUNTS), what=st.sampled_from(["connect", "connect", "disconnect", "pause", "invite"]))
    def change_account(self, name: str, what: str) -> None:
        history = self.history
        if what == "invite":
            self.do(history.invite())
        elif what == "disconnect":
            self.do(history.disconnect(name))
        elif what == "pause" or history.model.accounts[name].status == "paused":
            self.do(history.pause(name))
        else:
            self.do(history.connect(name))

    @rule()
    def work(self) -> None:
        self.do(self.history.work())

    @rule(seconds=st.sampled_from([20, 45, 150, 700, 4_000, 44_000]))
    def work_later(self, seconds: float) -> None:
        self.do(self.history.pass_time(seconds))
        self.do(self.history.work())

    @invariant()
    def holds(self) -> None:
        self.counts["steps"] += 1
        self.do(check(self.history))

    def teardown(self) -> None:
        try:
            if self.holding:
                self.do(finish(self.history))
        finally:
            self.run(self.history.world.end(self.history.owner.workspace_id))
        self.counts["histories"] += 1
        self.counts["posts"] += len(self.history.model.posts)
        self.counts["calls"] += self.history.world.ledger.calls


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as opened:
        yield opened


@holds("R14")
@pytest.mark.timeout(900)  # a history that breaks a rule takes minutes to shrink
@pytest.mark.parametrize(("seed", "histories"), _SIZES)
def test_every_history_keeps_the_promises(
    settings: Settings, fresh_dsn: str, runner: asyncio.Runner, record: Record, seed: int, histories: int
) -> None:
    counts = dict.fromkeys(("histories", "steps", "posts", "calls"), 0)
    opening = open_world(settings, fresh_dsn)
    world = runner.run(opening.__aenter__())
    try:
        machine: Any = hypothesis.seed(seed)(partial(Machine, world, runner, counts))
        limits = hypothesis.settings(
            max_examples=histories, stateful_step_count=STEPS, database=None, deadline=None, print_blob=False,
            suppress_health_check=list(hypothesis.HealthCheck), report_multiple_bugs=False, phases=_PHASES,
        )  # fmt: skip
        run_state_machine_as_test(machine, settings=limits)
    finally:
        runner.run(opening.__aexit__(None, None, None))
    tried = {"histories": counts["histories"], "steps": counts["steps"], "calls of a network": counts["calls"]}
    record("R14", seed=seed, tried=tried, measured={"broken promises": 0})
    assert counts["histories"] >= histories
    assert counts["calls"] > histories


def test_what_the_network_prepares_is_published_also_after_its_window(
    settings: Settings, fresh_dsn: str, runner: asyncio.Runner
) -> None:
    """It was begun in time, and some of it may be at the network: to end it as failed could be a lie."""

    async def happen() -> None:
        async with open_world(settings, fresh_dsn) as world:
            history = History(world)
            await history.begin()
            await history.create(("ann",), None, 1, ["slow"])
            await history.work()
            await history.pass_time(44_000)
            await history.work()
            assert world.ledger.made == {("ann", "text-1.0"): 1}
            await check(history)
            await finish(history)

    runner.run(happen())


def test_a_thread_stops_when_its_account_is_disconnected(
    settings: Settings, fresh_dsn: str, runner: asyncio.Runner
) -> None:
    """A history that few draws contain: its first part is at the network at that moment."""

    async def happen() -> None:
        async with open_world(settings, fresh_dsn) as world:
            history = History(world)
            await history.begin()
            await history.create(("ann",), None, 2, ["disconnect meanwhile"])
            await history.work()
            await check(history)
            await finish(history)

    runner.run(happen())
