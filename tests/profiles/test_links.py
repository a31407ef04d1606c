import asyncio
import itertools
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.kit.db import Database


async def link(api: Api, owner: Login, parent: str, child: str, **more: object) -> tuple[int, dict[str, Any]]:
    body = {"parentProfileId": parent, "childProfileId": child} | more
    response = await api.post("/profiles/links", json=body, key=owner.key)
    return response.status_code, response.json()


async def chain(api: Api, make: Make, owner: Login, count: int) -> list[str]:
    """`count` new profiles, each the parent of the next."""
    ids = [(await make.profile(owner))["id"] for _ in range(count)]
    for parent, child in itertools.pairwise(ids):
        assert (await link(api, owner, parent, child))[0] == 201
    return ids


async def test_a_link_has_rules_with_defaults_and_is_seen_from_both_sides(api: Api, make: Make) -> None:
    owner = await make.owner()
    child = await make.profile(owner)
    rules = {"tagPrefix": "RT ", "platforms": ["twitter", "bluesky", "x"], "delayMinutes": 5}
    status, made = await link(api, owner, owner.profile, child["id"], rules=rules)

    assert status == 201
    assert made["rules"] == {
        "autoRepost": True, "captionPrefix": "RT ", "languageOverride": None, "platforms": ["bluesky", "x"],
        "delayMinutes": 5, "asDraft": False,
    }  # fmt: skip
    assert (made["active"], made["parentProfileId"], made["childProfileId"]) == (True, owner.profile, child["id"])
    children = (await api.get(f"/profiles/{owner.profile}/children", key=owner.key)).json()["data"]
    assert [(item["profile"]["id"], item["link"]) for item in children] == [(child["id"], made)]
    assert (await api.get(f"/profiles/{child['id']}", key=owner.key)).json()["parentId"] == owner.profile
    assert (await api.get(f"/profiles/{owner.profile}", key=owner.key)).json()["childCount"] == 1


async def test_the_same_pair_again_replaces_the_rules_and_is_recorded(api: Api, make: Make) -> None:
    owner = await make.owner()
    child = (await make.profile(owner))["id"]
    _, first = await link(api, owner, owner.profile, child, rules={"delayMinutes": 9, "asDraft": True})
    status, second = await link(api, owner, owner.profile, child, rules={"autoRepost": False})

    assert (status, second["id"]) == (201, first["id"])
    assert second["rules"]["delayMinutes"] == 0
    history = (await api.get("/profiles/links/history", key=owner.key)).json()["data"]
    assert [entry["action"] for entry in history] == ["rules_updated", "linked"]
    assert history[0]["actor"]["type"] == "api_key"
    assert {entry["linkId"] for entry in history} == {first["id"]}


async def test_a_removed_link_frees_the_child(api: Api, make: Make) -> None:
    owner = await make.owner()
    child, other = (await make.profile(owner))["id"], (await make.profile(owner))["id"]
    _, made = await link(api, owner, owner.profile, child)
    taken = await link(api, owner, other, child)
    response = await api.delete(f"/profiles/links/{made['id']}", key=owner.key)

    assert (taken[0], taken[1]["code"]) == (409, "already_exists")
    assert (response.status_code, response.json()) == (200, {"id": made["id"], "deleted": True})
    assert (await api.delete(f"/profiles/links/{made['id']}", key=owner.key)).status_code == 404
    assert (await link(api, owner, other, child))[0] == 201


async def test_no_circle_can_be_closed(api: Api, make: Make) -> None:
    owner = await make.owner()
    a, b, c = await chain(api, make, owner, 3)

    for parent, child in ((a, a), (b, a), (c, a)):
        status, problem = await link(api, owner, parent, child)
        assert (status, problem["code"]) == (409, "link_cycle")


async def test_a_chain_has_three_links_at_most_wherever_it_grows(api: Api, make: Make) -> None:
    owner = await make.owner()
    longest = await chain(api, make, owner, 4)
    pair = await chain(api, make, owner, 2)
    triple = await chain(api, make, owner, 3)

    assert (await link(api, owner, longest[-1], pair[0]))[1]["code"] == "link_cycle"
    assert (await link(api, owner, pair[0], longest[0]))[1]["code"] == "link_cycle"
    assert (await link(api, owner, triple[-1], pair[0]))[1]["code"] == "link_cycle"
    assert (await link(api, owner, pair[-1], (await make.profile(owner))["id"]))[0] == 201


async def test_links_made_at_once_cannot_close_a_circle(api: Api, make: Make, database: Database) -> None:
    """Each link alone is fine; without serialization both would be written."""
    owner = await make.owner()
    for _ in range(5):
        a, b, c = [(await make.profile(owner))["id"] for _ in range(3)]
        responses = await asyncio.gather(*(link(api, owner, *pair) for pair in ((a, b), (b, c), (c, a))))
        assert sorted(status for status, _ in responses) == [201, 201, 409]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"parentProfileId": "prof_00000000000000000000000000"}, "/parentProfileId"),
        ({"childProfileId": "nonsense"}, "/childProfileId"),
        ({"rules": {"platforms": ["myspace"]}}, "/rules/platforms/0"),
        ({"rules": {"delayMinutes": 10_081}}, "/rules/delayMinutes"),
        ({"rules": {"captionPrefix": "x" * 101}}, "/rules/captionPrefix"),
        ({"rules": {"captionPrefix": "a", "tagPrefix": "b"}}, "/rules/tagPrefix"),
        ({"rules": {"languageOverride": "klingon!"}}, "/rules/languageOverride"),
        ({"rules": {"nope": 1}}, "/rules/nope"),
    ],
)
async def test_bad_links_are_refused(api: Api, make: Make, change: dict[str, object], path: str) -> None:
    owner = await make.owner()
    child = (await make.profile(owner))["id"]
    body = {"parentProfileId": owner.profile, "childProfileId": child} | change
    response = await api.post("/profiles/links", json=body, key=owner.key)

    assert response.status_code == 422
    assert [issue["path"] for issue in response.json()["errors"]] == [path]


async def test_a_limited_member_sees_only_links_between_their_profiles(api: Api, make: Make) -> None:
    owner = await make.owner()
    seen, hidden = (await make.profile(owner))["id"], (await make.profile(owner))["id"]
    _, inside = await link(api, owner, owner.profile, seen)
    _, outside = await link(api, owner, owner.profile, hidden)
    admin = await make.member(owner, role="admin", profile_ids=[owner.profile, seen])

    assert [link["id"] for link in (await api.get("/profiles/links", key=admin.key)).json()["data"]] == [inside["id"]]
    children = (await api.get(f"/profiles/{owner.profile}/children", key=admin.key)).json()["data"]
    assert [item["profile"]["id"] for item in children] == [seen]
    assert len((await api.get("/profiles/links/history", key=admin.key)).json()["data"]) == 1
    assert (await api.delete(f"/profiles/links/{outside['id']}", key=admin.key)).status_code == 404


async def test_history_is_paged(api: Api, make: Make) -> None:
    owner = await make.owner()
    child = (await make.profile(owner))["id"]
    for _ in range(3):
        await link(api, owner, owner.profile, child)
    first = (await api.get("/profiles/links/history?limit=2", key=owner.key)).json()
    rest = (await api.get(f"/profiles/links/history?limit=2&cursor={first['nextCursor']}", key=owner.key)).json()

    assert [entry["action"] for entry in first["data"] + rest["data"]] == ["rules_updated", "rules_updated", "linked"]


async def test_no_link_to_a_profile_that_is_being_deleted(api: Api, make: Make, database: Database) -> None:
    """Otherwise the children would refer to a profile that does not exist."""
    owner = await make.owner()
    parents = [await make.profile(owner) for _ in range(6)]
    await asyncio.gather(
        *(
            request
            for parent in parents
            for request in (
                link(api, owner, parent["id"], owner.profile),
                api.delete(f"/profiles/{parent['id']}", key=owner.key),
            )
        )
    )

    async with database.connection() as db:
        dangling = await db.fetchval(
            "select count(*) from profile_link l join profile p on p.id = l.parent_profile_id"
            " where l.workspace_id = $1 and l.deleted_at is null and p.deleted_at is not null",
            owner.workspace_id,
        )
    assert dangling == 0
