"""How many follow an account is asked once a day; an account that cannot be asked costs nothing."""

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost import networks
from signalpost.analytics.actions import followers
from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.http import Response
from signalpost.networks.connectors import sandbox
from signalpost.networks.contract import ApiError, Health, TryLater


@pytest.fixture
async def account_id(make: Make) -> UUID:
    found = ids.decode("acc", (await make.account(await make.owner()))["id"])
    assert found is not None
    return found


async def asked(database: Database, account_id: UUID) -> bool:
    """Have jobs written; whether one is for this account."""
    async with database.transaction() as db:
        await db.execute("delete from job where kind = $1", followers.COLLECT)
        await followers.dispatch(db, [account_id])
        key = f"{followers.COLLECT}/{account_id}"
        return bool(await db.fetchval("select exists (select from job where unique_key = $1)", key))


async def stored(database: Database, account_id: UUID) -> list[Any]:
    statement = "select day, followers, following, posts from metric_followers where account_id = $1 order by day"
    async with database.connection() as db:
        return [tuple(row) for row in await db.fetch(statement, account_id)]


async def test_an_account_is_asked_once_a_day_and_a_day_has_one_row(
    context: AppContext, database: Database, account_id: UUID
) -> None:
    assert [await asked(database, account_id) for _ in range(2)] == [True, False]
    for _ in range(2):
        await followers.collect(context, account_id)

    ((day, count, following, posts),) = await stored(database, account_id)
    assert abs(day - datetime.now(UTC).date()) <= timedelta(days=1)
    assert count > 0
    assert following > 0
    assert posts is None, "the sandbox does not say"
    async with database.connection() as db:
        assert await db.fetchval("select followers from account where id = $1", account_id) == count
        await db.execute("update metric_account set asked_at = now() - interval '24 hours'")
    assert await asked(database, account_id)


async def test_an_account_without_an_answer_is_asked_again_in_an_hour(
    context: AppContext, database: Database, account_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_session: Any) -> Health:
        raise ApiError(Response(503, {}, b"{}", 5), "GET /me")

    broken = dataclasses.replace(sandbox.CONNECTOR, check=refuse, explain=lambda _: TryLater(message="Later."))
    monkeypatch.setitem(networks.CONNECTORS, "sandbox", broken)
    assert await asked(database, account_id)
    await followers.collect(context, account_id)

    assert await stored(database, account_id) == []
    assert not await asked(database, account_id)
    async with database.connection() as db:
        await db.execute("update metric_account set asked_at = asked_at - interval '61 minutes'")
    assert await asked(database, account_id)


async def test_a_network_that_does_not_say_leaves_no_row_and_a_paused_account_is_not_asked(
    api: Api, make: Make, context: AppContext, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(_session: Any) -> Health:
        return Health()

    monkeypatch.setitem(networks.CONNECTORS, "sandbox", dataclasses.replace(sandbox.CONNECTOR, check=silent))
    owner: Login = await make.owner()
    account = await make.account(owner)
    account_id = ids.decode("acc", account["id"])
    assert account_id is not None
    await followers.collect(context, account_id)
    assert await stored(database, account_id) == []

    paused = await api.patch(f"/platforms/accounts/{account['id']}", json={"status": "paused"}, key=owner.key)
    assert paused.status_code == 200, paused.text
    assert not await asked(database, account_id)
