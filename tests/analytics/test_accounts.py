"""How many follow accounts, and how that changed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.measured_posts import Scene

from signalpost.kit import ids
from signalpost.kit.db import Database


@pytest.fixture
async def scene(make: Make, database: Database) -> Scene:
    owner = await make.owner()
    await make.account(owner)
    return Scene(make, database, owner)


async def accounts(api: Api, scene: Scene, **options: Any) -> list[dict[str, Any]]:
    answer = await api.get("/analytics/accounts", **({"key": scene.owner.key} | options))
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["data"]
    return found


async def followed(database: Database, account_id: str, days_ago: int, followers: int | None) -> None:
    async with database.connection() as db:
        await db.execute(
            "insert into metric_followers (account_id, day, workspace_id, collected_at, followers, following)"
            " select id, (now() at time zone 'UTC')::date - $2::int, workspace_id, now(), $3, 12"
            " from account where id = $1",
            ids.decode("acc", account_id), days_ago, followers,
        )  # fmt: skip


async def test_changes_are_against_a_count_of_that_time(api: Api, scene: Scene, database: Database) -> None:
    """A count that is a few days older will do, a younger one or a much older one will not."""
    (account,) = await accounts(api, scene)
    assert (account["followers"], account["followersChange7d"], account["history"]) == (None, None, [])
    account_id = account["accountId"]

    await followed(database, account_id, 0, 150)
    await followed(database, account_id, 6, 149)
    await followed(database, account_id, 8, 140)
    await followed(database, account_id, 9, None)
    await followed(database, account_id, 34, 7)
    await followed(database, account_id, 91, 1)

    (account,) = await accounts(api, scene)
    assert (account["followers"], account["following"], account["posts"]) == (150, 12, None)
    assert (account["followersChange7d"], account["followersChange30d"]) == (10, None)
    assert [day["followers"] for day in account["history"]] == [7, 140, 149, 150]
    assert account["history"][-1]["date"] == str(datetime.now(UTC).date())

    await followed(database, account_id, 33, 160)
    (account,) = await accounts(api, scene)
    assert account["followersChange30d"] == -10


async def test_totals_are_those_of_the_accounts_own_posts(api: Api, scene: Scene, make: Make) -> None:
    other = await make.profile(scene.owner)
    await make.account(scene.owner, profile=other["id"])
    await scene.published(datetime.now(UTC) - timedelta(days=400), views=5, likes=0)
    await scene.published(datetime.now(UTC), views=7)

    (account,) = await accounts(api, scene, params={"profileId": scene.owner.profile})
    assert account["totals"] == {"posts": 2, "views": 12, "likes": 0, "comments": None, "shares": None}
    assert {row["totals"]["posts"] for row in await accounts(api, scene)} == {0, 2}
    (account,) = await accounts(api, scene, params={"profileId": other["id"]})
    assert (account["totals"]["posts"], account["totals"]["views"]) == (0, None)


async def test_a_page_leads_to_the_next_one(api: Api, scene: Scene, make: Make) -> None:
    await make.account(scene.owner)
    first = (await api.get("/analytics/accounts", params={"limit": 1}, key=scene.owner.key)).json()
    rest = {"limit": 1, "cursor": first["nextCursor"]}
    second = (await api.get("/analytics/accounts", params=rest, key=scene.owner.key)).json()
    assert len({row["accountId"] for row in (*first["data"], *second["data"])}) == 2
    assert second["hasMore"] is False


async def test_accounts_of_others_are_not_listed(api: Api, scene: Scene, make: Make) -> None:
    stranger = await make.owner()
    assert await accounts(api, scene, key=stranger.key) == []
    foreign = await api.get("/analytics/accounts", params={"profileId": scene.owner.profile}, key=stranger.key)
    assert foreign.status_code == 404
