"""One slow or broken server of a network: who may still ask it, and that others do not wait for it."""

import asyncio
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
from tests.helpers.publishing import StagedNetwork

from signalpost import networks
from signalpost.context import AppContext
from signalpost.networks.contract import TryLater
from signalpost.publishing import troubles
from signalpost.publishing.network_call import NetworkCall
from signalpost.publishing.servers import CALLS_MAX, FULL_SECONDS, Servers
from signalpost.publishing.troubles import ACCOUNTS_MIN, Troubles


async def test_a_server_has_a_part_of_the_lanes(context: AppContext) -> None:
    servers, admitted = Servers(Troubles(context.database)), Counter[str]()
    with ExitStack() as stack:
        for _ in range(CALLS_MAX - 1):
            stack.enter_context(servers.asking("slow"))
        assert servers.admit("slow", admitted, set()) == 0
        assert FULL_SECONDS <= servers.admit("slow", admitted, set()) <= 1.2 * FULL_SECONDS
        assert servers.admit("other", admitted, set()) == 0
    assert servers.admit("slow", Counter(), set()) == 0


@pytest.mark.parametrize("count", [1, 2, 10])
async def test_the_posts_of_a_broken_server_wait_without_losing_tries(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """`count`: processes. What one of them learned holds for all, and one asks whether it works, with one post."""
    asked: list[Any] = []

    async def fail(session: Any, *_: Any) -> TryLater:
        asked.append(session)
        return TryLater(message="no connection")

    facts = replace(stage.connector.facts, base_url="https://broken.test")
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, facts=facts))
    monkeypatch.setattr(NetworkCall, "answered", property(lambda _: False))
    monkeypatch.setattr(troubles, "LOOK_SECONDS", 0.0)
    stage.publish = fail
    engines = [stage.engine() for _ in range(count)]
    first = [await stage.post() for _ in range(ACCOUNTS_MIN)]
    await engines[0].tick(500)
    await stage.execute("update network_trouble set probe_at = now() + interval '1 hour'")
    late = [await stage.post() for _ in range(4)]
    for engine in engines[::-1]:
        await engine.tick(500)
        await stage.execute("update lane set not_before = null where kind = 'target'")
    assert len(asked) == ACCOUNTS_MIN
    assert [(await stage.target(post))["tries"] for post in (*first, *late)] == [1] * ACCOUNTS_MIN + [0] * 4

    await stage.execute("update network_trouble set probe_at = now() where name = 'server stage:broken.test'")
    async with asyncio.timeout(240):  # a lane that was just released may be ready some milliseconds later
        while len(asked) == ACCOUNTS_MIN:
            await stage.execute("update lane set not_before = null where kind = 'target'")
            await asyncio.gather(*(engine.tick(500) for engine in engines))
    for engine in engines:
        await engine.stop(5.0)
    assert len(asked) == ACCOUNTS_MIN + 1
    rows = [await stage.target(post) for post in late]
    assert sorted((row["status"], row["tries"]) for row in rows) == [("pending", 0)] * 3 + [("retrying", 0)]
