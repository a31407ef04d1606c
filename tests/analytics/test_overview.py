"""The overview of a period: null for unknown, 0 for nothing, and of how many posts each sum is."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.measured_posts import Scene

from signalpost.analytics import period, rates
from signalpost.kit.db import Database
from signalpost.kit.problems import ValidationFailed
from signalpost.plans import limits

TODAY = date(2026, 11, 22)


@pytest.fixture
async def scene(make: Make, database: Database) -> Scene:
    owner = await make.owner()
    await make.account(owner)
    return Scene(make, database, owner)


async def overview(api: Api, scene: Scene, *, key: str | None = None, **query: str) -> dict[str, Any]:
    answer = await api.get("/analytics/overview", params=query, key=key or scene.owner.key)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_sums_leave_out_what_is_unknown_and_say_of_how_many_posts_they_are(api: Api, scene: Scene) -> None:
    now = datetime.now(UTC)
    await scene.published(now, views=100, likes=6, comments=0, impressions=200)
    await scene.published(now, views=None, likes=4, shares=2)  # no basis: it must not raise the rate
    await scene.published(now)  # not asked about yet
    top, _ = await scene.published(now - timedelta(days=1), views=900, likes=0)
    before, _ = await scene.published(now - timedelta(days=40), views=7)

    found = await overview(api, scene)

    assert (found["totalPosts"], found["measuredPosts"]) == (4, 3)
    totals = ("totalViews", "totalLikes", "totalComments", "totalShares", "totalSaves", "totalImpressions")
    assert [found[name] for name in totals] == [1000, 10, 0, 2, None, 200]
    assert found["sampleSizes"] == {
        "views": 2, "likes": 3, "comments": 1, "shares": 1, "saves": 0, "impressions": 1,
    }  # fmt: skip
    assert (found["avgEngagementRate"], found["rateBasis"]) == (round(100 * 6 / 1100, 2), "mixed")
    assert found["topPosts"][0]["postId"] == top
    assert [post["views"] for post in found["topPosts"]] == [900, 100, None]
    assert found["topPosts"][0]["engagementRate"] == 0.0
    assert found["byPlatform"]["sandbox"]["posts"] == 4
    assert len(found["dailyTrend"]) == 30
    today, yesterday = found["dailyTrend"][-1], found["dailyTrend"][-2]
    assert (today["posts"], today["views"], today["shares"]) == (3, 100, 2)
    assert (yesterday["posts"], yesterday["likes"], yesterday["comments"]) == (1, 0, None), "null is not 0"
    assert found["dailyTrend"][0] == {
        "date": found["period"]["start"], "posts": 0, "views": 0, "likes": 0, "comments": 0, "shares": 0,
    }  # fmt: skip
    assert (found["previous"]["totalPosts"], found["previous"]["totalViews"]) == (1, 7)
    assert found["previous"]["period"]["end"] < found["period"]["start"]
    assert found["syncedAt"] is not None
    assert before not in str(found)


async def test_without_posts_all_is_0_or_null(api: Api, make: Make) -> None:
    found = (await api.get("/analytics/overview", key=(await make.owner()).key)).json()
    assert (found["totalPosts"], found["totalViews"], found["totalSaves"]) == (0, 0, None)
    assert (found["avgEngagementRate"], found["rateBasis"], found["syncedAt"]) == (None, None, None)
    assert (found["byPlatform"], found["topPosts"], found["clipped"]) == ({}, [], False)


async def test_numbers_that_come_late_correct_the_past(api: Api, scene: Scene) -> None:
    now = datetime.now(UTC)
    _, target_id = await scene.published(now - timedelta(days=20), views=5)
    await scene.measured(target_id, now, views=50, saves=1)
    await scene.measured(target_id, now, views=40, saves=None)

    found = await overview(api, scene)

    assert (found["totalViews"], found["totalSaves"]) == (40, None)
    day = next(day for day in found["dailyTrend"] if day["posts"])
    assert day["date"] == str((now - timedelta(days=20)).date())
    assert day["views"] == 40


async def test_days_are_those_of_the_profile_when_clocks_change(api: Api, scene: Scene) -> None:
    """The Sunday has 23 hours in spring; half past midnight of Berlin is still the day before in UTC."""
    await api.patch(f"/profiles/{scene.owner.profile}", json={"timezone": "Europe/Berlin"}, key=scene.owner.key)
    for hour, views in ((23, 1), (24, 2), (24 + 21, 4), (24 + 22, 8)):
        await scene.published(datetime(2025, 3, 29, tzinfo=UTC) + timedelta(hours=hour), views=views)

    found = await overview(api, scene, profileId=scene.owner.profile, startDate="2025-03-29", endDate="2025-03-31")

    assert found["timezone"] == "Europe/Berlin"
    assert [(day["date"], day["views"]) for day in found["dailyTrend"]] == [
        ("2025-03-29", 0), ("2025-03-30", 7), ("2025-03-31", 8),
    ]  # fmt: skip


async def test_what_the_plan_does_not_show_is_clipped(api: Api, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.ANALYTICS_DAYS.by_plan, limits.SELF_HOSTED, 30)
    now = datetime.now(UTC)
    await scene.published(now - timedelta(days=29), views=1)
    await scene.published(now - timedelta(days=30, hours=1), views=2)
    start, today = str((now - timedelta(days=90)).date()), str(now.date())

    found = await overview(api, scene, startDate=start, endDate=today)

    assert (found["clipped"], found["totalViews"], found["previous"]) == (True, 1, None)
    assert found["period"] == {"start": str((now - timedelta(days=29)).date()), "end": today}
    assert (await overview(api, scene))["clipped"] is False
    outside = await api.get("/analytics/overview", params={"startDate": start, "endDate": start}, key=scene.owner.key)
    assert outside.json()["errors"][0]["path"] == "endDate"
    assert "30 days" in outside.json()["errors"][0]["message"]


@pytest.mark.parametrize(
    ("start", "end", "path", "code"),
    [
        ("2026-11-20", "2026-11-19", "startDate", "out_of_range"),
        ("2026-11-23", None, "startDate", "out_of_range"),
        (None, "2026-11-23", "endDate", "out_of_range"),
        ("2025-11-21", "2026-11-22", "startDate", "out_of_range"),
        ("2026-02-30", None, "startDate", "format"),
        (None, "0001-01-05", "endDate", "out_of_range"),
    ],
)
def test_days_that_make_no_period_are_refused(start: str | None, end: str | None, path: str, code: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        period.resolve(start, end, today=TODAY, days_shown=None)
    assert [(issue.path, issue.code) for issue in refused.value.errors] == [(path, code)]


def test_a_year_and_a_leap_day_fit() -> None:
    days = period.resolve("2025-11-22", "2026-11-22", today=TODAY, days_shown=None)
    assert (days.count, len(days.dates)) == (366, 366)
    assert (days.previous.end, days.previous.count) == (date(2025, 11, 21), 366)


def test_a_rate_names_its_basis_and_a_basis_of_0_gives_none() -> None:
    assert rates.of_post(5, 200, 100, 50) == (2.5, "impressions")
    assert rates.of_post(5, None, 100, 50) == (5.0, "reach")
    assert rates.of_post(1, None, None, 3) == (33.33, "views")
    assert rates.of_post(5, 0, 100, 50) == rates.of_post(5, None, None, None) == rates.of_post(None, 9, 9, 9)
    assert rates.of_sums(3, 100, 0, 0) == (3.0, "impressions")
    assert rates.of_sums(3, 0, 0, 0) == (None, None)


async def test_test_posts_and_other_profiles_are_kept_apart(api: Api, scene: Scene, make: Make) -> None:
    owner = scene.owner
    await scene.published(datetime.now(UTC), views=1)
    await scene.published(datetime.now(UTC), key=owner.test_key, views=2)
    other = await make.profile(owner)
    limited = await make.member(owner, role="viewer", profile_ids=[other["id"]])

    assert (await overview(api, scene))["totalViews"] == 1
    assert (await overview(api, scene, key=owner.test_key))["totalViews"] == 2
    assert (await overview(api, scene, key=limited.key))["totalPosts"] == 0
    assert (await overview(api, scene, profileId=other["id"]))["totalPosts"] == 0
    foreign = await api.get("/analytics/overview", params={"profileId": owner.profile}, key=limited.key)
    assert (foreign.status_code, foreign.json()["errors"][0]["path"]) == (404, "profileId")


async def test_posts_of_a_simulated_past_are_counted(api: Api, scene: Scene) -> None:
    """The sandbox's clock may publish before what was published already."""
    await scene.published(datetime(2026, 5, 2, tzinfo=UTC), key=scene.owner.test_key, views=1)
    await scene.published(datetime(2026, 1, 2, tzinfo=UTC), key=scene.owner.test_key, views=2)
    answer = await api.get(
        "/analytics/overview", key=scene.owner.test_key, headers={"X-Test-Now": "2026-01-03T00:00:00Z"}
    )
    assert answer.json()["totalViews"] == 2
    assert answer.json()["period"]["end"] == "2026-01-03"
