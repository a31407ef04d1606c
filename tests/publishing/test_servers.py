"""One slow or broken server of a network: who may still ask it, and that others do not wait for it."""

import asyncio
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from tests.helpers.publishing import StagedNetwork

from signalpost import networks
from signalpost.kit import clock
from signalpost.networks.contract import TryLater
from signalpost.publishing.network_call import NetworkCall
from signalpost.publishing.servers import ACCOUNTS_MIN, CALLS_MAX, FULL_SECONDS, PROBE_SECONDS, WITHIN_SECONDS, Servers


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    return now


def broken() -> Servers:
    servers = Servers()
    for _ in range(ACCOUNTS_MIN):
        servers.failed("slow", uuid4())
    return servers


def test_a_server_has_a_part_of_the_lanes() -> None:
    servers, admitted = Servers(), Counter[str]()
    with ExitStack() as stack:
        for _ in range(CALLS_MAX - 1):
            stack.enter_context(servers.asking("slow"))
        assert servers.admit("slow", admitted) == 0
        assert FULL_SECONDS <= servers.admit("slow", admitted) <= 1.2 * FULL_SECONDS
        assert servers.admit("other", admitted) == 0
    assert servers.admit("slow", Counter()) == 0


def test_a_server_is_broken_when_several_accounts_fail_and_none_succeeds(now: list[float]) -> None:
    servers, account = Servers(), uuid4()
    for _ in range(10):
        servers.failed("s", account)
    servers.failed("s", uuid4())
    assert not servers.is_broken("s")
    now[0] += WITHIN_SECONDS
    servers.failed("s", uuid4())
    assert not servers.is_broken("s")
    servers.failed("s", uuid4())
    servers.answered("s")
    servers.failed("s", uuid4())
    assert not servers.is_broken("s")


def test_a_broken_server_is_asked_now_and_then_until_it_answers(now: list[float]) -> None:
    servers, waits = broken(), []
    assert servers.is_broken("slow")
    servers.failed("slow", uuid4())  # was under way before
    for _ in range(6):
        wait = servers.admit("slow", Counter())
        waits.append(servers._failures.get("slow").wait_seconds)  # type: ignore[union-attr]
        assert waits[-1] <= wait <= 1.2 * waits[-1]
        now[0] += waits[-1]
        assert servers.admit("slow", Counter()) == 0
        assert servers.admit("slow", Counter()) > 0, "one at a time"
        servers.failed("slow", uuid4())
    assert waits == [5, 10, 20, 40, 60, 60]
    assert (waits[0], waits[-1]) == PROBE_SECONDS

    servers.answered("slow")
    assert not servers.is_broken("slow")
    assert servers.admit("slow", Counter()) == 0


async def test_the_posts_of_a_broken_server_wait_without_losing_tries(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    async def fail(session: Any, *_: Any) -> TryLater:
        asked.append(session)
        return TryLater(message="no connection")

    facts = replace(stage.connector.facts, base_url="https://broken.test")
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, facts=facts))
    monkeypatch.setattr(NetworkCall, "answered", property(lambda _: False))
    stage.publish = fail
    engine = stage.engine()
    first = [await stage.post() for _ in range(ACCOUNTS_MIN)]
    await engine.tick(500)
    late = [await stage.post() for _ in range(4)]
    await engine.tick(500)
    assert len(asked) == ACCOUNTS_MIN
    assert [(await stage.target(post))["tries"] for post in (*first, *late)] == [1] * ACCOUNTS_MIN + [0] * 4

    source: Any = engine._runners["target"].source
    source._gates.servers._failures.get("stage:broken.test").probe_at = 0.0
    await stage.execute("update lane set not_before = null where kind = 'target'")
    async with asyncio.timeout(240):  # a lane that was just released may be ready some milliseconds later
        while len(asked) == ACCOUNTS_MIN:
            await engine.tick(500)
    await engine.stop(5.0)
    assert len(asked) == ACCOUNTS_MIN + 1
    rows = [await stage.target(post) for post in late]
    assert sorted((row["status"], row["tries"]) for row in rows) == [("pending", 0)] * 3 + [("retrying", 0)]
