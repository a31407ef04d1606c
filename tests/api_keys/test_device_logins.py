"""A device without a browser gets the key that a person grants it: once, to itself alone, and nobody guesses."""

import asyncio
from typing import Any, cast

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.identity import change_member, register
from tests.helpers.mail import InTest

from signalpost.api_keys.actions import device_logins
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.web import shared_buckets

LAPTOP = "ada-laptop"


async def opened(api: Api, name: str = LAPTOP, **options: Any) -> dict[str, Any]:
    answer = await api.post("/device-logins", json={"deviceName": name}, **options)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def polled(api: Api, login: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    answer = await api.post("/device-logins/token", json={"deviceCode": login["deviceCode"]})
    return answer.status_code, answer.json()


async def decide(api: Api, what: str, key: str, login: dict[str, Any], **fields: Any) -> tuple[int, Any]:
    answer = await api.post(f"/device-logins/{what}", key=key, json={"userCode": login["userCode"], **fields})
    return answer.status_code, answer.json() if answer.content else None


async def patiently(database: Database) -> None:
    """As if the device had waited between its questions."""
    async with database.transaction() as db:
        await db.execute("update device_login set polled_at = polled_at - interval '61 seconds'")


@pytest.fixture
async def person(api: Api) -> dict[str, Any]:
    return await register(api)


async def test_a_person_grants_a_key_and_the_device_takes_it_once(
    api: Api, person: dict[str, Any], database: Database
) -> None:
    token = person["accessToken"]
    login = await opened(api, headers={"X-Forwarded-For": "203.0.113.9"})
    assert login["verificationUriComplete"].endswith(f"/console/device?code={login['userCode']}")
    assert login["intervalSeconds"] == 5
    assert (await polled(api, login))[1]["code"] == "authorization_pending"

    status, seen = await decide(api, "lookup", token, {"userCode": login["userCode"].lower().replace("-", " ")})
    assert (status, seen["deviceName"], seen["address"]) == (200, LAPTOP, "203.0.113.9")
    status, key = await decide(api, "approve", token, login, scopes=["posts:read", "keys:write"])
    assert (status, key["name"], key["status"]) == (200, f"sp on {LAPTOP}", "active")
    assert "key" not in key
    await patiently(database)
    status, taken = await polled(api, login)
    assert (status, taken["id"]) == (200, key["id"])

    me = (await api.get("/auth/me", key=taken["key"])).json()
    assert (me["auth"]["keyId"], me["auth"]["scopes"]) == (key["id"], ["keys:write", "posts:read"])
    listed = (await api.get("/api-keys", key=token)).json()["data"]
    assert [(row["id"], row["createdBy"]["id"]) for row in listed] == [(key["id"], me["user"]["id"])]
    [row] = [
        row for row in (await api.get("/audit", key=token)).json()["data"] if row["action"] == "approve_device_login"
    ]
    assert (row["actor"]["id"], row["subject"]) == (me["user"]["id"], key["id"])
    assert (await polled(api, login))[1]["code"] == "expired_token"
    assert (await decide(api, "approve", token, login))[0] == 404
    assert (await decide(api, "refuse", token, login))[0] == 404


async def test_of_two_pollers_one_gets_the_key(api: Api, person: dict[str, Any]) -> None:
    login = await opened(api)
    assert (await decide(api, "approve", person["accessToken"], login))[0] == 200
    answers = await asyncio.gather(*(polled(api, login) for _ in range(5)))
    assert sorted(status for status, _ in answers) == [200, 410, 410, 410, 410]


async def test_two_decisions_at_once_are_one(api: Api, person: dict[str, Any]) -> None:
    login = await opened(api)
    decisions = [decide(api, what, person["accessToken"], login) for what in ("approve", "approve", "refuse")]
    statuses = sorted(status for status, _ in await asyncio.gather(*decisions))
    assert statuses in ([200, 404, 404], [204, 404, 404])
    listed = (await api.get("/api-keys", key=person["accessToken"])).json()["data"]
    assert len(listed) == (1 if statuses[0] == 200 else 0)


async def test_what_the_database_has_opens_nothing(api: Api, person: dict[str, Any], database: Database) -> None:
    login = await opened(api)
    _, key = await decide(api, "approve", person["accessToken"], login)
    async with database.connection() as db:
        row = await db.fetchrow("select * from device_login where key_id = $1", ids.decode("key", key["id"]))
    assert row is not None
    stored = repr(list(row.values()))
    _, taken = await polled(api, login)
    for secret in (login["deviceCode"], login["userCode"].replace("-", ""), taken["key"], taken["key"][-49:]):
        assert secret not in stored
    async with database.connection() as db:
        assert not await db.fetchval("select exists (select from device_login where id = $1)", row["id"])


async def test_an_impatient_device_slows_down(api: Api, person: dict[str, Any], database: Database) -> None:
    login = await opened(api)
    assert (await polled(api, login))[1]["code"] == "authorization_pending"
    for seconds in (10, 15):
        answer = await api.post("/device-logins/token", json={"deviceCode": login["deviceCode"]})
        assert (answer.status_code, answer.json()["code"]) == (429, "slow_down")
        assert answer.headers["Retry-After"] == str(seconds)
    await decide(api, "approve", person["accessToken"], login)
    assert (await polled(api, login))[0] == 429, "the key is not a reason to ask more often"
    await patiently(database)
    assert (await polled(api, login))[0] == 200


async def test_a_refused_device_learns_it(api: Api, person: dict[str, Any]) -> None:
    login = await opened(api)
    assert (await decide(api, "refuse", person["accessToken"], login))[0] == 204
    assert (await polled(api, login))[1]["code"] == "access_denied"
    assert (await polled(api, login))[1]["code"] == "expired_token"
    assert (await api.get("/api-keys", key=person["accessToken"])).json()["data"] == []


async def test_after_ten_minutes_it_is_over_and_a_key_that_nobody_took_is_revoked(
    api: Api, person: dict[str, Any], context: AppContext, database: Database
) -> None:
    untouched, granted = await opened(api), await opened(api)
    _, key = await decide(api, "approve", person["accessToken"], granted)
    async with database.transaction() as db:
        await db.execute("update device_login set expires_at = now() - interval '1 second'")
    for login in (untouched, granted):
        assert (await polled(api, login))[1]["code"] == "expired_token"
    assert (await decide(api, "lookup", person["accessToken"], untouched))[0] == 404
    assert (await decide(api, "approve", person["accessToken"], untouched))[0] == 404
    lease = cast("Lease", InTest(context.database))
    for _ in range(2):
        assert await device_logins.purge(lease, {}) is None
    [listed] = (await api.get("/api-keys", key=person["accessToken"])).json()["data"]
    assert (listed["id"], listed["status"]) == (key["id"], "revoked")
    async with database.connection() as db:
        assert await db.fetchval("select count(*) from device_login where expires_at < now()") == 0


async def test_a_key_that_was_revoked_meanwhile_is_not_handed_out(api: Api, person: dict[str, Any]) -> None:
    login = await opened(api)
    _, key = await decide(api, "approve", person["accessToken"], login)
    await api.delete(f"/api-keys/{key['id']}", key=person["accessToken"])
    assert (await polled(api, login))[1]["code"] == "expired_token"


async def test_only_a_person_decides_and_only_about_their_own_rights(
    api: Api, make: Make, context: AppContext, person: dict[str, Any]
) -> None:
    owner = await make.owner()
    login = await opened(api)
    for what in ("lookup", "approve", "refuse"):
        assert (await decide(api, what, owner.key, login))[0] == 403, what
        assert (await api.post(f"/device-logins/{what}", json={"userCode": login["userCode"]})).status_code == 401
    token = person["accessToken"]
    assert (await decide(api, "approve", token, login, scopes=["instance:admin"]))[0] == 403
    unknown = await decide(api, "approve", token, login, profileIds=["prof_01M7Z0000000000000000000AB"])
    assert (unknown[0], unknown[1]["errors"][0]["path"]) == (422, "/profileIds/0")
    await change_member(context, ids.decode("usr", person["user"]["id"]), "role = 'viewer'")  # type: ignore[arg-type]
    assert (await decide(api, "approve", token, login))[0] == 403
    assert (await decide(api, "refuse", token, login))[0] == 204, "whoever sees the code may end it"


async def test_guesses_are_counted_by_person_and_for_all(api: Api, make: Make, context: AppContext) -> None:
    guesser, other = await register(api), await register(api)
    login = await opened(api)
    for _ in range(20):  # right ones cost nothing
        assert (await decide(api, "lookup", guesser["accessToken"], login))[0] == 200
    wrong = {"userCode": "BBBB-BBBB"}
    answers = await asyncio.gather(*(decide(api, "lookup", guesser["accessToken"], wrong) for _ in range(20)))
    assert sorted(status for status, _ in answers) == [404] * device_logins.GUESSES_OF_PERSON + [429] * 10
    for what in ("lookup", "approve", "refuse"):
        assert (await decide(api, what, guesser["accessToken"], login))[0] == 429, "even the right one"
    assert (await decide(api, "lookup", other["accessToken"], login))[0] == 200
    wants = [shared_buckets.Want("device code", device_logins.GUESSES_OF_INSTALLATION)]
    while await shared_buckets.take_each(context.database, wants, device_logins.GUESS_SECONDS) is None:
        pass
    assert (await decide(api, "lookup", other["accessToken"], login))[0] == 429
    await shared_buckets.forget(context.database, ["device code"])


async def test_devices_are_bounded_by_address_and_for_all(
    api: Api, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = {"X-Forwarded-For": "198.51.100.77"}
    body = {"json": {"deviceName": LAPTOP}, "headers": place}
    statuses = [(await api.post("/device-logins", **body)).status_code for _ in range(11)]
    assert statuses == [201] * 10 + [429]
    async with database.connection() as db:
        now_open = await db.fetchval("select count(*) from device_login where expires_at > now()")
    monkeypatch.setattr(device_logins, "OPEN_MAX", now_open)
    full = await api.post("/device-logins", json={"deviceName": LAPTOP})
    assert (full.status_code, full.headers["Retry-After"]) == (429, "60")


@pytest.mark.parametrize(("name", "shown"), [("a\x1b[31m\u202eb\nc", "a[31mb c"), ("x" * 80, "x" * 80)])
async def test_the_name_of_a_device_is_one_line_of_text(
    api: Api, person: dict[str, Any], name: str, shown: str
) -> None:
    login = await opened(api, name)
    _, seen = await decide(api, "lookup", person["accessToken"], login)
    assert seen["deviceName"].replace(" ", "") == shown.replace(" ", "")
    assert seen["deviceName"].isprintable()
    _, key = await decide(api, "approve", person["accessToken"], login)
    assert key["name"] == f"sp on {seen['deviceName']}"


async def test_a_device_without_a_name_is_refused(api: Api) -> None:
    for name in ("", " \u202e\x07", "x" * 81):
        answer = await api.post("/device-logins", json={"deviceName": name})
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "/deviceName")


async def test_the_plan_counts_the_key(shop: Api, database: Database) -> None:
    person = await register(shop)
    async with database.transaction() as db:
        await db.execute(
            "update workspace set plan = 'free' where id = $1", ids.decode("wsp", person["workspace"]["id"])
        )
    logins = [await opened(shop) for _ in range(2)]
    decisions = [await decide(shop, "approve", person["accessToken"], login) for login in logins]
    assert [status for status, _ in decisions] == [200, 402]
    assert decisions[1][1]["limit"]["name"] == "apiKeys"
    assert len((await shop.get("/api-keys", key=person["accessToken"])).json()["data"]) == 1
    assert (await polled(shop, logins[1]))[1]["code"] == "authorization_pending", "there is still time for room"
