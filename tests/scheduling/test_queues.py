"""Slot queues as such: names, defaults, versions, the preview."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.kit import clock
from signalpost.scheduling.actions import queues

HOUR = (clock.now().hour + 12) % 24
"""Half a day away: a slot at this hour does not come while tests run, in whatever zone of Europe."""
ONCE = [{"time": f"{HOUR:02}:00"}]


async def create(api: Api, owner: Login, name: str = "Daily", **fields: Any) -> dict[str, Any]:
    body = {"profileId": owner.profile, "name": name, "slots": ONCE} | fields
    answer = await api.post("/queues", json=body, key=owner.key)
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


async def _defaults(api: Api, owner: Login) -> list[str]:
    listed = (await api.get("/queues", params={"profileId": owner.profile}, key=owner.key)).json()["data"]
    return [queue["name"] for queue in listed if queue["isDefault"]]


async def test_a_queue_has_the_zone_of_its_profile_until_it_has_its_own(api: Api, make: Make) -> None:
    owner = await make.owner()
    await api.patch(f"/profiles/{owner.profile}", json={"timezone": "Asia/Tokyo"}, key=owner.key)
    queue = await create(api, owner)
    assert (queue["timezone"], queue["effectiveTimezone"], queue["active"], queue["version"]) == (
        None, "Asia/Tokyo", True, 1,
    )  # fmt: skip
    assert queue["slots"] == [slot | {"days": [0, 1, 2, 3, 4, 5, 6]} for slot in ONCE]
    path = f"/queues/{queue['id']}"
    changed = (await api.patch(path, json={"timezone": "Europe/Berlin"}, key=owner.key)).json()
    assert (changed["effectiveTimezone"], changed["version"]) == ("Europe/Berlin", 2)
    assert (await api.get(path, key=owner.key)).json() == changed
    changed = (await api.patch(path, json={"timezone": None, "name": "  Early "}, key=owner.key)).json()
    assert (changed["effectiveTimezone"], changed["name"]) == ("Asia/Tokyo", "Early")


async def test_the_first_queue_is_the_default_and_there_is_always_one(api: Api, make: Make) -> None:
    owner = await make.owner()
    first = await create(api, owner, "First", isDefault=False)
    second = await create(api, owner, "Second")
    assert (first["isDefault"], second["isDefault"]) == (True, False)
    await api.patch(f"/queues/{second['id']}", json={"isDefault": True}, key=owner.key)
    assert await _defaults(api, owner) == ["Second"]
    refused = await api.patch(f"/queues/{second['id']}", json={"isDefault": False}, key=owner.key)
    assert refused.json()["code"] == "invalid_state"
    await create(api, owner, "Third", isDefault=True)
    assert await _defaults(api, owner) == ["Third"]
    third = (await api.get("/queues", key=owner.key)).json()["data"][0]
    deleted = (await api.delete(f"/queues/{third['id']}", key=owner.key)).json()
    assert deleted == {"id": third["id"], "deleted": True, "postsKept": 0}
    assert await _defaults(api, owner) == ["First"]


async def test_a_name_is_unique_in_its_profile_also_at_the_same_time(api: Api, make: Make) -> None:
    owner = await make.owner()
    other = (await make.profile(owner))["id"]
    names = ["Daily", "DAILY", " daily "]
    bodies = [{"profileId": owner.profile, "name": name, "slots": ONCE} for name in names]
    answers = await asyncio.gather(*(api.post("/queues", json=body, key=owner.key) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]
    await create(api, owner, "Daily", profileId=other)
    spare = await create(api, owner, "Spare")
    taken = await api.patch(f"/queues/{spare['id']}", json={"name": "daily"}, key=owner.key)
    assert (taken.status_code, taken.json()["errors"][0]["path"]) == (409, "/name")


async def test_a_profile_has_a_bounded_number_of_queues(api: Api, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "QUEUES_MAX", 2)
    owner = await make.owner()
    for name in ("A", "B"):
        await create(api, owner, name)
    refused = await api.post("/queues", json={"profileId": owner.profile, "name": "C", "slots": ONCE}, key=owner.key)
    assert (refused.status_code, refused.json()["code"]) == (422, "too_many_items")


@pytest.mark.parametrize(
    ("fields", "path", "code"),
    [
        ({"slots": [{"time": "9:00"}]}, "/slots/0/time", "format"),
        ({"slots": [{"time": "24:00"}]}, "/slots/0/time", "format"),
        ({"slots": [{"time": "09:00", "days": [7]}]}, "/slots/0/days/0", "out_of_range"),
        ({"slots": [{"time": "09:00", "days": []}]}, "/slots/0/days", "too_short"),
        ({"slots": [{"time": "09:00", "days": [1, 1]}]}, "/slots/0", "not_unique"),
        ({"slots": [{"time": "09:00"}, {"time": "09:00", "days": [3]}]}, "/slots/1", "not_unique"),
        ({"slots": []}, "/slots", "too_short"),
        ({"slots": [{"time": "09:00"}] * 49}, "/slots", "too_long"),
        ({"timezone": "Europe/Berln"}, "/timezone", "format"),
        ({"name": "   "}, "/name", "format"),
        ({"profileId": "prof_00000000000000000000000000"}, "/profileId", "not_found"),
    ],
)
async def test_what_is_wrong_is_named(api: Api, make: Make, fields: dict[str, Any], path: str, code: str) -> None:
    owner = await make.owner()
    body = {"profileId": owner.profile, "name": "Daily", "slots": ONCE} | fields
    answer = await api.post("/queues", json=body, key=owner.key)
    assert answer.status_code == 422
    assert (path, code) in [(issue["path"], issue["code"]) for issue in answer.json()["errors"]]


async def test_only_the_version_that_was_read_is_changed(api: Api, make: Make) -> None:
    owner = await make.owner()
    queue = await create(api, owner)
    path, stale = f"/queues/{queue['id']}", {"If-Match": '"1"'}
    assert (await api.patch(path, json={"active": False}, headers=stale, key=owner.key)).status_code == 200
    assert (await api.patch(path, json={"active": True}, headers=stale, key=owner.key)).status_code == 412
    assert (await api.delete(path, headers=stale, key=owner.key)).status_code == 412


async def test_the_queues_of_a_deleted_profile_are_gone(api: Api, make: Make) -> None:
    owner = await make.owner()
    profile = (await make.profile(owner))["id"]
    queue = await create(api, owner, profileId=profile)
    await api.delete(f"/profiles/{profile}", key=owner.key)
    assert (await api.get(f"/queues/{queue['id']}", key=owner.key)).status_code == 404
    assert (await api.get("/queues", key=owner.key)).json()["data"] == []


async def test_a_test_key_knows_no_queues_of_profiles_with_live_accounts(api: Api, make: Make) -> None:
    owner = await make.owner()
    queue = await create(api, owner)
    assert (await api.get(f"/queues/{queue['id']}", key=owner.test_key)).status_code == 200
    async with make.context.database.transaction() as db:
        account = await make.account(owner)
        await db.execute(
            "update account set platform = 'bluesky' where workspace_id = $1 and username = $2",
            owner.workspace_id, account["username"],
        )  # fmt: skip
    assert (await api.get(f"/queues/{queue['id']}", key=owner.test_key)).status_code == 404
    assert (await api.get("/queues", key=owner.test_key)).json()["data"] == []


async def test_slots_are_shown_from_a_later_time_on(api: Api, make: Make) -> None:
    owner = await make.owner()
    queue = await create(api, owner)
    later = (clock.now() + timedelta(days=40)).replace(hour=HOUR, minute=30, second=0, microsecond=0)

    path = f"/queues/{queue['id']}/slots"
    answer = await api.get(path, params={"from": later.isoformat(), "count": 2}, key=owner.key)
    assert answer.status_code == 200, answer.text
    days = [(later + timedelta(days=ahead)).date().isoformat() for ahead in (1, 2)]
    assert [slot["localTime"] for slot in answer.json()["slots"]] == [f"{day}T{HOUR:02}:00:00" for day in days]
    past = await api.get(f"{path}?from=2020-01-01T00:00:00Z&count=1", key=owner.key)
    now = await api.get(f"{path}?count=1", key=owner.key)
    assert past.json() == now.json()
