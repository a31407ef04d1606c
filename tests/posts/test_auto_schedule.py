"""Drafts are spread over the free times of the days to come: each time once, and only drafts that can be submitted."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from msgspec.structs import replace
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.measured_posts import Scene
from tests.plans.test_limits import of as caller_of

from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.posts.many import auto_schedule
from signalpost.posts.schemas.auto_schedule import AutoScheduled, PostsSchedule
from signalpost.web.caller import SCOPES, Caller
from signalpost.web.fields import PostId

BERLIN = ZoneInfo("Europe/Berlin")
TIMES = ["09:00", "12:00", "17:00", "20:00"]


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    return owner


async def drafts(make: Make, owner: Login, count: int, **fields: Any) -> list[str]:
    """The ids of new drafts that go to the sandbox accounts of the profile."""
    options = {"platforms": ["sandbox"]} | fields
    return [(await make.draft(owner, text=f"Draft {number}", **options))["id"] for number in range(count)]


async def call(api: Api, owner: Login, post_ids: list[str], **fields: Any) -> httpx.Response:
    return await api.post("/posts/auto-schedule", json={"postIds": post_ids} | fields, key=owner.key)


async def schedule(api: Api, owner: Login, post_ids: list[str], **fields: Any) -> dict[str, Any]:
    """The answer to a call that succeeds."""
    answer = await call(api, owner, post_ids, **fields)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def _times(answer: dict[str, Any], zone: ZoneInfo = BERLIN) -> list[str]:
    instants = [datetime.fromisoformat(entry["scheduledAt"]).astimezone(zone) for entry in answer["scheduled"]]
    return [f"{at:%a %H:%M}" for at in instants]


def _monday(weeks: int = 2) -> datetime:
    today = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return today + timedelta(days=7 * weeks - today.weekday())


async def test_drafts_get_the_times_of_the_days_from_tomorrow_on(api: Api, make: Make, owner: Login) -> None:
    post_ids = await drafts(make, owner, 5)
    answer = await schedule(api, owner, post_ids)
    tomorrow = (clock.now() + timedelta(days=1)).date()
    expected = [f"{tomorrow}T{time}:00.000Z" for time in TIMES] + [f"{tomorrow + timedelta(days=1)}T09:00:00.000Z"]
    assert answer == {
        "scheduled": [{"postId": i, "scheduledAt": at} for i, at in zip(post_ids, expected, strict=True)],
        "skipped": [],
        "basis": "slots",
    }
    for post_id, at in zip(post_ids, expected, strict=True):
        post = (await api.get(f"/posts/{post_id}", key=owner.key)).json()
        assert (post["status"], post["publishMode"], post["scheduledAt"], post["timezone"]) == (
            "scheduled", "schedule", at, "UTC",
        )  # fmt: skip
        assert (await api.get(f"/queue/status/{post_id}", key=owner.key)).json()["runAt"] == at


async def test_wall_times_days_off_and_fewer_posts_a_day_than_times(api: Api, make: Make, owner: Login) -> None:
    answer = await schedule(
        api, owner, await drafts(make, owner, 5), timezone="Europe/Berlin", timeSlots=["18:00", "08:30", "12:00"],
        postsPerDay=2, skipDays=[1, 2, 5, 6], startDate=f"{_monday():%Y-%m-%d}",
    )  # fmt: skip
    assert _times(answer) == ["Mon 08:30", "Mon 12:00", "Thu 08:30", "Thu 12:00", "Fri 08:30"]


async def test_more_posts_a_day_than_times_are_spread(api: Api, make: Make, owner: Login) -> None:
    answer = await schedule(
        api, owner, await drafts(make, owner, 6), timezone="Europe/Berlin", timeSlots=["09:00", "21:00"],
        postsPerDay=5, startDate=f"{_monday():%Y-%m-%d}",
    )  # fmt: skip
    assert _times(answer) == ["Mon 09:00", "Mon 12:00", "Mon 15:00", "Mon 18:00", "Mon 21:00", "Tue 09:00"]


async def test_a_time_that_is_taken_on_an_account_is_passed_over_for_that_account_only(
    api: Api, make: Make, owner: Login
) -> None:
    other = (await make.profile(owner))["id"]
    await make.account(owner, profile=other)
    day = f"{_monday():%Y-%m-%d}"
    await make.post(owner, scheduledAt=f"{day}T09:00:00Z")
    mine, theirs = await drafts(make, owner, 1), await drafts(make, owner, 1, profileId=other)
    answer = await schedule(api, owner, [*mine, *theirs], startDate=day)
    times = {entry["postId"]: entry["scheduledAt"] for entry in answer["scheduled"]}
    assert times == {mine[0]: f"{day}T12:00:00.000Z", theirs[0]: f"{day}T09:00:00.000Z"}


async def test_callers_at_once_and_slots_share_no_time(api: Api, make: Make, owner: Login) -> None:
    queue = {"profileId": owner.profile, "name": "Same", "timezone": "UTC", "slots": [{"time": t} for t in TIMES]}
    assert (await api.post("/queues", json=queue, key=owner.key)).status_code == 201
    batches = [await drafts(make, owner, 3, allowDuplicate=True) for _ in range(4)]
    await asyncio.gather(
        *(schedule(api, owner, batch) for batch in batches),
        *(make.post(owner, publishMode="slot") for _ in range(4)),
    )
    listed = (await api.get("/posts", params={"limit": "100"}, key=owner.key)).json()["data"]
    times = [post["scheduledAt"] for post in listed]
    assert None not in times
    assert len(set(times)) == len(times) == 16


async def test_what_cannot_be_submitted_is_skipped_with_the_reason(api: Api, make: Make, owner: Login) -> None:
    stranger = await make.owner()
    await make.account(stranger)
    account = await make.account(owner, username="leaving")
    gone = (await drafts(make, owner, 1))[0]
    foreign = (await drafts(make, stranger, 1))[0]
    published = (await make.post(owner))["id"]
    aimless = (await make.draft(owner))["id"]
    left = (await make.draft(owner, targets=[{"accountId": account["id"]}], text="Left"))["id"]
    again = await make.draft(owner, targets=[{"accountId": (await make.account(owner))["id"]}], text="Twice")
    twin = (await make.draft(owner, targets=[{"accountId": again["targets"][0]["accountId"]}], text="Twice"))["id"]
    await api.delete(f"/posts/{gone}", key=owner.key)
    await api.delete(f"/platforms/accounts/{account['id']}", key=owner.key)
    good = (await drafts(make, owner, 1))[0]
    long = (await make.draft(owner, platforms=["sandbox"], text="x" * 60_000))["id"]

    answer = await schedule(api, owner, [good, gone, foreign, published, aimless, left, long, again["id"], twin])

    assert [entry["postId"] for entry in answer["scheduled"]] == [good, again["id"]]
    assert [(entry["postId"], entry["code"]) for entry in answer["skipped"]] == [
        (gone, "not_found"), (foreign, "not_found"), (published, "invalid_state"), (aimless, "validation_failed"),
        (left, "validation_failed"), (long, "preflight_failed"), (twin, "duplicate_content"),
    ]  # fmt: skip
    assert (await api.get(f"/posts/{twin}", key=owner.key)).json()["status"] == "draft"
    assert (await api.get(f"/posts/{foreign}", key=stranger.key)).json()["status"] == "draft"


async def test_an_approval_is_requested_as_by_submitting(api: Api, make: Make, owner: Login) -> None:
    changed = await api.patch(f"/profiles/{owner.profile}", json={"approvalRequired": True}, key=owner.key)
    assert changed.status_code == 200
    editor = await make.member(owner, role="editor")
    post_ids = await drafts(make, owner, 2)
    await schedule(api, editor, post_ids[:1])
    await schedule(api, owner, post_ids[1:])
    asked, decided = [(await api.get(f"/posts/{post_id}", key=owner.key)).json() for post_id in post_ids]
    assert (asked["status"], asked["approval"]["state"], asked["held"]) == ("scheduled", "pending", True)
    assert (decided["status"], decided["approval"]["state"], decided["held"]) == ("scheduled", "approved", False)
    approved = await api.post(f"/posts/{post_ids[0]}/approve", key=owner.key)
    assert (approved.json()["status"], approved.json()["scheduledAt"]) == ("scheduled", asked["scheduledAt"])


async def test_the_plan_covers_all_or_none(api: Api, make: Make, owner: Login) -> None:
    """The free plan lets ten posts wait."""
    post_ids = [post_id for text in await drafts(make, owner, 11) if (post_id := PostId.parse(text)) is not None]
    free = replace(caller_of(owner, "free"), scopes=frozenset(SCOPES))
    with pytest.raises(PlanLimitReached):
        await _schedule_as(make, free, post_ids)
    assert {post["status"] for post in (await api.get("/posts", key=owner.key)).json()["data"]} == {"draft"}
    assert len((await _schedule_as(make, free, post_ids[:10])).scheduled) == 10
    usage = (await api.get("/auth/usage", key=owner.key)).json()["usage"]
    assert (usage["posts"], usage["scheduledPosts"]) == (10, 10)


async def _schedule_as(make: Make, caller: Caller, post_ids: list[PostId]) -> AutoScheduled:
    async with make.context.database.transaction() as db:
        return await auto_schedule.auto_schedule(make.context, db, caller, PostsSchedule(post_ids=post_ids))


async def test_webhooks_and_the_log_tell_of_each_post(api: Api, make: Make, owner: Login, emitted: list[Any]) -> None:
    post_ids = await drafts(make, owner, 3)
    await schedule(api, owner, post_ids)
    assert [event.type for event in emitted] == ["post.queued"] * 3
    assert [event.data.post_id for event in emitted] == post_ids
    entries = (await api.get(f"/posts/{post_ids[0]}/audit", key=owner.key)).json()["data"]
    assert {entry["action"] for entry in entries} == {"created", "updated", "queued"}
    changes = {change["field"] for entry in entries for change in entry["changes"] or []}
    assert {"scheduledAt", "status", "publishMode", "timezone"} >= changes >= {"scheduledAt"}


async def test_best_times_say_what_they_are_based_on(api: Api, make: Make, owner: Login) -> None:
    answer = await schedule(
        api, owner, await drafts(make, owner, 3), strategy="best_times", postsPerDay=2, timezone="Europe/Berlin",
        startDate=f"{_monday():%Y-%m-%d}",
    )  # fmt: skip
    assert (answer["basis"], _times(answer)) == ("defaults", ["Mon 09:00", "Mon 12:00", "Tue 09:00"])


async def test_jitter_moves_a_post_later_but_not_beyond_the_next_time(api: Api, make: Make, owner: Login) -> None:
    day = _monday()
    answer = await schedule(
        api, owner, await drafts(make, owner, 8), timeSlots=["09:00", "09:10"], postsPerDay=2, jitterMinutes=120,
        startDate=f"{day:%Y-%m-%d}",
    )  # fmt: skip
    times = [datetime.fromisoformat(entry["scheduledAt"]) for entry in answer["scheduled"]]
    assert times == sorted(times)
    for index, at in enumerate(times):
        minutes = (at - day.astimezone(UTC) - timedelta(days=index // 2, hours=9)).total_seconds() / 60
        assert (10 <= minutes <= 130) if index % 2 else (0 <= minutes <= 9)


async def test_the_number_of_statements_does_not_depend_on_the_number_of_posts(
    api: Api, make: Make, owner: Login, statements: list[str]
) -> None:
    counts = []
    for count in (1, 30):
        post_ids = await drafts(make, owner, count, allowDuplicate=True)
        await asyncio.sleep(0)  # loggers are called in the loop's next round
        statements.clear()
        await schedule(api, owner, post_ids)
        await asyncio.sleep(0)
        counts.append(len(statements))
    assert counts[0] == counts[1] < 40, statements


@pytest.mark.parametrize(
    ("fields", "path", "code"),
    [
        ({"postIds": []}, "/postIds", "too_short"),
        ({"postIds": ["pst_00000000000000000000000000"] * 101}, "/postIds", "too_long"),
        ({"postIds": ["pst_00000000000000000000000000"] * 2}, "/postIds/1", "not_unique"),
        ({"postsPerDay": 25}, "/postsPerDay", "out_of_range"),
        ({"startDate": "2020-01-01"}, "/startDate", "out_of_range"),
        ({"startDate": "2999-01-01"}, "/startDate", "out_of_range"),
        ({"startDate": "2027-02-30"}, "/startDate", "format"),
        ({"startDate": "tomorrow"}, "/startDate", "format"),
        ({"timeSlots": ["25:00"]}, "/timeSlots/0", "format"),
        ({"timezone": "Mars/Olympus"}, "/timezone", "format"),
        ({"skipDays": [0, 1, 2, 3, 4, 5, 6]}, "/skipDays", "too_long"),
        ({"strategy": "random"}, "/strategy", "not_allowed"),
        ({"jitterMinutes": -1}, "/jitterMinutes", "out_of_range"),
    ],
)
async def test_what_is_wrong_is_named(api: Api, owner: Login, fields: dict[str, Any], path: str, code: str) -> None:
    body = {"postIds": [ids.encode("pst", ids.new_id())]} | fields
    answer = await api.post("/posts/auto-schedule", json=body, key=owner.key)
    assert answer.status_code == 422
    assert (path, code) in [(issue["path"], issue["code"]) for issue in answer.json()["errors"]]


async def test_the_hours_at_which_posts_did_best_are_used(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """Here at 3 o'clock in the morning, at which nobody would guess."""
    scene = Scene(make, database, owner)
    monday = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    monday -= timedelta(days=monday.weekday() + 7)
    await scene.history(
        [
            (monday - timedelta(days=7 * week, hours=-hour), 500 + week if hour == 3 else 10 + week)
            for week in range(12)
            for hour in (3, 9, 17)
        ]
    )

    answer = await schedule(
        api, owner, await drafts(make, owner, 2), strategy="best_times", postsPerDay=1,
        startDate=f"{_monday():%Y-%m-%d}",
    )  # fmt: skip

    assert (answer["basis"], _times(answer, ZoneInfo("UTC"))[0]) == ("history", "Mon 03:00")
