"""Best times: a pattern is recovered from 400 posts; none is claimed from 12, nor from many posts without one."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.measured_posts import Scene

from signalpost.analytics import best_times
from signalpost.analytics.best_times import MeasuredPost
from signalpost.kit.db import Database

TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
MONDAY = TODAY - timedelta(days=TODAY.weekday() + 7)
"""Of the last week."""
PLANTED = {(day, hour) for day in range(5) for hour in (14, 15)}
"""Hours that the usual times do not favour."""


def posts(seed: int, count: int, times: float, planted: set[tuple[int, int]] = PLANTED) -> list[MeasuredPost]:
    """Posts of three accounts of very different sizes, so many times better in the planted hours."""
    chance = random.Random(seed)
    made = []
    for number in range(count):
        day, hour = chance.randrange(7), chance.randrange(7, 23)
        factor = times if (day, hour) in planted else 1
        likes = int(chance.lognormvariate(2 + 2 * (number % 3), 0.7) * factor)
        made.append(MeasuredPost(number % 3, day, hour, likes, None))
    return made


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_pattern_is_recovered_from_400_posts(seed: int) -> None:
    found = best_times.rank(posts(seed, 400, 3.0), best_times.usual_grid(None))

    assert (found.basis, found.sample_size, found.confidence) == ("history", 400, "high")
    best = {(slot.day, slot.hour) for slot in found.slots[:5]}
    assert len(best & PLANTED) >= 4
    assert [slot.score for slot in found.slots] == sorted((slot.score for slot in found.slots), reverse=True)
    assert (len(found.slots), found.slots[0].score, found.slots[-1].score) == (168, 1.0, 0.0)
    assert sum(slot.posts for slot in found.slots) == 400
    assert all(slot.confidence == "low" for slot in found.slots if slot.posts < best_times.CELL_MEDIUM)


def test_none_is_claimed_from_12_posts() -> None:
    found = best_times.rank(posts(1, 12, 50.0), best_times.usual_grid("linkedin"))

    assert (found.basis, found.sample_size, found.confidence) == ("defaults", 12, "low")
    grid = best_times.usual_grid("linkedin")
    assert all(slot.score == grid[slot.day][slot.hour] for slot in found.slots)
    assert {slot.confidence for slot in found.slots} == {"low"}
    assert sum(slot.posts for slot in found.slots) == 12, "n is said all the same"


def test_numbers_without_a_pattern_have_a_low_confidence_however_many_they_are() -> None:
    """A test at 5 % is wrong in one of twenty cases."""
    claims = [best_times.rank(posts(seed, 400, 1.0), best_times.usual_grid(None)).confidence for seed in range(40)]
    assert claims.count("low") >= 34


def test_little_history_stays_near_the_usual_times() -> None:
    usual = best_times.usual_grid(None)
    few, many = (best_times.rank(posts(3, count, 3.0), usual) for count in (24, 2_400))

    def distance(found: best_times.BestTimes) -> float:
        return sum(abs(slot.score - usual[slot.day][slot.hour]) for slot in found.slots)

    assert distance(few) < distance(many)


def test_posts_of_a_network_without_engagement_are_compared_by_views() -> None:
    viewed = [post._replace(engagement=None, views=post.engagement) for post in posts(2, 400, 3.0)]
    found = best_times.rank(viewed, best_times.usual_grid(None))
    assert (found.sample_size, found.confidence) == (400, "high")
    assert {slot.average for slot in found.slots} == {None}


def test_equal_numbers_show_no_pattern() -> None:
    same = [post._replace(engagement=5) for post in posts(2, 100, 1.0)]
    assert best_times.rank(same, best_times.usual_grid(None)).confidence == "low"


def test_hours_of_a_day_are_spread() -> None:
    slots = best_times.rank([], best_times.usual_grid(None)).slots
    assert best_times.hours_by_day(slots)[0][:4] == [9, 12, 17, 20]
    assert sorted(best_times.hours_by_day(slots)[6]) == list(range(24))


def test_every_network_has_a_table_of_scores() -> None:
    for platform in (None, "linkedin", "sandbox"):
        grid = best_times.usual_grid(platform)
        assert [len(day) for day in grid] == [24] * 7
        assert max(map(max, grid)) == 1.0
        assert min(map(min, grid)) >= 0


@pytest.fixture
async def scene(make: Make, database: Database) -> Scene:
    owner = await make.owner()
    await make.account(owner)
    return Scene(make, database, owner)


async def times(api: Api, scene: Scene, **query: str) -> dict[str, Any]:
    answer = await api.get("/analytics/best-times", params=query, key=scene.owner.key)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_without_posts_the_usual_times_of_the_network_are_recommended(api: Api, scene: Scene) -> None:
    found = await times(api, scene, platform="twitter", timezone="Europe/Berlin")
    assert (found["platform"], found["timezone"]) == ("x", "Europe/Berlin")
    assert (found["basis"], found["sampleSize"], found["confidence"]) == ("defaults", 0, "low")
    assert len(found["slots"]) == 168
    assert found["recommended"] == found["slots"][:5]
    assert found["slots"][0] | {"dayOfWeek": 0} == {
        "dayOfWeek": 0, "hour": 9, "score": 1.0, "avgEngagement": None, "postCount": 0, "confidence": "low",
    }  # fmt: skip


async def test_history_decides_in_the_zone_that_was_asked_for(api: Api, scene: Scene) -> None:
    """Tuesdays at 21:30 UTC are Wednesdays in Tokyo. Numbers of the first day are not compared with older ones."""
    chance = random.Random(4)
    await scene.history(
        [
            (MONDAY - timedelta(days=7 * week) + timedelta(days=day, hours=hour, minutes=30),
             chance.randrange(300, 400) if (day, hour) == (1, 21) else chance.randrange(8, 12))
            for week in range(12)
            for day, hour in ((0, 9), (1, 21), (4, 12))
        ]
    )  # fmt: skip
    await scene.published(datetime.now(UTC), likes=1_000_000)

    found = await times(api, scene, timezone="Asia/Tokyo", platform="sandbox")

    best = found["recommended"][0]
    assert (best["dayOfWeek"], best["hour"], best["postCount"], best["confidence"]) == (2, 6, 12, "medium")
    assert 300 <= best["avgEngagement"] <= 400
    assert (found["basis"], found["sampleSize"], found["confidence"]) == ("history", 36, "medium")
    assert (await times(api, scene, platform="x"))["basis"] == "defaults"


@pytest.mark.parametrize(
    ("query", "path", "code"),
    [
        ({"platform": "myspace"}, "platform", "not_allowed"),
        ({"timezone": "Europe/Berlim"}, "timezone", "format"),
    ],
)
async def test_what_does_not_exist_is_refused(
    api: Api, scene: Scene, query: dict[str, str], path: str, code: str
) -> None:
    answer = await api.get("/analytics/best-times", params=query, key=scene.owner.key)
    assert answer.status_code == 422
    assert [(issue["path"], issue["code"]) for issue in answer.json()["errors"]] == [(path, code)]
