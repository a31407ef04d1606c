"""Limits of networks: who waits, and for how long."""

from typing import Any

import pytest
from tests.helpers.publishing import StagedNetwork

from signalpost.networks.contract import (
    RateLimit,
    TryLater,
)


async def test_retry_after_takes_precedence_and_pauses_the_account(stage: StagedNetwork) -> None:
    """A 429 concerns the account: its other posts wait too."""

    async def limit(*_: object) -> TryLater:
        return TryLater(message="429", code="rate_limited", after_seconds=900.0)

    account = await stage.account()
    stage.publish = limit
    first = await stage.post(account)
    await stage.work()
    stage.publish = stage.accept
    second = await stage.post(account)
    await stage.work()

    assert 890 < (await stage.target(first))["wait"].total_seconds() < 901
    assert stage.sent == []
    assert (await stage.target(second))["status"] == "pending"


async def test_a_limit_of_the_app_is_shared_by_its_accounts(
    stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With three calls a minute for the whole app, two of five accounts wait, and waiting does not count as a try."""
    from dataclasses import replace

    from signalpost import networks
    from signalpost.publishing.work import declare_buckets

    limit = RateLimit(count=3, seconds=60, per="app")
    facts = replace(stage.connector.facts, base_url="https://stage.test", rate_limit=limit)
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, facts=facts))
    async with stage.context.database.transaction() as db:
        await declare_buckets(stage.context, db)
    posts = [await stage.post() for _ in range(5)]
    await stage.work()
    await stage.execute("delete from rate_bucket where key = 'stage:stage.test:own'")

    assert len(stage.sent) == 3
    assert sorted([(await stage.target(post))["attempts"] for post in posts]) == [0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("accounts", "limit_of", "held"), [(2, "account", False), (3, "account", True), (1, "app", True)]
)
async def test_a_rate_limit_holds_up_others_only_if_it_is_theirs_too(
    stage: StagedNetwork,
    monkeypatch: pytest.MonkeyPatch,
    accounts: int,
    limit_of: Any,
    held: bool,
) -> None:
    """Otherwise a server that always answers 429 would hold up all accounts of its network."""
    from dataclasses import replace

    from signalpost import networks

    async def fail(*_: object) -> TryLater:
        return TryLater(message="429", code="rate_limited", limit_of=limit_of)

    limit = RateLimit(count=1_000, seconds=60, per="address")
    facts = replace(stage.connector.facts, base_url="https://limited.test", rate_limit=limit)
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, facts=facts))
    works, stage.publish = stage.publish, fail
    for _ in range(accounts):
        await stage.post()
    await stage.work()
    stage.publish = works
    post = await stage.post()
    await stage.work()
    await stage.execute("delete from rate_bucket where key = 'stage:limited.test:own'")

    assert (await stage.target(post))["status"] == ("pending" if held else "published")
