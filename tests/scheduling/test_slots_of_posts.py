"""Posts at the next free slot: each slot once, and free again when its post no longer goes out then."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.scheduling.test_queues import HOUR, ONCE, create

from signalpost.events import Actor
from signalpost.kit import clock, ids

DAILY = [*ONCE, {"time": f"{(HOUR + 8) % 24:02}:30"}]


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    return owner


async def slots(api: Api, owner: Login, queue: dict[str, Any], count: int = 5) -> list[dict[str, Any]]:
    """The next slots of the queue."""
    answer = await api.get(f"/queues/{queue['id']}/slots", params={"count": str(count)}, key=owner.key)
    found: list[dict[str, Any]] = answer.json()["slots"]
    return found


async def in_slot(make: Make, owner: Login, **fields: Any) -> dict[str, Any]:
    """A post at the next free slot."""
    return await make.post(owner, publishMode="slot", **fields)


async def test_posts_get_one_free_slot_after_the_other(api: Api, make: Make, owner: Login) -> None:
    queue = await create(api, owner, slots=DAILY, timezone="Europe/Berlin")
    expected = [slot["at"] for slot in await slots(api, owner, queue)]
    posts = [await in_slot(make, owner) for _ in range(3)]
    assert [post["scheduledAt"] for post in posts] == expected[:3]
    assert {(post["publishMode"], post["status"], post["timezone"]) for post in posts} == {
        ("slot", "scheduled", "Europe/Berlin")
    }
    answer = (await api.get(f"/queues/{queue['id']}/slots", params={"count": "4"}, key=owner.key)).json()
    assert [slot["postId"] for slot in answer["slots"]] == [*(post["id"] for post in posts), None]
    assert [slot["free"] for slot in answer["slots"]] == [False, False, False, True]
    assert answer["nextFreeAt"] == answer["slots"][3]["at"] == expected[3]


async def _cancel(api: Api, owner: Login, post: dict[str, Any]) -> httpx.Response:
    return await api.delete(f"/queue/cancel/{post['id']}", key=owner.key)


async def _trash(api: Api, owner: Login, post: dict[str, Any]) -> httpx.Response:
    return await api.delete(f"/posts/{post['id']}", key=owner.key)


async def _purge(api: Api, owner: Login, post: dict[str, Any]) -> httpx.Response:
    return await api.delete(f"/posts/{post['id']}", params={"permanent": "true"}, key=owner.key)


async def _draft(api: Api, owner: Login, post: dict[str, Any]) -> httpx.Response:
    return await api.patch(f"/posts/{post['id']}", json={"scheduledAt": None}, key=owner.key)


async def _move(api: Api, owner: Login, post: dict[str, Any]) -> httpx.Response:
    at = clock.wire(clock.now() + timedelta(days=20, hours=1))
    return await api.patch(f"/posts/{post['id']}", json={"scheduledAt": at}, key=owner.key)


async def _fail(api: Api, owner: Login, post: dict[str, Any]) -> httpx.Response:
    account = post["targets"][0]["accountId"]
    answer = await api.delete(f"/platforms/accounts/{account}", key=owner.key)
    body = {"profileId": owner.profile, "fields": {"username": "another"}}
    assert (await api.post("/platforms/sandbox/connect", json=body, key=owner.key)).status_code == 201
    return answer


@pytest.mark.parametrize("leave", [_cancel, _trash, _purge, _draft, _move, _fail])
async def test_a_post_that_no_longer_goes_out_then_frees_its_slot(
    api: Api, make: Make, owner: Login, leave: Any
) -> None:
    await create(api, owner)
    first = await in_slot(make, owner)
    assert (await leave(api, owner, first)).status_code == 200
    assert (await in_slot(make, owner))["scheduledAt"] == first["scheduledAt"]
    assert (await in_slot(make, owner))["scheduledAt"] > first["scheduledAt"]


async def test_other_changes_keep_the_slot(api: Api, make: Make, owner: Login) -> None:
    await create(api, owner)
    post = await in_slot(make, owner)
    for change in ({"text": "Other words"}, {"tags": ["spring"]}, {"timezone": "Asia/Tokyo"}, {"publishMode": "slot"}):
        changed = (await api.patch(f"/posts/{post['id']}", json=change, key=owner.key)).json()
        assert (changed["publishMode"], changed["scheduledAt"]) == ("slot", post["scheduledAt"]), change
    submitted = await api.post(f"/queue/submit/{post['id']}", key=owner.key)
    assert submitted.status_code == 201
    assert (await in_slot(make, owner))["scheduledAt"] > post["scheduledAt"]


async def test_a_post_moves_to_a_slot_of_another_queue(api: Api, make: Make, owner: Login) -> None:
    await create(api, owner)
    evening = await create(api, owner, "Evening", slots=[{"time": f"{(HOUR + 3) % 24:02}:00"}])
    post = await in_slot(make, owner)
    change = {"publishMode": "slot", "queueId": evening["id"]}
    moved = (await api.patch(f"/posts/{post['id']}", json=change, key=owner.key)).json()
    assert moved["scheduledAt"] == (await slots(api, owner, evening))[0]["at"]
    assert (await in_slot(make, owner))["scheduledAt"] == post["scheduledAt"]
    again = (await api.patch(f"/posts/{post['id']}", json={"publishMode": "slot"}, key=owner.key)).json()
    assert again["scheduledAt"] == moved["scheduledAt"]  # its own queue, not the default one


async def test_a_draft_gets_a_slot_when_it_is_updated_or_submitted(api: Api, make: Make, owner: Login) -> None:
    await create(api, owner)
    draft = await make.draft(owner, platforms=["sandbox"], text="One")
    placed = (await api.patch(f"/posts/{draft['id']}", json={"publishMode": "slot"}, key=owner.key)).json()
    assert (placed["status"], placed["publishMode"]) == ("scheduled", "slot")
    await _cancel(api, owner, draft)
    other = await in_slot(make, owner)
    assert other["scheduledAt"] == placed["scheduledAt"]
    entry = (await api.post(f"/queue/submit/{draft['id']}", key=owner.key)).json()
    assert entry["runAt"] > other["scheduledAt"]


async def test_a_restored_post_has_its_slot_again_unless_another_post_has_it(
    api: Api, make: Make, owner: Login
) -> None:
    await create(api, owner)
    post = await in_slot(make, owner)
    await _trash(api, owner, post)
    restored = (await api.post(f"/posts/{post['id']}/restore", key=owner.key)).json()
    assert (restored["status"], restored["scheduledAt"]) == ("scheduled", post["scheduledAt"])
    await _trash(api, owner, post)
    other = await in_slot(make, owner)
    assert other["scheduledAt"] == post["scheduledAt"]
    lost = (await api.post(f"/posts/{post['id']}/restore", key=owner.key)).json()
    assert (lost["status"], [warning["code"] for warning in lost["warnings"]]) == ("draft", ["slot.taken"])
    placed = (await api.patch(f"/posts/{post['id']}", json={"publishMode": "slot"}, key=owner.key)).json()
    assert (placed["status"], placed["warnings"]) == ("scheduled", [])


async def test_a_time_at_which_an_account_publishes_something_else_is_passed_over(
    api: Api, make: Make, owner: Login
) -> None:
    queue = await create(api, owner)
    first, second = [slot["at"] for slot in await slots(api, owner, queue, 2)]
    await make.post(owner, scheduledAt=first)
    assert (await in_slot(make, owner))["scheduledAt"] == second


async def test_of_fifty_callers_at_once_each_gets_a_slot_of_its_own_as_long_as_there_are_any(
    api: Api, make: Make, owner: Login
) -> None:
    """A weekly slot occurs 52 times in 365 days; 32 of them are taken."""
    weekday = (clock.now() + timedelta(days=3)).weekday()
    queue = await create(api, owner, slots=[{"time": "09:00", "days": [weekday]}])
    every = await slots(api, owner, queue, 100)
    assert len(every) in (52, 53)
    left = 20
    async with make.context.database.transaction() as db:
        for slot in every[:-left]:
            post_id = ids.new_id()
            await db.execute(
                "insert into post (id, workspace_id, profile_id, status, publish_mode, scheduled_at, timezone,"
                " created_by, source, mode)"
                " select $1, workspace_id, id, 'scheduled', 'slot', $3, 'UTC', $4, 'api', 'live' from profile"
                " where id = $2",
                post_id, ids.decode("prof", owner.profile), datetime.fromisoformat(slot["at"]),
                Actor(type="user", id=None, name="Ada"),
            )  # fmt: skip
            await db.execute(
                "insert into slot_reservation (queue_id, at, workspace_id, post_id) values ($1, $2, $3, $4)",
                ids.decode("slq", queue["id"]), datetime.fromisoformat(slot["at"]), owner.workspace_id, post_id,
            )  # fmt: skip
    body = {"profileId": owner.profile, "platforms": ["sandbox"], "publishMode": "slot"}
    answers = await asyncio.gather(
        *(api.post("/posts", json=body | {"text": f"Post {number}"}, key=owner.key) for number in range(50))
    )
    placed = [answer.json()["scheduledAt"] for answer in answers if answer.status_code == 201]
    assert sorted(placed) == [slot["at"] for slot in every[-left:]]
    assert {answer.json()["code"] for answer in answers if answer.status_code != 201} == {"no_free_slot"}
    assert len((await api.get("/posts", params={"limit": "100"}, key=owner.key)).json()["data"]) == len(every)


async def test_callers_of_all_kinds_at_once_share_no_slot(api: Api, make: Make, owner: Login) -> None:
    """New posts, drafts that get a slot, and posts that come out of the trash."""
    queue = await create(api, owner, slots=DAILY)
    trashed = [await in_slot(make, owner) for _ in range(5)]
    drafts = [await make.draft(owner, platforms=["sandbox"], text=f"Draft {number}") for number in range(5)]
    for post in trashed:
        await _trash(api, owner, post)
    await asyncio.gather(
        *(in_slot(make, owner) for _ in range(5)),
        *(api.patch(f"/posts/{draft['id']}", json={"publishMode": "slot"}, key=owner.key) for draft in drafts),
        *(api.post(f"/posts/{post['id']}/restore", key=owner.key) for post in trashed),
    )
    listed = (await api.get("/posts", params={"limit": "100"}, key=owner.key)).json()["data"]
    times = [post["scheduledAt"] for post in listed if post["status"] == "scheduled"]
    assert len(listed) == 15
    assert len(times) >= 10
    assert len(set(times)) == len(times)
    shown = [slot for slot in await slots(api, owner, queue, 30) if not slot["free"]]
    assert sorted(slot["at"] for slot in shown) == sorted(times)


@pytest.mark.parametrize(
    ("fields", "path", "code"),
    [
        ({"scheduledAt": clock.wire(clock.now() + timedelta(days=9))}, "/scheduledAt", "not_allowed"),
        ({"publishMode": "now", "queueId": "{queue}"}, "/queueId", "not_allowed"),
        ({"queueId": "slq_00000000000000000000000000"}, "/queueId", "not_found"),
        ({"draft": True}, "/publishMode", "not_allowed"),
    ],
)
async def test_what_contradicts_a_slot_is_refused(
    api: Api, owner: Login, fields: dict[str, Any], path: str, code: str
) -> None:
    queue = await create(api, owner)
    body = {"profileId": owner.profile, "text": "Hi", "platforms": ["sandbox"], "publishMode": "slot"} | fields
    if body.get("queueId") == "{queue}":
        body["queueId"] = queue["id"]
    answer = await api.post("/posts", json=body, key=owner.key)
    assert [(issue["path"], issue["code"]) for issue in answer.json()["errors"]] == [(path, code)]


async def test_without_a_queue_or_with_a_paused_one_there_is_no_slot(api: Api, make: Make, owner: Login) -> None:
    body = {"profileId": owner.profile, "text": "Hi", "platforms": ["sandbox"], "publishMode": "slot"}
    answer = await api.post("/posts", json=body, key=owner.key)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "/publishMode")
    queue = await create(api, owner, active=False)
    answer = await api.post("/posts", json=body, key=owner.key)
    assert (answer.status_code, answer.json()["code"]) == (409, "no_free_slot")
    assert (await api.get(f"/queues/{queue['id']}/slots", key=owner.key)).json()["nextFreeAt"] is None
    other = await create(api, owner, "Elsewhere", profileId=(await make.profile(owner))["id"])
    answer = await api.post("/posts", json=body | {"queueId": other["id"]}, key=owner.key)
    assert answer.json()["errors"][0]["path"] == "/queueId"


async def test_a_refused_post_takes_no_slot_and_validation_takes_none_either(
    api: Api, make: Make, owner: Login
) -> None:
    queue = await create(api, owner)
    body = {"profileId": owner.profile, "text": "Hi", "platforms": ["sandbox"], "publishMode": "slot"}
    valid = await api.post("/posts/validate", json=body, key=owner.key)
    assert valid.json()["valid"] is True
    refused = await api.post("/posts", json=body | {"text": "x" * 60_000}, key=owner.key)
    assert refused.json()["code"] == "preflight_failed"
    assert (await slots(api, owner, queue))[0]["free"]


async def test_posts_keep_their_times_when_their_queue_changes_or_goes(api: Api, make: Make, owner: Login) -> None:
    queue = await create(api, owner)
    post = await in_slot(make, owner)
    await api.patch(f"/queues/{queue['id']}", json={"slots": [{"time": "11:11"}]}, key=owner.key)
    deleted = (await api.delete(f"/queues/{queue['id']}", key=owner.key)).json()
    assert deleted["postsKept"] == 1
    kept = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()
    assert (kept["status"], kept["scheduledAt"]) == ("scheduled", post["scheduledAt"])


async def test_a_post_that_new_zone_rules_move_keeps_its_slot(api: Api, make: Make, owner: Login) -> None:
    """Also in the time between new rules and the job that moves posts: a slot is known by its wall time too."""
    queue = await create(api, owner, slots=[{"time": "09:00"}], timezone="Europe/Berlin")
    post = await in_slot(make, owner)
    by_old_rules = datetime.fromisoformat(post["scheduledAt"]) + timedelta(hours=1)
    async with make.context.database.transaction() as db:
        post_id = ids.decode("pst", post["id"])
        await db.execute("update post set scheduled_at = $2 where id = $1", post_id, by_old_rules)
        await db.execute("update slot_reservation set at = $2 where post_id = $1", post_id, by_old_rules)
        await db.execute("update target set next_attempt_at = $2 where post_id = $1", post_id, by_old_rules)
    assert (await slots(api, owner, queue))[0]["postId"] == post["id"]
    assert (await in_slot(make, owner))["scheduledAt"] == (await slots(api, owner, queue))[1]["at"]
