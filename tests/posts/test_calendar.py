"""The days of a calendar against a plain reading of the same posts.

They are days on which no test runs: a draft without a time stands on the day of its creation.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.kit.tenant import Tenant, tenant
from signalpost.posts.find import calendar

ZONE = "Europe/Berlin"


async def moved(database: Database, post: dict[str, Any], at: datetime, status: str = "scheduled") -> dict[str, Any]:
    async with database.transaction() as db:
        await db.execute(
            "update post set scheduled_at = $2, status = $3 where id = $1", ids.decode("pst", post["id"]), at, status
        )
    return post


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(ZONE))


async def days(api: Api, owner: Login, query: str) -> dict[str, tuple[int, list[str]]]:
    answer = await api.get(f"/posts/calendar?timezone={ZONE}&{query}", key=owner.key)
    assert answer.status_code == 200, answer.text
    return {day["date"]: (day["total"], [post["text"] for post in day["posts"]]) for day in answer.json()["days"]}


async def test_a_day_is_one_of_its_zone_also_where_clocks_change(make: Make, api: Api, database: Database) -> None:
    """In Berlin, 25 October 2026 has 25 hours and 28 March 2027 has 23; each midnight belongs to the day it begins."""
    owner = await make.owner()
    for at in ("2026-10-24T23:59:59", "2026-10-25T00:00", "2026-10-25T23:59:59", "2026-10-26T00:00"):
        await moved(database, await make.draft(owner, text=at), local(at))

    found = await days(api, owner, "startDate=2026-10-24&endDate=2026-10-26")
    assert found == {
        "2026-10-24": (1, ["2026-10-24T23:59:59"]),
        "2026-10-25": (2, ["2026-10-25T00:00", "2026-10-25T23:59:59"]),
        "2026-10-26": (1, ["2026-10-26T00:00"]),
    }
    lengths = [
        (await api.get(f"/posts/calendar?timezone={ZONE}&startDate={day}&endDate={day}", key=owner.key)).json()
        for day in ("2026-10-25", "2027-03-28", "2027-03-29")
    ]
    assert [answer["days"][0]["hours"] for answer in lengths] == [25, 23, 24]


async def test_a_full_day_says_how_many_there_are_and_shows_the_first(make: Make, api: Api, database: Database) -> None:
    owner = await make.owner()
    for number in (3, 1, 2, 0):
        await moved(database, await make.draft(owner, text=f"{number}"), local(f"2040-12-24T1{number}:00"))

    assert await days(api, owner, "startDate=2040-12-24&endDate=2040-12-24&perDay=2") == {"2040-12-24": (4, ["0", "1"])}
    assert await days(api, owner, "startDate=2040-12-24&endDate=2040-12-24&perDay=0") == {"2040-12-24": (4, [])}


async def test_filters_mean_what_they_mean_in_the_list(make: Make, api: Api, database: Database) -> None:
    owner = await make.owner()
    account = await make.account(owner, username="first")
    other = (await make.profile(owner))["id"]
    at = local("2040-12-24T10:00")
    await moved(database, await make.post(owner, draft=True, text="bakery", tags=["spring"]), at)
    await moved(database, await make.draft(owner, text="plain"), at + timedelta(hours=1), "failed")
    await moved(database, await make.draft(owner, text="other", profileId=other), at + timedelta(hours=2), "failed")
    await make.draft(owner, text="without a time")

    async def texts(query: str) -> list[str]:
        return (await days(api, owner, f"startDate=2040-12-24&endDate=2040-12-24&{query}"))["2040-12-24"][1]

    assert await texts("") == ["bakery", "plain", "other"]
    assert await texts("tag=spring") == ["bakery"]
    assert await texts("status=failed") == ["plain", "other"]
    assert await texts(f"status=failed&profileId={other}") == ["other"]
    assert await texts("platform=sandbox") == await texts(f"accountId={account['id']}") == ["bakery"]


async def test_without_days_it_is_this_week_of_the_workspace(make: Make, api: Api) -> None:
    owner = await make.owner()
    draft = await make.draft(owner, text="made today")
    answer = (await api.get("/posts/calendar", key=owner.key)).json()

    today = clock.now().date()
    assert [day["date"] for day in answer["days"]] == [str(today + timedelta(days=number)) for number in range(7)]
    assert [post["id"] for post in answer["days"][0]["posts"]] == [draft["id"]]
    assert answer["timezone"] == "UTC"


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("startDate=2026-02-30", "startDate"),
        ("startDate=1999-12-31", "startDate"),
        ("startDate=2026-12-02&endDate=2026-12-01", "endDate"),
        ("startDate=2026-01-01&endDate=2026-02-12", "endDate"),
        ("timezone=Mars/Base", "timezone"),
        ("platform=blusky", "platform"),
        ("perDay=21", "perDay"),
    ],
)
async def test_days_that_are_not_there_are_refused(make: Make, api: Api, query: str, path: str) -> None:
    answer = await api.get(f"/posts/calendar?{query}", key=(await make.owner()).key)

    assert answer.status_code == 422
    assert [issue["path"] for issue in answer.json()["errors"]] == [path]


async def test_posts_of_others_are_not_counted(make: Make, api: Api, database: Database) -> None:
    owner, stranger = await make.owner(), await make.owner()
    await moved(database, await make.draft(owner), local("2040-12-24T10:00"))

    assert await days(api, stranger, "startDate=2040-12-24&endDate=2040-12-24") == {"2040-12-24": (0, [])}
    answer = await api.get(f"/posts/calendar?profileId={owner.profile}", key=stranger.key)
    assert answer.status_code == 404


_COLUMNS = """
select string_agg(quote_ident(column_name), ', ') from information_schema.columns
where table_name = 'post' and is_generated = 'NEVER' and column_name not in ('id', 'scheduled_at')
"""
_MANY = """
insert into post (id, scheduled_at, {0})
select gen_random_uuid(), '2040-12-01T06:00Z'::timestamptz + interval '250 seconds' * n, {0}
from post p, generate_series(1, 10000) n where p.id = $1
"""


async def test_ten_thousand_posts_in_a_month_are_one_short_answer(make: Make, api: Api, database: Database) -> None:
    owner = await make.owner()
    draft = await make.draft(owner, text="one of many")
    async with database.transaction() as db:
        await db.execute(_MANY.format(await db.fetchval(_COLUMNS)), ids.decode("pst", draft["id"]))
        await db.execute("analyze post")

    answer = await api.get("/posts/calendar?startDate=2040-11-30&endDate=2041-01-03&perDay=3", key=owner.key)
    shown = {date.fromisoformat(day["date"]): day for day in answer.json()["days"]}
    assert sum(day["total"] for day in shown.values()) == 10_000
    assert max(len(day["posts"]) for day in shown.values()) == 3
    assert len(answer.content) < 400_000

    tenant.set(Tenant(owner.workspace_id, owner.workspace_id))  # as in a request, where a policy guards the table
    where = ("p.workspace_id = $", "p.deleted_at is null")
    bounds = ([local("2040-12-24T00:00")], [local("2040-12-25T00:00")], owner.workspace_id)
    async with database.transaction() as db:
        plan = await db.fetchval("explain (analyze, format json) " + calendar._totals(where), *bounds)
    [scan] = [node for node in _nodes(plan[0]["Plan"]) if node.get("Relation Name") == "post"]
    assert "scheduled_at" in scan["Index Cond"], "no other post of the workspace is looked at"


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)
