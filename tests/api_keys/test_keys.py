"""API keys: what they may do, who may make and end them, and that a wrong one costs nothing."""

import asyncio
import dataclasses
import random
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.identity import change_member, code, register

from signalpost.context import AppContext
from signalpost.identity import roles
from signalpost.identity.actions import staff
from signalpost.identity.authenticate import authenticator
from signalpost.identity.caller_cache import CACHE_SECONDS, CallerCache
from signalpost.kit import clock, crypto, db, ids, problems
from signalpost.kit.db import Database
from signalpost.main import app
from signalpost.web.caller import SCOPES

LOCAL = "127.0.0.1"


async def create(api: Api, key: str, expected: int = 201, **fields: Any) -> dict[str, Any]:
    answer = await api.post("/api-keys", key=key, json={"name": "A key"} | fields)
    assert answer.status_code == expected, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def scopes_of(api: Api, key: str) -> list[str]:
    body: list[str] = (await api.get("/auth/me", key=key)).json()["auth"]["scopes"]
    return body


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def test_the_life_of_a_key(api: Api, owner: Login) -> None:
    """Made, shown once, used, listed, revoked, and dead at once."""
    made = await create(api, owner.key, name="Robot", permission="read")

    assert re.fullmatch(r"sp_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}", made["key"])
    assert made["key"].startswith(made["prefix"] + "_")
    assert made["status"] == "active"
    assert made["createdBy"]["id"] == ids.encode("usr", owner.user_id)
    assert made["issuedBy"]["type"] == "api_key"
    assert made["scopes"] == sorted(scope for scope in SCOPES if scope.endswith(":read"))
    me = (await api.get("/auth/me", key=made["key"])).json()
    assert me["auth"] == {
        "type": "api_key", "keyId": made["id"], "mode": "live", "scopes": made["scopes"], "expiresAt": None,
        "needsSecondFactor": False,
    }  # fmt: skip
    listed = (await api.get("/api-keys", key=owner.key)).json()["data"]
    assert [one["name"] for one in listed] == ["Robot", "test", "live"]
    assert "key" not in listed[0]
    assert listed[0]["lastUsedAt"] is not None
    assert listed[0]["lastUsedIp"].startswith("10.")

    for _ in range(2):
        ended = await api.delete("/api-keys/" + made["id"], key=owner.key)
        assert ended.status_code == 200
        assert set(ended.json()) == {"id", "status", "revokedAt", "alsoRevoked"}
        assert ended.json()["status"] == "revoked"

    assert await code(api, "/auth/me", made["key"]) == "key_revoked"
    assert (await api.get("/api-keys", key=owner.key)).json()["data"][0]["status"] == "revoked"


async def test_revoked_keys_are_shown_for_30_days(api: Api, owner: Login, database: Database) -> None:
    """Long enough to see what happened."""
    made = await create(api, owner.key)
    await api.delete("/api-keys/" + made["id"], key=owner.key)
    async with database.connection() as connection:
        await connection.execute(
            "update api_key set revoked_at = now() - interval '31 days' where id = $1", ids.decode("key", made["id"])
        )
    assert made["id"] not in [one["id"] for one in (await api.get("/api-keys", key=owner.key)).json()["data"]]


async def test_ten_thousand_wrong_keys_do_not_reach_the_database(
    context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scanners and typing errors are refused by the checksum alone."""
    reads = 0
    real = db.Database.connection

    def counted(self: Database) -> Any:
        nonlocal reads
        reads += 1
        return real(self)

    monkeypatch.setattr(db.Database, "connection", counted)
    authenticate = authenticator(context)
    dice = random.Random(7)
    for _ in range(10_000):
        text = crypto.new_api_key(dice.choice(["sp_live", "sp_test"])).text
        place = dice.randrange(3, len(text))  # behind `sp_`: anything else is taken for a token
        other = dice.choice([char for char in crypto.tokens.BASE62 if char != text[place]])
        with pytest.raises(problems.Unauthenticated):
            await authenticate(text[:place] + other + text[place + 1 :], None, LOCAL)
    for text in ("sp_live_", "sp_", crypto.new_api_key("sp_prod").text, "sp_" + "x" * 100_000, "sp_\ud800"):
        with pytest.raises(problems.Unauthenticated):
            await authenticate(text, None, LOCAL)

    assert reads == 0


async def test_unknown_key_and_wrong_secret_get_the_same_response(api: Api, owner: Login) -> None:
    """The response does not tell whether a key id exists."""
    brand, mode, key_id, _ = owner.key.split("_")
    unchecked = f"{brand}_{mode}_{key_id}_" + "0" * 43
    wrong = await api.get("/auth/me", key=unchecked + crypto.crc32_base62(unchecked))
    unknown = await api.get("/auth/me", key=crypto.new_api_key("sp_live").text)

    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json()["detail"] == unknown.json()["detail"]
    assert wrong.json()["code"] == "unauthenticated"


async def test_a_test_key_cannot_be_renamed_live(api: Api, owner: Login) -> None:
    """The mode is the row's, and the text must agree with it."""
    unchecked = owner.test_key[:-6].replace("sp_test_", "sp_live_")
    assert await code(api, "/auth/me", unchecked + crypto.crc32_base62(unchecked)) == "unauthenticated"


@pytest.mark.parametrize("role", roles.SCOPES_OF)
@pytest.mark.parametrize("fields", [["posts:read"], ["posts:read", "webhooks:write"], list(SCOPES[:-1])])
async def test_a_key_has_its_scopes_within_its_issuers_role(
    api: Api, context: AppContext, owner: Login, role: str, fields: list[str]
) -> None:
    """Also when the role changes after the key was made."""
    key = (await create(api, owner.key, scopes=fields))["key"]
    assert await scopes_of(api, key) == sorted(fields)
    await change_member(context, owner.user_id, f"role = '{role}'")

    assert await scopes_of(api, key) == sorted(roles.SCOPES_OF[role] & set(fields))  # type: ignore[index]


@pytest.mark.parametrize("status", ["removed", "suspended"])
async def test_a_key_dies_with_its_issuers_membership(
    api: Api, context: AppContext, make: Make, owner: Login, status: str
) -> None:
    """Members who leave must not keep access."""
    member = await make.member(owner, role="editor")
    await change_member(context, member.user_id, f"status = '{status}'")

    assert await code(api, "/auth/me", member.key) == "key_revoked"


async def test_who_may_have_keys(api: Api, make: Make, owner: Login) -> None:
    """Editors their own, owners and admins all, others none."""
    admin, editor = await make.member(owner, role="admin"), await make.member(owner, role="editor")
    mine = await create(api, editor.key, scopes=["posts:read"])
    theirs = await create(api, owner.key, scopes=["posts:read"])

    seen = {one["id"] for one in (await api.get("/api-keys", key=editor.key)).json()["data"]}
    assert mine["id"] in seen
    assert theirs["id"] not in seen
    assert (await api.delete("/api-keys/" + theirs["id"], key=editor.key)).status_code == 404
    assert {mine["id"], theirs["id"]} <= {
        one["id"] for one in (await api.get("/api-keys", key=admin.key)).json()["data"]
    }
    assert (await api.delete("/api-keys/" + mine["id"], key=admin.key)).status_code == 200
    for role in ("contributor", "approver", "viewer"):
        member = await make.member(owner, role=role)
        assert await code(api, "/api-keys", member.key) == "insufficient_scope"
        assert (await create(api, member.key, 403))["code"] == "insufficient_scope"


async def test_other_workspaces_keys_do_not_exist(api: Api, make: Make, owner: Login) -> None:
    """404, never 403."""
    stranger = await make.owner()
    made = await create(api, owner.key)
    assert (await api.delete("/api-keys/" + made["id"], key=stranger.key)).status_code == 404
    headers = {"X-Workspace-Id": ids.encode("wsp", stranger.workspace_id)}
    assert await code(api, "/auth/me", owner.key, headers=headers) == "not_found"


@pytest.mark.parametrize(
    ("issuer", "fields", "refused"),
    [
        ({"scopes": ["keys:write", "posts:read"]}, {"scopes": ["posts:publish"]}, "insufficient_scope"),
        ({"permission": "read"}, {"permission": "read"}, "insufficient_scope"),
        ({"mode": "test"}, {"mode": "live"}, "insufficient_scope"),
        ({"expiresAt": "hour"}, {"expiresAt": "day"}, "insufficient_scope"),
        ({"ipAllowList": ["10.0.0.0/8"]}, {"ipAllowList": ["0.0.0.0/0"]}, "insufficient_scope"),
        ({"ipAllowList": ["10.0.0.0/8"]}, {"ipAllowList": ["10.1.0.0/16", "::1"]}, "insufficient_scope"),
        ({}, {"scopes": ["instance:admin"]}, "insufficient_scope"),
    ],
)
async def test_a_key_creates_no_key_wider_than_itself(
    api: Api, owner: Login, issuer: dict[str, Any], fields: dict[str, Any], refused: str
) -> None:
    """Else a leaked narrow key would be a wide one."""

    def instants(terms: dict[str, Any]) -> dict[str, Any]:
        if "expiresAt" not in terms:
            return terms
        length = {"hour": timedelta(hours=1), "day": timedelta(days=1)}[terms["expiresAt"]]
        return terms | {"expiresAt": clock.wire(clock.now() + length)}

    narrow = await create(api, owner.key, **instants(issuer))
    body = await create(api, narrow["key"], 403, **instants(fields))
    assert body["code"] == refused


async def test_a_key_hands_down_its_own_limits(api: Api, owner: Login) -> None:
    """What the new key does not name it has from its issuer."""
    ends = clock.wire(clock.now() + timedelta(days=1))
    narrow = await create(
        api, owner.key, scopes=["keys:write", "posts:read"], profileIds=[owner.profile], expiresAt=ends,
        ipAllowList=["10.0.0.0/8"],
    )  # fmt: skip
    child = await create(api, narrow["key"])

    for name in ("scopes", "profileIds", "ipAllowList", "expiresAt"):
        assert child[name] == narrow[name], name
    assert await code(api, "/auth/me", child["key"]) == 200


async def test_a_key_revokes_only_itself_and_what_it_covers(api: Api, owner: Login) -> None:
    """A leaked narrow key must not be able to switch everything off."""
    narrow = await create(api, owner.key, scopes=["keys:write", "posts:read"])
    wide = await create(api, owner.key)
    child = await create(api, narrow["key"], scopes=["posts:read"])
    reader = await create(api, owner.key, permission="read")

    assert (await api.delete("/api-keys/" + wide["id"], key=narrow["key"])).json()["code"] == "insufficient_scope"
    assert (await api.delete("/api-keys/" + child["id"], key=reader["key"])).json()["code"] == "insufficient_scope"
    assert (await api.delete("/api-keys/" + child["id"], key=narrow["key"])).status_code == 200
    assert (await api.delete("/api-keys/" + reader["id"], key=reader["key"])).status_code == 200
    assert await code(api, "/auth/me", reader["key"]) == "key_revoked"


async def test_a_key_manages_keys_only_with_the_scope_for_it(api: Api, owner: Login) -> None:
    """A key that may do everything else issues, lists and revokes none: a thief of it cannot make himself another."""
    deploy = await create(api, owner.key, scopes=[scope for scope in SCOPES[:-1] if scope != "keys:write"])
    other = await create(api, owner.key, scopes=["posts:read"])

    assert (await create(api, deploy["key"], 403))["code"] == "insufficient_scope"
    assert await code(api, "/api-keys", deploy["key"]) == "insufficient_scope"
    refused = await api.delete("/api-keys/" + other["id"], key=deploy["key"])
    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope")
    assert await code(api, "/auth/me", other["key"]) == 200


async def test_a_key_says_who_issued_it(api: Api, owner: Login) -> None:
    """A person, or a key: after a leak one sees what it made."""
    person = await register(api)
    first = await create(api, person["accessToken"], name="first")
    second = await create(api, first["key"], name="second")

    assert first["issuedBy"] == {"type": "user", "id": person["user"]["id"], "name": person["email"]}
    assert second["issuedBy"] == {"type": "api_key", "id": first["id"], "name": "first"}
    assert second["createdBy"] == first["createdBy"]
    listed = {key["id"]: key for key in (await api.get("/api-keys", key=person["accessToken"])).json()["data"]}
    assert listed[second["id"]]["issuedBy"] == second["issuedBy"]


async def test_a_key_ends_with_the_key_that_issued_it(api: Api, owner: Login) -> None:
    """And with the one that issued that: whoever stole it is out, whatever they made with it meanwhile."""
    stolen = await create(api, owner.key, name="stolen")
    child = await create(api, stolen["key"])
    grandchild = await create(api, child["key"], mode="test", scopes=["keys:write", "posts:read"])
    last = await create(api, grandchild["key"], mode="test", scopes=["posts:read"])
    bystander = await create(api, owner.key)
    assert (await api.delete("/api-keys/" + grandchild["id"], key=owner.key)).json()["alsoRevoked"] == [last["id"]]

    ended = await api.delete("/api-keys/" + stolen["id"], key=owner.key)

    assert ended.json()["alsoRevoked"] == [child["id"]]
    for key in (stolen, child, grandchild, last):
        assert await code(api, "/auth/me", key["key"]) == "key_revoked"
    assert await code(api, "/auth/me", bystander["key"]) == 200


async def test_no_key_is_issued_past_a_revocation(api: Api, owner: Login) -> None:
    """However many are being issued while the key is revoked, and by however many generations: none is left alive."""
    stolen = await create(api, owner.key)
    middle = await create(api, stolen["key"])

    async def issue(parent: dict[str, Any]) -> str | None:
        answer = await api.post("/api-keys", key=parent["key"], json={"name": "late"})
        assert answer.status_code in (201, 401), answer.text
        return answer.json().get("key")

    ending = api.delete("/api-keys/" + stolen["id"], key=owner.key)
    late = await asyncio.gather(
        *(issue(parent) for parent in (stolen, middle) * 6), ending, *(issue(middle) for _ in range(6))
    )

    keys = [key for key in late if isinstance(key, str)]
    assert [await code(api, "/auth/me", key) for key in keys] == ["key_revoked"] * len(keys)


async def test_a_test_key_sees_no_live_keys(api: Api, owner: Login) -> None:
    """Not in the list, and 404 by id; its own it manages, whatever time it simulates."""
    live = await create(api, owner.key)
    made = await create(api, owner.test_key, mode="test")

    listed = (await api.get("/api-keys", key=owner.test_key)).json()["data"]
    assert {key["mode"] for key in listed} == {"test"}
    assert (await api.delete("/api-keys/" + live["id"], key=owner.test_key)).status_code == 404
    assert (await create(api, owner.test_key, 403))["code"] == "insufficient_scope"  # a live one, by default
    past, body = {"X-Test-Now": "2001-01-01T00:00:00Z"}, {"name": "x", "mode": "test"}
    late = await api.post(
        "/api-keys", json=body | {"expiresAt": "2002-01-01T00:00:00Z"}, key=owner.test_key, headers=past
    )
    assert late.json()["errors"][0]["path"] == "/expiresAt"
    ended = await api.delete("/api-keys/" + made["id"], key=owner.test_key, headers=past)
    assert ended.json()["revokedAt"] > clock.wire(clock.now() - timedelta(minutes=1))


async def test_a_key_for_some_profiles_sees_only_those(api: Api, make: Make, owner: Login) -> None:
    """An agency gives each client a key."""
    other = await make.profile(owner)
    made = await create(api, owner.key, profileIds=[other["id"]])

    assert (await api.get("/auth/me", key=made["key"])).json()["profileIds"] == [other["id"]]
    assert await code(api, "/profiles/" + other["id"], made["key"]) == 200
    assert await code(api, "/profiles/" + owner.profile, made["key"]) == "not_found"
    assert (await api.get("/api-keys", key=made["key"])).json()["data"][0]["id"] == made["id"]


async def test_a_limited_members_key_stays_limited(api: Api, make: Make, owner: Login) -> None:
    """The member's limit and the key's meet; outside the member's the profile does not exist."""
    other = await make.profile(owner)
    editor = await make.member(owner, role="editor", profile_ids=[other["id"]])

    made = await create(api, editor.key)
    assert (await api.get("/auth/me", key=made["key"])).json()["profileIds"] == [other["id"]]
    refused = await create(api, editor.key, 422, profileIds=[other["id"], owner.profile])
    assert [(issue["path"], issue["code"]) for issue in refused["errors"]] == [("/profileIds/1", "not_found")]


async def test_a_key_works_only_from_its_addresses(api: Api, owner: Login) -> None:
    """The peer's address counts, or what the trusted proxy saw; also when the caller is remembered."""
    made = await create(api, owner.key, ipAllowList=["203.0.113.7", "2001:db8::/32"])
    assert made["ipAllowList"] == ["203.0.113.7/32", "2001:db8::/32"]

    async def seen_from(address: str) -> str | int:
        return await code(api, "/auth/me", made["key"], headers={"X-Forwarded-For": address})

    assert await seen_from("203.0.113.7") == 200
    assert await seen_from("203.0.113.8") == "forbidden"
    assert await seen_from("2001:db8:1::2") == 200
    assert await seen_from("::ffff:203.0.113.7") == 200
    assert await seen_from("nonsense") == "forbidden"


async def test_an_expired_key_is_refused(api: Api, owner: Login, database: Database) -> None:
    """It says so, and the list too."""
    made = await create(api, owner.key, expiresAt=clock.wire(clock.now() + timedelta(hours=1)))
    async with database.connection() as connection:
        await connection.execute("update api_key set expires_at = now() where id = $1", ids.decode("key", made["id"]))

    assert await code(api, "/auth/me", made["key"]) == "token_expired"
    assert (await api.get("/api-keys", key=owner.key)).json()["data"][0]["status"] == "expired"


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"name": ""}, "/name"), ({"name": "x" * 101}, "/name"), ({"scopes": []}, "/scopes"),
        ({"scopes": ["posts:eat"]}, "/scopes/0"), ({"mode": "prod"}, "/mode"), ({"permission": "write"}, "/permission"),
        ({"permission": "read", "scopes": ["posts:read", "posts:write"]}, "/scopes/1"),
        ({"expiresAt": "2020-01-01T00:00:00Z"}, "/expiresAt"), ({"expiresAt": "2030-01-01T00:00:00"}, "/expiresAt"),
        ({"expiresAt": "9999-12-31T23:59:59-12:00"}, "/expiresAt"),
        ({"expiresAt": "0001-01-01T00:00:00+12:00"}, "/expiresAt"), ({"expiresAt": 5}, "/expiresAt"),
        ({"ipAllowList": ["10.0.0.1", "10.0.0.300"]}, "/ipAllowList/1"), ({"ipAllowList": [""]}, "/ipAllowList/0"),
        ({"ipAllowList": ["fe80::1%eth0/99999"]}, "/ipAllowList/0"),
        ({"profileIds": ["prof_00000000000000000000000000"]}, "/profileIds/0"), ({"profileIds": []}, "/profileIds"),
        ({"profileIds": ["pst_nonsense"]}, "/profileIds/0"), ({"surprise": 1}, "/surprise"),
    ],
)  # fmt: skip
async def test_an_invalid_key_is_refused(api: Api, owner: Login, fields: dict[str, Any], path: str) -> None:
    """Every issue has its pointer, and nothing is written."""
    body = await create(api, owner.key, 422, **fields)
    assert path in [issue["path"] for issue in body["errors"]]


async def test_staff_keys_administer_only_when_requested(api: Api, context: AppContext) -> None:
    """A staff member's everyday key is no master key."""
    made = await register(api)
    async with context.database.transaction() as connection:
        await staff.make_staff(context, connection, made["email"].upper())

    everyday = await create(api, made["accessToken"])
    asked = await create(api, made["accessToken"], scopes=["instance:admin"])
    assert "instance:admin" not in await scopes_of(api, everyday["key"])
    assert await scopes_of(api, asked["key"]) == ["instance:admin"]


@pytest.fixture
async def billing(context: AppContext) -> AsyncIterator[Api]:
    """The application of an installation that sells plans."""
    settings = dataclasses.replace(context.settings, billing_enabled=True)
    async with Api(app.create(dataclasses.replace(context, settings=settings))) as opened:
        yield opened


async def test_a_plan_limits_keys(context: AppContext, billing: Api) -> None:
    """One on the free plan; twenty at once get one. A revoked one makes room."""
    cache = context.state(CallerCache)
    cache.seconds = 0.0
    try:
        made = await register(billing)
        assert made["workspace"]["plan"] == "free"
        answers = await asyncio.gather(
            *(billing.post("/api-keys", key=made["accessToken"], json={"name": f"{n}"}) for n in range(8))
        )
        passed = [answer.json() for answer in answers if answer.status_code == 201]
        refused = [answer.json() for answer in answers if answer.status_code == 402]
        assert (len(passed), len(refused)) == (1, 7)
        assert refused[0]["code"] == "plan_limit_reached"
        assert refused[0]["limit"] == {"name": "apiKeys", "used": 1, "max": 1, "plan": "free"}
        await billing.delete("/api-keys/" + passed[0]["id"], key=made["accessToken"])
        await create(billing, made["accessToken"])
    finally:
        cache.seconds = CACHE_SECONDS


async def test_the_usage_page(api: Api, billing: Api, make: Make, owner: Login) -> None:
    """Numbers beside limits; what is unlimited is null."""
    await make.profile(owner)
    own = (await api.get("/auth/usage", key=owner.key)).json()
    assert own["plan"] == "self_hosted"
    assert own["usage"] == {
        "posts": 0, "profiles": 2, "accounts": 0, "members": 1, "apiKeys": 2, "webhooks": 0, "storageBytes": 0,
        "aiCaptions": 0, "scheduledPosts": 0, "platformInvites": 0, "feeds": 0,
    }  # fmt: skip
    assert set(own["limits"]) == set(own["usage"])
    assert set(own["limits"].values()) == {None}
    assert own["rateLimit"] == {"requestsPerMinute": 600_000, "writesPerMinute": 600_000}
    assert own["period"]["start"].endswith("-01T00:00:00.000Z")
    assert own["platformQuotas"] == []

    sold = (await billing.get("/auth/usage", key=(await register(billing))["accessToken"])).json()
    assert sold["plan"] == "free"
    assert sold["limits"]["storageBytes"] == 1_000_000_000
    assert sold["rateLimit"] == {"requestsPerMinute": 60, "writesPerMinute": 10}


async def test_the_last_use_is_noted_once_a_minute(context: AppContext, owner: Login) -> None:
    """A key of a busy client must not cost a write per request."""

    async def noted() -> Any:
        async with context.database.connection() as connection:
            return await connection.fetchval(
                "select last_used_at from api_key where name = 'live' and created_by = $1", owner.user_id
            )

    authenticate = authenticator(context)
    context.state(CallerCache).invalidate(owner.user_id)  # nothing of this user is remembered now
    await authenticate(owner.key, None, LOCAL)
    first = await noted()
    await authenticate(owner.key, None, LOCAL)
    assert await noted() == first
    async with context.database.connection() as connection:
        await connection.execute(
            "update api_key set last_used_at = now() - interval '61 seconds' where created_by = $1", owner.user_id
        )
    await authenticate(owner.key, None, LOCAL)
    assert await noted() > first
