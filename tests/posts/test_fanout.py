"""One post for several profiles: listed ones, or the children of a profile by the rules of their links."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_create import soon
from tests.posts.test_create_limits import of

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.problems import Problem, TooManyItems
from signalpost.plans.errors import PlanFeatureUnavailable
from signalpost.posts.many.fanout import fan_out
from signalpost.posts.schemas.many import FanoutCreate, FanoutTarget
from signalpost.web.fields import ProfileId


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="parent")
    return login


async def child(make: Make, owner: Login, *, accounts: int = 1, **rules: Any) -> str:
    """A profile with sandbox accounts, linked to the owner's with these rules."""
    profile: str = (await make.profile(owner))["id"]
    for number in range(accounts):
        await make.account(owner, profile=profile, username=f"child{number}")
    body = {"parentProfileId": owner.profile, "childProfileId": profile, "rules": rules}
    assert (await make.api.post("/profiles/links", json=body, key=owner.key)).status_code == 201
    return profile


async def send(api: Api, owner: Login, key: str | None = None, **fields: Any) -> httpx.Response:
    return await api.post("/posts/fanout", json={"text": "Hello"} | fields, key=key or owner.key)


def to_children(owner: Login, **fields: Any) -> dict[str, Any]:
    return {"targets": "children", "sourceProfileId": owner.profile} | fields


def issues(answer: httpx.Response) -> set[tuple[str, str]]:
    return {(issue["path"], issue["code"]) for issue in answer.json()["errors"]}


def minutes_between(first: str, second: str) -> float:
    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds() / 60


async def test_listed_profiles_get_what_differs_there(api: Api, make: Make, owner: Login) -> None:
    other = (await make.profile(owner))["id"]
    accounts = [await make.account(owner, profile=other, username=name) for name in ("a", "b")]
    later = soon(hours=5)
    answer = await send(
        api,
        owner,
        targets=[
            {"profileId": owner.profile, "captionPrefix": "News: "},
            {"profileId": other, "accountIds": [accounts[1]["id"]], "text": "Hi", "scheduledAt": later},
            {"profileId": other, "platforms": ["sandbox"]},
        ],
        tags=["spring"],
        timezone="Europe/Berlin",
    )
    assert answer.status_code == 201, answer.text
    result = answer.json()
    assert (result["total"], result["created"], result["errors"]) == (3, 3, [])
    assert [(one["profileId"], one["text"], one["status"]) for one in result["posts"]] == [
        (owner.profile, "News: Hello", "queued"), (other, "Hi", "scheduled"), (other, "Hello", "queued"),
    ]  # fmt: skip
    assert [len(one["targets"]) for one in result["posts"]] == [1, 1, 2]
    assert result["posts"][1]["targets"][0]["accountId"] == accounts[1]["id"]
    assert minutes_between(result["posts"][1]["scheduledAt"], later) == pytest.approx(0, abs=0.001)
    assert {(one["source"], one["fanoutId"], *one["tags"]) for one in result["posts"]} == {
        ("fanout", result["fanoutId"], "spring")
    }
    listed = await api.get(f"/posts?fanoutId={result['fanoutId']}", key=owner.key)
    assert {one["id"] for one in listed.json()["data"]} == {one["id"] for one in result["posts"]}


async def test_children_get_the_post_by_the_rules_of_their_links(api: Api, make: Make, owner: Login) -> None:
    plain = await child(make, owner, accounts=2)
    ruled = await child(make, owner, captionPrefix="RT ", languageOverride="de-AT", delayMinutes=30, asDraft=True)
    nowhere = await child(make, owner, platforms=["bluesky"])
    silent = await child(make, owner, autoRepost=False)
    start = soon(days=1)
    answer = await send(api, owner, **to_children(owner, scheduledAt=start))
    assert answer.status_code == 201, answer.text
    result = answer.json()
    assert [(one["profileId"], one["text"], one["status"]) for one in result["posts"]] == [
        (plain, "Hello", "scheduled"), (ruled, "RT Hello", "draft"),
    ]  # fmt: skip
    assert len(result["posts"][0]["targets"]) == 2
    assert minutes_between(start, result["posts"][0]["scheduledAt"]) == pytest.approx(0, abs=0.001)
    assert minutes_between(start, result["posts"][1]["scheduledAt"]) == pytest.approx(30, abs=0.001)
    assert [(one["index"], one["profileId"], one["problem"]["code"]) for one in result["errors"]] == [
        (2, nowhere, "validation_failed"), (3, silent, "invalid_state"),
    ]  # fmt: skip
    assert (result["total"], result["created"]) == (4, 2)


async def test_targets_are_staggered_from_one_time(api: Api, make: Make, owner: Login) -> None:
    for delay in (0, 0, 60):
        await child(make, owner, delayMinutes=delay)
    timed = (await send(api, owner, **to_children(owner, scheduledAt=soon(days=1), staggerMinutes=10))).json()
    times = [one["scheduledAt"] for one in timed["posts"]]
    assert [round(minutes_between(times[0], time)) for time in times] == [0, 10, 80]
    now = (await send(api, owner, **to_children(owner, text="Now", staggerMinutes=10))).json()
    assert [one["status"] for one in now["posts"]] == ["queued", "scheduled", "scheduled"]
    assert now["posts"][0]["scheduledAt"] is None
    assert round(minutes_between(now["posts"][1]["scheduledAt"], now["posts"][2]["scheduledAt"])) == 70
    drafts = (await send(api, owner, **to_children(owner, draft=True, staggerMinutes=10))).json()
    assert {(one["status"], one["scheduledAt"]) for one in drafts["posts"]} == {("draft", None)}


async def test_a_wall_time_is_that_of_each_profile(api: Api, make: Make, owner: Login) -> None:
    zones = ["Europe/Berlin", "America/New_York"]
    profiles = [(await make.profile(owner, timezone=zone))["id"] for zone in zones]
    for profile in profiles:
        await make.account(owner, profile=profile)
    targets = [{"profileId": profile} for profile in profiles]
    noon = datetime.fromisoformat(soon(days=40)).replace(hour=12, minute=0, second=0, microsecond=0, tzinfo=None)
    answer = await send(api, owner, targets=targets, scheduledAt=noon.isoformat())
    assert [one["scheduledAt"] for one in answer.json()["posts"]] == [
        clock.wire(noon.replace(tzinfo=ZoneInfo(zone))) for zone in zones
    ]


async def test_what_is_refused_has_its_place_in_the_request(api: Api, make: Make, owner: Login) -> None:
    empty = (await make.profile(owner))["id"]
    stranger = await make.owner()
    targets = [
        {"profileId": empty},
        {"profileId": stranger.profile},
        {"profileId": owner.profile, "platforms": ["bluesky"]},
        {"profileId": owner.profile, "accountIds": ["acc_01M7Z0000000000000000000AB"]},
        {"profileId": owner.profile, "platforms": ["sandbox"], "accountIds": ["acc_01M7Z0000000000000000000AB"]},
        {"profileId": owner.profile, "text": "x" * 5001},
        {"profileId": owner.profile, "scheduledAt": "tomorrow"},
    ]
    refused = await send(api, owner, targets=targets)
    assert refused.status_code == 422
    places = {
        ("/targets/0/profileId", "not_found"), ("/targets/1/profileId", "not_found"),
        ("/targets/2/platforms/0", "not_found"), ("/targets/3/accountIds/0", "not_found"),
        ("/targets/4/accountIds", "not_allowed"), ("/targets/5/text", "sandbox.text.max"),
        ("/targets/6/scheduledAt", "format"),
    }  # fmt: skip
    assert {path for path, _ in issues(refused)} == {path for path, _ in places}
    assert places - {("/targets/5/text", "sandbox.text.max")} <= issues(refused)
    some = await send(api, owner, targets=[*targets, {"profileId": owner.profile}])
    assert (some.status_code, some.json()["total"], some.json()["created"]) == (201, 8, 1)
    none = await send(api, owner, targets=[*targets, {"profileId": owner.profile}], text="Other", atomic=True)
    assert none.status_code == 422
    assert len((await api.get("/posts", key=owner.key)).json()["data"]) == 1
    common = await send(api, owner, targets=[{"profileId": owner.profile}], link="https://e.example", description="x")
    assert issues(common) == {("/description", "not_allowed")}


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        ({"targets": "children"}, "/sourceProfileId", "required"),
        ({"targets": "children", "sourceProfileId": "{profile}"}, "/targets", "not_found"),
        ({"targets": "children", "sourceProfileId": "{stranger}"}, "/sourceProfileId", "not_found"),
        ({"targets": [{"profileId": "{profile}"}], "externalId": "cms-1"}, "/externalId", "not_allowed"),
        ({"targets": "cousins"}, "/targets", "type"),
        ({"targets": []}, "/targets", "too_short"),
    ],
)
async def test_a_request_without_targets_is_refused(
    api: Api, make: Make, owner: Login, body: dict[str, Any], path: str, code: str
) -> None:
    stranger = await make.owner()
    names = {"{profile}": owner.profile, "{stranger}": stranger.profile}
    filled = {name: names.get(value, value) if isinstance(value, str) else value for name, value in body.items()}
    if isinstance(filled["targets"], list):
        filled["targets"] = [{"profileId": owner.profile} for _ in filled["targets"]]
    refused = await send(api, owner, **filled)
    assert refused.status_code == 422
    assert path in {found for found, _ in issues(refused)}


async def test_children_beyond_a_caller_get_nothing(api: Api, make: Make, owner: Login) -> None:
    seen, hidden = await child(make, owner), await child(make, owner)
    editor = await make.member(owner, role="editor", profile_ids=[owner.profile, seen])
    result = (await send(api, owner, key=editor.key, **to_children(owner))).json()
    assert [one["profileId"] for one in result["posts"]] == [seen]
    refused = await send(api, owner, key=editor.key, targets=[{"profileId": hidden}])
    assert issues(refused) == {("/targets/0/profileId", "not_found")}


async def test_an_idempotency_key_fans_out_once(api: Api, make: Make, owner: Login) -> None:
    await child(make, owner)
    headers = {"Idempotency-Key": "fan-" + owner.profile}
    body = to_children(owner, text="Once")
    first, second = [await api.post("/posts/fanout", json=body, key=owner.key, headers=headers) for _ in range(2)]
    assert first.json() == second.json()
    assert second.headers["idempotent-replayed"] == "true"


async def test_the_plan_limits_targets_and_includes_links(context: AppContext, make: Make, owner: Login) -> None:
    who = of(owner, "free")
    profile_id = ids.decode("prof", owner.profile)
    assert profile_id is not None
    profile = ProfileId(int=profile_id.int)
    too_many = FanoutCreate(targets=[FanoutTarget(profile_id=profile)] * 6, text="x")
    children = FanoutCreate(targets="children", source_profile_id=profile, text="x")
    for data, expected in ((too_many, TooManyItems), (children, PlanFeatureUnavailable)):
        refusals = []
        try:
            async with context.database.transaction() as db:
                await fan_out(context, db, who, data)
        except Problem as problem:
            refusals.append(type(problem))
        assert refusals == [expected]


async def test_the_language_of_a_link_is_that_of_networks_that_have_one() -> None:
    from signalpost.posts.compose.link_rules import with_language

    options = {"bluesky": {"languages": ["en"], "labels": []}, "sandbox": {}}
    assert with_language(options, "de-AT", ["bluesky", "mastodon", "sandbox"]) == {
        "bluesky": {"languages": ["de-AT"], "labels": []}, "mastodon": {"language": "de-AT"}, "sandbox": {},
    }  # fmt: skip
    assert with_language(options, None, ["mastodon"]) == options
