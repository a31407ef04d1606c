"""The time of a new post: instants, wall times, and zones that nobody chose."""

from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_create import create

from signalpost.kit import ids
from signalpost.kit.db import Database


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"scheduledAt": "2020-01-01T00:00Z"}, "schedule_in_past"),
        ({"scheduledAt": "2100-01-01T00:00Z"}, "schedule_too_far"),
        ({"scheduledAt": "2020-01-01T00:00Z", "timezone": "Nowhere"}, "validation_failed"),
    ],
)
async def test_a_wrong_time_has_a_code_of_its_own(api: Api, owner: Login, fields: dict[str, Any], code: str) -> None:
    refused = await create(api, owner, **fields)
    assert (refused.status_code, refused.json()["code"]) == (422, code)


async def test_a_local_time_is_that_of_the_profile_and_daylight_saving_is_told(api: Api, make: Make) -> None:
    owner = await make.owner()
    profile = await make.profile(owner, timezone="Europe/Berlin")
    await make.account(owner, profile=profile["id"])
    body = {"profileId": profile["id"], "text": "x", "platforms": ["sandbox"], "scheduledAt": "2027-03-28T02:30"}

    made = await api.post("/posts", json=body, key=owner.test_key, headers={"X-Test-Now": "2027-03-01T00:00:00Z"})

    assert made.json()["scheduledAt"] == "2027-03-28T01:30:00.000Z"
    assert made.json()["timezone"] == "Europe/Berlin"
    assert [warning["code"] for warning in made.json()["warnings"]] == ["schedule.dst"]


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({"scheduledAt": "2027-03-28T18:00"}, ["schedule.utc"]),
        ({"scheduledAt": "2027-03-28T18:00Z"}, []),
        ({"scheduledAt": "2027-03-28T18:00", "timezone": "UTC"}, []),
        ({"scheduledAt": "2027-03-28T18:00", "timezone": "Asia/Tokyo"}, []),
        ({}, []),
    ],
)
async def test_a_local_time_of_which_nobody_chose_the_zone_is_warned_of(
    api: Api, owner: Login, fields: dict[str, Any], codes: list[str]
) -> None:
    """In the response of a create, and before that in a validation."""
    body = {"profileId": owner.profile, "text": "In whose evening?", "platforms": ["sandbox"]} | fields
    for path in ("/posts/validate", "/posts"):
        headers = {"X-Test-Now": "2027-03-01T00:00:00Z"}
        answer = (await api.post(path, json=body, key=owner.test_key, headers=headers)).json()
        assert [warning["code"] for warning in answer["warnings"]] == codes


async def test_utc_that_someone_chose_is_not_warned_of(api: Api, make: Make, database: Database) -> None:
    """For a profile, or for the workspace, whose zone new profiles have; null takes a choice back."""
    owner = await make.owner()
    profiles = {"as the workspace": (await make.profile(owner))["id"], "chosen": owner.profile}
    await api.patch(f"/profiles/{owner.profile}", json={"timezone": "UTC"}, key=owner.key)
    assert await warnings_of(api, owner, profiles) == {"as the workspace": ["schedule.utc"], "chosen": []}

    await api.patch(f"/profiles/{owner.profile}", json={"timezone": None}, key=owner.key)
    assert await warnings_of(api, owner, profiles) == {"as the workspace": ["schedule.utc"], "chosen": ["schedule.utc"]}

    await database.pool.execute("update workspace set zone_chosen = true where id = $1", owner.workspace_id)
    inherits = (await make.profile(await make.login(owner.user_id, owner.workspace_id, owner.email)))["id"]
    assert await warnings_of(api, owner, {"new": inherits}) == {"new": []}


async def warnings_of(api: Api, owner: Login, profiles: dict[str, str]) -> dict[str, list[str]]:
    codes = {}
    for name, profile in profiles.items():
        body = {"profileId": profile, "text": "When?", "draft": True, "scheduledAt": "2027-03-28T18:00"}
        answer = await api.post("/posts/validate", json=body, key=owner.key)
        codes[name] = [warning["code"] for warning in answer.json()["warnings"]]
    return codes


async def test_the_clock_of_a_test_does_not_hold_up_what_goes_out_now(
    api: Api, owner: Login, database: Database
) -> None:
    """X-Test-Now is the time of the request; workers live in the present."""
    for year in (2020, 2040):
        headers = {"X-Test-Now": f"{year}-01-01T00:00:00Z"}
        body = {"profileId": owner.profile, "text": f"In {year}", "platforms": ["sandbox"]}
        post = (await api.post("/posts", json=body, key=owner.test_key, headers=headers)).json()

        assert post["createdAt"].startswith(str(year))
        async with database.connection() as db:
            sql = "select next_attempt_at between now() - interval '1 minute' and now() from target where id = $1"
            assert await db.fetchval(sql, ids.decode("tgt", post["targets"][0]["id"]))
