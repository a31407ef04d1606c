"""Registering, signing in, staying signed in, and the end of it."""

import asyncio
import dataclasses
import re
import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

import argon2
import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.blocked import until_blocked
from tests.helpers.identity import PASSWORD, change_member, code, login, register

from signalpost.context import AppContext
from signalpost.identity.errors import LoginThrottled
from signalpost.identity.login_throttle import (
    FAILURES_OF_ADDRESS,
    FAILURES_OF_EMAIL,
    FAILURES_OF_NETWORK,
    LoginThrottle,
)
from signalpost.kit import clock, crypto, ids
from signalpost.kit.crypto import passwords as kit_passwords
from signalpost.kit.db import Database
from signalpost.main import app


async def refresh(api: Api, token: str) -> tuple[int, dict[str, Any]]:
    answer = await api.post("/auth/refresh", json={"refreshToken": token})
    return answer.status_code, answer.json()


async def let_pass(database: Database, user: str, seconds: int) -> None:
    """Make the user's sessions older."""
    async with database.connection() as db:
        await db.execute(
            "update session set rotated_at = rotated_at - make_interval(secs => $2),"
            " expires_at = expires_at - make_interval(secs => $2) where user_id = $1",
            ids.decode("usr", user), seconds,
        )  # fmt: skip


async def test_registering_makes_user_workspace_profile_and_session(api: Api) -> None:
    """One call and one can post."""
    made = await register(api, name="Ada", workspaceName="Analytical Engines")

    assert made["user"]["email"] == made["email"]
    assert made["workspace"]["name"] == "Analytical Engines"
    assert made["workspace"]["plan"] == "self_hosted"
    assert made["profileId"].startswith("prof_")
    assert made["expiresIn"] == 900
    me = (await api.get("/auth/me", key=made["accessToken"])).json()
    assert me["user"] == made["user"]
    assert me["workspace"] == made["workspace"]
    assert me["role"] == "owner"
    assert me["profileIds"] is None
    assert me["auth"]["type"] == "session"
    assert me["auth"]["keyId"] is None
    assert "instance:admin" not in me["auth"]["scopes"]
    assert (await api.get("/profiles/" + made["profileId"], key=made["accessToken"])).json()["isDefault"] is True


async def test_workspaces_of_one_name_get_slugs_of_their_own(api: Api) -> None:
    """Two companies may be called Acme."""
    name = "Acme " + secrets.token_hex(4)
    first, second = await register(api, workspaceName=name), await register(api, workspaceName=name)

    assert first["workspace"]["slug"] == name.lower().replace(" ", "-")
    assert second["workspace"]["slug"].startswith(first["workspace"]["slug"] + "-")


async def test_an_email_address_ignores_case(api: Api) -> None:
    """Ada@ and ada@ are one mailbox."""
    made = await register(api)
    again = await api.post("/auth/register", json={"email": made["email"].upper(), "password": PASSWORD})

    assert (again.status_code, again.json()["code"]) == (409, "already_exists")
    assert (await login(api, made["email"].upper()))["user"]["id"] == made["user"]["id"]


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "UTC", None])
async def test_the_zone_of_whoever_registers_is_that_of_all_they_get(api: Api, zone: str | None) -> None:
    """A post for a local time is then published at theirs; UTC is warned of only where nobody chose it."""
    made = await register(api, **{"timezone": zone} if zone else {})
    key = made["accessToken"]
    profile = (await api.get(f"/profiles/{made['profileId']}", key=key)).json()
    day = f"{clock.now() + timedelta(days=30):%Y-%m-%d}"
    body = {"profileId": profile["id"], "text": "When?", "draft": True, "scheduledAt": f"{day}T18:00"}
    post = (await api.post("/posts", json=body, key=key)).json()

    assert {made["user"]["timezone"], made["workspace"]["timezone"], profile["timezone"]} == {zone or "UTC"}
    assert [warning["code"] for warning in post["warnings"]] == ([] if zone else ["schedule.utc"])
    assert post["scheduledAt"] == f"{day}T{'09' if zone == 'Asia/Tokyo' else '18'}:00:00.000Z"


async def test_who_registers_with_a_wrong_zone_is_asked_for_the_nearest(api: Api) -> None:
    body = {"email": "zone@example.test", "password": PASSWORD, "timezone": "Berlin"}
    for further, places in (({}, ["/timezone"]), ({"name": 7}, ["/name", "/timezone"])):
        answer = await api.post("/auth/register", json=body | further)
        errors = answer.json()["errors"]

        assert (answer.status_code, sorted(issue["path"] for issue in errors)) == (422, places)
        assert errors[-1]["params"] == {"nearest": "Europe/Berlin"}


@pytest.mark.parametrize("mode", ["invite", "closed"])
async def test_registration_may_be_closed(context: AppContext, mode: Any) -> None:
    """The default of a self-hosted installation: strangers cannot register."""
    settings = dataclasses.replace(context.settings, registration=mode)
    async with Api(app.create(dataclasses.replace(context, settings=settings))) as api:
        answer = await api.post("/auth/register", json={"email": "eve@example.test", "password": PASSWORD})
    assert (answer.status_code, answer.json()["code"]) == (403, "registration_closed")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("email", "ada"), ("email", "ada@"), ("email", "a b@example.test"), ("email", "ada@example.test\n"),
        ("email", "ada@example.test\nBcc: eve@example.test"), ("email", "a" * 65 + "@example.test"),
        ("email", "a@" + "b" * 254), ("email", "<ada@example.test>"), ("email", "ada@ex ample"), ("email", 7),
        ("password", "short"), ("password", "x" * 201), ("workspaceName", " "), ("workspaceName", "x" * 101),
        ("name", ""), ("name", "nul\0"),
    ],
)  # fmt: skip
async def test_an_invalid_registration_is_refused(api: Api, field: str, value: Any) -> None:
    """With the place it stands at."""
    body = {"email": "ada@example.test", "password": PASSWORD} | {field: value}
    answer = await api.post("/auth/register", json=body)

    assert answer.status_code == 422
    assert [issue["path"] for issue in answer.json()["errors"]] == [f"/{field}"]


async def test_wrong_password_and_unknown_user_look_alike(api: Api) -> None:
    """The response must not tell whether someone has an account."""
    made = await register(api)
    wrong = await api.post("/auth/login", json={"email": made["email"], "password": "wrong horse battery"})
    unknown = await api.post("/auth/login", json={"email": "x" + made["email"], "password": "wrong horse battery"})

    ours, theirs = wrong.json(), unknown.json()
    assert wrong.status_code == unknown.status_code == 401
    assert ours.pop("requestId") != theirs.pop("requestId")
    assert ours == theirs
    assert ours["code"] == "invalid_credentials"


async def guesses(context: AppContext, email: str, addresses: Iterable[str]) -> list[str]:
    """What becomes of a wrong password from each of the addresses, without the cost of checking it."""
    throttle, results = context.state(LoginThrottle), []
    for address in addresses:
        try:
            results.append(
                "judged" if await throttle.count_attempt(context.database, email, address) is None else "if known"
            )
        except LoginThrottled:
            results.append("refused")
    return results


async def test_guesses_are_counted_by_email_and_network(api: Api, context: AppContext) -> None:
    """However many come at once: so many of an address, of its /24, and of all networks; others are not concerned."""
    made, other = await register(api), await register(api)
    email = made["email"]

    assert await guesses(context, email, ["198.51.100.1"] * 12) == ["judged"] * FAILURES_OF_ADDRESS + ["refused"] * 2
    rest = FAILURES_OF_NETWORK - FAILURES_OF_ADDRESS
    neighbours = [f"198.51.100.{n}" for n in range(2, 2 + rest)]
    assert await guesses(context, email.upper(), neighbours) == ["judged"] * rest
    assert await guesses(context, email, ["198.51.100.99"]) == ["if known"]
    rest = FAILURES_OF_EMAIL - FAILURES_OF_NETWORK
    assert await guesses(context, email, [f"203.0.{n}.1" for n in range(rest)]) == ["judged"] * rest
    assert await guesses(context, email, ["192.0.2.1", "2001:db8::/64"]) == ["if known"] * 2
    assert await guesses(context, other["email"], ["198.51.100.1"]) == ["judged"]

    refused = await api.post("/auth/login", json={"email": email, "password": PASSWORD})
    assert (refused.status_code, refused.json()["code"]) == (429, "login_throttled")
    assert 0 < int(refused.headers["retry-after"]) <= 31
    unknown = "x" + email
    await guesses(context, unknown, [f"203.0.{n}.1" for n in range(FAILURES_OF_EMAIL)])
    alike = await api.post("/auth/login", json={"email": unknown, "password": PASSWORD})
    assert told(alike) == told(refused)


def told(answer: httpx.Response) -> dict[str, Any]:
    """What a refusal says, apart from the request and the seconds, which depend on when it was asked."""
    body: dict[str, Any] = answer.json() | {"requestId": ""}
    return body | {"detail": re.sub(r"\d+ seconds", "some seconds", body["detail"])}


async def test_where_a_user_signed_in_nobody_else_locks_them_out(
    api: Api, context: AppContext, database: Database
) -> None:
    """A hundred guesses from everywhere, also from the user's own network; for 30 days, and after a restart too."""
    home, neighbour = {"X-Forwarded-For": "198.51.100.7"}, {"X-Forwarded-For": "198.51.100.8"}
    made = await register(api)
    email, right = made["email"], {"email": made["email"], "password": PASSWORD}
    assert (await api.post("/auth/login", json=right, headers=home)).status_code == 200
    everywhere = [f"198.51.100.{n % 3 + 20}" for n in range(30)] + [f"203.0.{n}.1" for n in range(80)]
    await guesses(context, email, everywhere)

    assert (await api.post("/auth/login", json=right, headers=neighbour)).json()["code"] == "login_throttled"
    assert (await api.post("/auth/login", json=right, headers=home)).status_code == 200
    wrong = await api.post("/auth/login", json=right | {"password": "wrong horse battery"}, headers=home)
    assert wrong.json()["code"] == "invalid_credentials"
    async with database.connection() as db:
        await db.execute(
            "update session set created_at = now() - interval '31 days' where user_id = $1",
            ids.decode("usr", made["user"]["id"]),
        )
    assert (await api.post("/auth/login", json=right, headers=home)).json()["code"] == "login_throttled"


async def test_guesses_of_others_still_count_after_a_sign_in(context: AppContext) -> None:
    """A sign-in forgives its own address; otherwise each one of the owner would give the guessers another round."""
    email, throttle = f"{secrets.token_hex(5)}@example.test", context.state(LoginThrottle)
    await guesses(context, email, [f"203.0.{n}.1" for n in range(FAILURES_OF_EMAIL)])
    await guesses(context, email, ["198.51.100.7"] * FAILURES_OF_ADDRESS)
    assert await guesses(context, email, ["198.51.100.7"]) == ["refused"]

    await throttle.forgive(context.database, email, "198.51.100.7")

    assert await guesses(context, email, ["198.51.100.7", "203.0.3.2", "203.0.4.2"]) == [
        "judged",
        "if known",
        "if known",
    ]


async def test_a_new_password_ends_the_throttling(context: AppContext) -> None:
    """The owner has proved who they are; nobody can have guessed the new one."""
    email, throttle = f"{secrets.token_hex(5)}@example.test", context.state(LoginThrottle)
    await guesses(context, email, [f"203.0.{n}.1" for n in range(FAILURES_OF_EMAIL)])

    await throttle.reset(context.database, email)

    assert await guesses(context, email, ["192.0.2.1"]) == ["judged"]


async def test_a_refused_sign_in_costs_no_password_check(
    api: Api, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known or not: one check of a password if it is judged, none if it is refused, so the time tells nothing."""
    made = await register(api)
    checks: list[str | None] = []
    verify = crypto.verify_password

    async def counted(stored: str | None, password: str) -> bool:
        checks.append(stored)
        return await verify(stored, password)

    monkeypatch.setattr(crypto, "verify_password", counted)
    for email in (made["email"], "x" + made["email"]):
        body = {"email": email, "password": "wrong horse battery"}
        checks.clear()
        assert (await api.post("/auth/login", json=body)).status_code == 401
        assert len(checks) == 1
        await guesses(context, email, [f"203.0.{n}.1" for n in range(FAILURES_OF_EMAIL)])
        assert (await api.post("/auth/login", json=body)).status_code == 429
        assert len(checks) == 1


async def test_logins_are_limited_by_address(api: Api) -> None:
    """Ten in a quarter of an hour, for whomever."""
    headers = {"X-Forwarded-For": "203.0.113.77"}
    answers = [
        await api.post("/auth/login", json={"email": f"{n}@example.test", "password": PASSWORD}, headers=headers)
        for n in range(11)
    ]
    assert [answer.status_code for answer in answers] == [401] * 10 + [429]


async def test_a_session_can_be_refreshed_again_and_again(api: Api) -> None:
    """Each refresh token works once and gives the next."""
    made = await register(api)
    token, seen = made["refreshToken"], set()
    for _ in range(5):
        status, body = await refresh(api, token)
        assert status == 200
        assert await code(api, "/auth/me", body["accessToken"]) == 200
        token = body["refreshToken"]
        seen.add(token)
    assert len(seen) == 5


async def test_a_lost_response_can_be_requested_again(api: Api) -> None:
    """The train went into a tunnel after we rotated: that must not sign anybody out."""
    made = await register(api)
    _, first = await refresh(api, made["refreshToken"])
    status, again = await refresh(api, made["refreshToken"])

    assert status == 200
    assert again["refreshToken"] == first["refreshToken"]
    assert (await refresh(api, again["refreshToken"]))[0] == 200


async def test_twenty_at_once_stay_signed_in(api: Api) -> None:
    """All tabs of a browser wake up together."""
    made = await register(api)
    answers = await asyncio.gather(*(refresh(api, made["refreshToken"]) for _ in range(20)))

    assert [status for status, _ in answers] == [200] * 20
    assert len({body["refreshToken"] for _, body in answers}) == 1


async def test_a_used_token_later_ends_the_session(api: Api, database: Database) -> None:
    """Two parties have it, and it is unknown which of them is the thief."""
    made = await register(api)
    _, first = await refresh(api, made["refreshToken"])
    assert await code(api, "/auth/me", first["accessToken"]) == 200
    await let_pass(database, made["user"]["id"], 31)

    status, body = await refresh(api, made["refreshToken"])

    assert (status, body["code"]) == (401, "invalid_credentials")
    assert (await refresh(api, first["refreshToken"]))[0] == 401
    assert await code(api, "/auth/me", first["accessToken"]) == "unauthenticated"


async def test_a_used_token_whose_successor_was_used_ends_the_session_at_once(api: Api) -> None:
    """A client that used the next token did receive it, so this repeat is not a lost response."""
    made = await register(api)
    _, first = await refresh(api, made["refreshToken"])
    _, second = await refresh(api, first["refreshToken"])

    assert (await refresh(api, made["refreshToken"]))[0] == 401
    assert (await refresh(api, second["refreshToken"]))[0] == 401


async def test_a_session_unused_for_30_days_expires(api: Api, database: Database) -> None:
    """And says so; every use gives it another 30."""
    made = await register(api)
    await let_pass(database, made["user"]["id"], 29 * 86_400)
    status, body = await refresh(api, made["refreshToken"])
    assert status == 200
    await let_pass(database, made["user"]["id"], 30 * 86_400)
    status, body = await refresh(api, body["refreshToken"])
    assert (status, body["code"]) == (401, "token_expired")


@pytest.mark.parametrize("token", ["", "x", "spr_" + "0" * 64, "ü" * 200])
async def test_an_unknown_refresh_token_is_refused(api: Api, token: str) -> None:
    """Nothing more to say."""
    assert (await refresh(api, token))[0] == 401


async def test_logging_out_ends_both_tokens_at_once(api: Api) -> None:
    """In this process there is no second of grace."""
    made = await register(api)
    assert await code(api, "/auth/me", made["accessToken"]) == 200

    assert (await api.post("/auth/logout", key=made["accessToken"])).status_code == 204

    assert await code(api, "/auth/me", made["accessToken"]) == "unauthenticated"
    assert (await refresh(api, made["refreshToken"]))[0] == 401


async def test_only_one_session_ends(api: Api) -> None:
    """The phone stays signed in."""
    made = await register(api)
    phone = await login(api, made["email"])

    await api.post("/auth/logout", key=made["accessToken"])

    assert await code(api, "/auth/me", phone["accessToken"]) == 200


async def test_a_workspace_is_chosen_by_header(api: Api) -> None:
    """One person, several clients; a foreign workspace does not exist."""
    made, stranger = await register(api), await register(api)
    second = (await api.post("/workspaces", key=made["accessToken"], json={"name": "Second"})).json()

    async def where(workspace: str) -> Any:
        answer = await api.get("/auth/me", key=made["accessToken"], headers={"X-Workspace-Id": workspace})
        return answer.json().get("code") or answer.json()["workspace"]["id"]

    assert await where(second["id"]) == second["id"]
    assert await where(made["workspace"]["id"]) == made["workspace"]["id"]
    assert await where(stranger["workspace"]["id"]) == "not_found"
    assert await where("wsp_nonsense") == "not_found"


async def test_the_next_login_starts_where_the_last_work_was(api: Api) -> None:
    """`default: the user's last`."""
    made = await register(api)
    second = (await api.post("/workspaces", key=made["accessToken"], json={"name": "Second"})).json()
    for workspace in (second["id"], made["workspace"]["id"]):
        await api.get("/auth/me", key=made["accessToken"], headers={"X-Workspace-Id": workspace})
        entered = await login(api, made["email"])
        assert entered["workspaces"][0]["id"] == workspace
        assert (await api.get("/auth/me", key=entered["accessToken"])).json()["workspace"]["id"] == workspace


def user_of(made: dict[str, Any]) -> UUID:
    user_id = ids.decode("usr", made["user"]["id"])
    assert user_id is not None
    return user_id


async def test_a_suspended_member_is_refused_and_a_removed_one_unknown(api: Api, context: AppContext) -> None:
    """At the next request, not at the next sign-in."""
    made = await register(api)
    assert await code(api, "/auth/me", made["accessToken"]) == 200

    await change_member(context, user_of(made), "status = 'suspended'")
    assert await code(api, "/auth/me", made["accessToken"]) == "forbidden"
    await change_member(context, user_of(made), "status = 'removed'")
    assert await code(api, "/auth/me", made["accessToken"]) == "unauthenticated"
    assert (await refresh(api, made["refreshToken"]))[0] == 403
    refused = await api.post("/auth/login", json={"email": made["email"], "password": PASSWORD})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


async def test_a_role_taken_away_is_gone_at_once(api: Api, context: AppContext) -> None:
    """The role in the token is not believed."""
    made = await register(api)
    await change_member(context, user_of(made), "role = 'viewer'")

    me = (await api.get("/auth/me", key=made["accessToken"])).json()

    assert me["role"] == "viewer"
    assert "posts:write" not in me["auth"]["scopes"]
    assert await code(api, "/api-keys", made["accessToken"]) == "forbidden"


async def test_a_member_limited_to_profiles_says_so(api: Api, context: AppContext) -> None:
    """What lies outside is 404 everywhere."""
    made = await register(api)
    other = (await api.post("/profiles", key=made["accessToken"], json={"name": "Other"})).json()["id"]
    await change_member(
        context, user_of(made), f"profile_ids = array['{UUID(int=0)}', '{ids.decode('prof', other)}']::uuid[]"
    )

    assert other in (await api.get("/auth/me", key=made["accessToken"])).json()["profileIds"]
    assert await code(api, "/profiles/" + other, made["accessToken"]) == 200
    assert await code(api, "/profiles/" + made["profileId"], made["accessToken"]) == "not_found"


async def test_a_password_that_is_replaced_while_it_is_checked_opens_no_session(api: Api, database: Database) -> None:
    """Choosing a new password ends all sessions; one that was being opened must not slip through."""
    made = await register(api)
    async with database.transaction() as db:
        await db.execute("update app_user set password_hash = password_hash || 'x' where email = $1", made["email"])
        entering = asyncio.create_task(api.post("/auth/login", json={"email": made["email"], "password": PASSWORD}))
        await until_blocked(database, db)

    assert (await entering).json()["code"] == "invalid_credentials"


async def test_who_signs_in_twice_at_once_when_the_hash_is_renewed_is_let_in_twice(
    api: Api, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an update that hashes with other parameters; both knew the password, and saw the former hash."""
    made = await register(api)
    former = await database.pool.fetchval("select password_hash from app_user where email = $1", made["email"])
    cheap = kit_passwords._ARGON2
    other = argon2.PasswordHasher(time_cost=cheap.time_cost + 1, memory_cost=cheap.memory_cost, parallelism=1)
    monkeypatch.setattr(kit_passwords, "_ARGON2", other)
    verify, arrived = crypto.verify_password, asyncio.Barrier(3)

    async def together(stored: str | None, password: str) -> bool:
        is_right = await verify(stored, password)
        if stored == former:
            await arrived.wait()
        return is_right

    monkeypatch.setattr(crypto, "verify_password", together)
    entered = await asyncio.gather(*(login(api, made["email"]) for _ in range(3)))

    assert {body["user"]["id"] for body in entered} == {made["user"]["id"]}
    renewed = await database.pool.fetchval("select password_hash from app_user where email = $1", made["email"])
    assert not crypto.needs_rehash(renewed)
    await login(api, made["email"])
