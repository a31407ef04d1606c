"""A person sees where they are signed in, ends that, and changes their password."""

from typing import Any

from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.identity import PASSWORD, code, login, register

from signalpost.identity.actions.sign_in import USER_AGENT_MAX
from signalpost.kit import ids
from signalpost.kit.db import Database

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"


async def sessions(api: Api, token: str) -> list[dict[str, Any]]:
    answer = await api.get("/auth/sessions", key=token)
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["data"]
    return rows


async def test_a_person_sees_where_they_are_signed_in(api: Api) -> None:
    """With what the client called itself, whatever that was."""
    first = await register(api)
    body = {"email": first["email"], "password": PASSWORD}
    names = (FIREFOX, "x" * 5_000, "", "caf\x85\xe9 \x07bell")
    for name in names:
        await api.post("/auth/login", json=body, headers={"User-Agent": name.encode("latin-1")})

    listed = await sessions(api, first["accessToken"])
    shown = [row["userAgent"] for row in reversed(listed)]
    assert shown[1:4] == [FIREFOX, "x" * USER_AGENT_MAX, None]
    assert (shown[4] or "").isprintable()
    assert [row["current"] for row in listed] == [False, False, False, False, True]
    assert {row["lastUsedAt"] == row["createdAt"] for row in listed} == {True}
    assert all(row["address"] for row in listed)


async def test_the_last_use_is_noted_once_a_minute(api: Api, database: Database) -> None:
    made = await register(api)
    [own] = await sessions(api, made["accessToken"])
    async with database.transaction() as db:
        await db.execute("update session set created_at = now() - interval '2 hours' where id = $1", _id(own))
    other = await login(api, made["email"])
    assert {row["lastUsedAt"] > own["createdAt"] for row in await sessions(api, other["accessToken"])} == {True, False}

    refreshed = await api.post("/auth/refresh", json={"refreshToken": made["refreshToken"]})
    [later] = [row for row in await sessions(api, refreshed.json()["accessToken"]) if row["current"]]
    assert later["lastUsedAt"] > own["createdAt"]
    assert later["id"] == own["id"]


def _id(session: dict[str, Any]) -> Any:
    return ids.decode("ses", session["id"])


async def test_one_session_ends_at_once(api: Api) -> None:
    made = await register(api)
    other = await login(api, made["email"])
    [theirs] = [row["id"] for row in await sessions(api, made["accessToken"]) if not row["current"]]

    assert (await api.delete(f"/auth/sessions/{theirs}", key=made["accessToken"])).status_code == 204
    assert await code(api, "/auth/me", other["accessToken"]) == "unauthenticated"
    assert (await api.post("/auth/refresh", json={"refreshToken": other["refreshToken"]})).status_code == 401
    assert [row["current"] for row in await sessions(api, made["accessToken"])] == [True]
    again = await api.delete(f"/auth/sessions/{theirs}", key=made["accessToken"])
    assert (again.status_code, again.json()["code"]) == (404, "not_found")


async def test_sessions_of_others_are_neither_seen_nor_ended(api: Api) -> None:
    mine, stranger = await register(api), await register(api)
    [row] = await sessions(api, stranger["accessToken"])
    assert row["id"] not in {one["id"] for one in await sessions(api, mine["accessToken"])}
    assert (await api.delete(f"/auth/sessions/{row['id']}", key=mine["accessToken"])).status_code == 404
    assert (await api.delete("/auth/sessions", key=mine["accessToken"])).json() == {"ended": 0}
    assert await code(api, "/auth/me", stranger["accessToken"]) == 200


async def test_signing_out_everywhere_else_leaves_this_session(api: Api) -> None:
    made = await register(api)
    others = [await login(api, made["email"]) for _ in range(3)]
    answer = await api.delete("/auth/sessions", key=others[0]["accessToken"])
    assert (answer.status_code, answer.json()) == (200, {"ended": 3})
    assert await code(api, "/auth/me", others[0]["accessToken"]) == 200
    for gone in (made, others[1], others[2]):
        assert await code(api, "/auth/me", gone["accessToken"]) == "unauthenticated"
    history = (await api.get("/audit?limit=3", key=others[0]["accessToken"])).json()["data"]
    assert "session_ended" in [entry["action"] for entry in history]


async def change(api: Api, token: str, **fields: Any) -> tuple[int, Any]:
    body = {"currentPassword": PASSWORD, "password": "another horse battery"} | fields
    answer = await api.post("/auth/password", json=body, key=token)
    return answer.status_code, answer.json() if answer.content else None


async def test_a_password_is_changed_by_who_knows_it(api: Api) -> None:
    """All other sessions end; this one stays."""
    made = await register(api)
    other = await login(api, made["email"])
    refused = await change(api, made["accessToken"], currentPassword="wrong horse battery")
    assert (refused[0], refused[1]["code"]) == (401, "invalid_credentials")
    same = await change(api, made["accessToken"], password=PASSWORD)
    assert (same[0], same[1]["errors"][0]["path"]) == (422, "/password")
    assert await code(api, "/auth/me", other["accessToken"]) == 200

    assert await change(api, made["accessToken"]) == (204, None)
    assert await code(api, "/auth/me", made["accessToken"]) == 200
    assert await code(api, "/auth/me", other["accessToken"]) == "unauthenticated"
    await login(api, made["email"], "another horse battery")
    old = await api.post("/auth/login", json={"email": made["email"], "password": PASSWORD})
    assert old.json()["code"] == "invalid_credentials"


async def test_guesses_of_the_password_are_counted(api: Api) -> None:
    """Whoever took over a session would try passwords here, else."""
    made = await register(api)
    codes = [(await change(api, made["accessToken"], currentPassword=f"guess {n}"))[1]["code"] for n in range(11)]
    assert codes == ["invalid_credentials"] * 10 + ["login_throttled"]


async def test_a_key_has_no_sessions(api: Api, make: Make) -> None:
    """Not even those of the person who made it."""
    owner = await make.owner()
    assert (await api.get("/auth/sessions", key=owner.key)).json()["data"] == []
    answer = await api.delete("/auth/sessions", key=owner.key)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
