"""Signing in and out in a browser: the form, the cookie, and what the API accepts with it."""

from typing import Any

import httpx
import pytest

from signalpost.context import AppContext
from signalpost.identity.actions import sign_up

EMAIL, PASSWORD = "ada@example.test", "correct horse battery"
OURS = {"Sec-Fetch-Site": "same-origin", "X-Console": "1"}


@pytest.fixture
async def person(empty: AppContext) -> str:
    """A user; returns their e-mail address."""
    async with empty.database.transaction() as db:
        await sign_up.create_owner(empty, db, email=EMAIL, password=PASSWORD, workspace_name="Bakery", timezone="UTC")
    return EMAIL


async def sign_in(visit: httpx.AsyncClient, *, after: str = "", **fields: str) -> httpx.Response:
    form = {"email": EMAIL, "password": PASSWORD, "code": ""} | fields
    return await visit.post("/login", params={"next": after} if after else {}, data=form)


async def test_the_cookie_is_a_session_of_the_api_until_it_ends(visit: httpx.AsyncClient, person: str) -> None:
    answer = await sign_in(visit)

    assert (answer.status_code, answer.headers["location"]) == (303, "/console")
    assert answer.headers["set-cookie"].endswith("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax")
    me = await visit.get("/api/v1/auth/me")
    assert (me.status_code, me.json()["auth"]["type"]) == (200, "session")
    created = await visit.post("/api/v1/profiles", json={"name": "Two"}, headers=OURS)
    assert created.status_code == 201

    cookie = dict(visit.cookies)
    out = await visit.post("/logout")
    assert (out.status_code, out.headers["location"], dict(visit.cookies)) == (303, "/login", {})
    visit.cookies.update(cookie)
    assert (await visit.get("/api/v1/auth/me")).status_code == 401


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("GET", {"Sec-Fetch-Site": "cross-site"}),
        ("GET", {"Sec-Fetch-Site": "same-site"}),
        ("GET", {"Sec-Fetch-Site": "none"}),
        ("POST", {"Sec-Fetch-Site": "same-origin"}),
        ("POST", {"X-Console": "1", "Sec-Fetch-Site": "cross-site"}),
        ("POST", {"X-Console": "1", "Origin": "https://evil.example"}),
        ("POST", {"X-Console": "1", "Origin": "null"}),
    ],
)
async def test_other_sites_cannot_use_the_cookie(
    visit: httpx.AsyncClient, person: str, method: str, headers: dict[str, str]
) -> None:
    """A form elsewhere has the cookie too, but neither our origin nor our header."""
    await sign_in(visit)
    body: dict[str, Any] = {"json": {"name": "Two"}} if method == "POST" else {}

    answer = await visit.request(method, "/api/v1/profiles", headers=headers, **body)

    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert [profile["name"] for profile in (await visit.get("/api/v1/profiles")).json()["data"]] == ["Bakery"]


async def test_a_page_acts_only_for_the_user_whom_it_shows(
    visit: httpx.AsyncClient, empty: AppContext, person: str
) -> None:
    """Another tab has signed in as somebody else meanwhile, who may be in other workspaces than the page has chosen."""
    await sign_in(visit)
    first = (await visit.get("/api/v1/auth/me")).json()
    async with empty.database.transaction() as db:
        await sign_up.create_owner(
            empty, db, email="bob@example.test", password=PASSWORD, workspace_name="Bar", timezone="UTC"
        )
    await sign_in(visit, email="bob@example.test")
    second = (await visit.get("/api/v1/auth/me")).json()
    old_tab = OURS | {"X-Console": first["user"]["id"]}

    answers = [
        await visit.post("/api/v1/profiles", json={"name": "Two"}, headers=old_tab | chosen)
        for chosen in ({}, {"X-Workspace-Id": first["workspace"]["id"]}, {"X-Workspace-Id": second["workspace"]["id"]})
    ]
    new_tab = await visit.post(
        "/api/v1/profiles", json={"name": "Two"}, headers=OURS | {"X-Console": second["user"]["id"]}
    )

    assert [answer.json()["code"] for answer in answers] == ["signed_in_as_another"] * 3
    assert {answer.status_code for answer in answers} == {403}
    assert new_tab.status_code == 201
    assert [one["name"] for one in (await visit.get("/api/v1/profiles")).json()["data"]] == ["Two", "Bar"]


async def test_a_forged_cookie_and_a_wrong_bearer_are_refused(visit: httpx.AsyncClient, person: str) -> None:
    await sign_in(visit)
    [(name, value)] = visit.cookies.items()
    with_bearer = await visit.get("/api/v1/auth/me", headers={"Authorization": "Bearer sp_live_x"})
    visit.cookies.set(name, value[:-9] + ("A" if value[-9] != "A" else "B") + value[-8:], domain="signalpost.test")
    forged = await visit.get("/api/v1/auth/me")

    assert (with_bearer.status_code, forged.status_code) == (401, 401)


@pytest.mark.parametrize(
    ("wanted", "leads_to"),
    [
        ("/console/posts/pst_1?q=a", "/console/posts/pst_1?q=a"),
        ("//evil.example/console", "/console"),
        ("/console/../admin", "/console"),
        ("/console\\evil", "/console"),
        ("https://evil.example/console", "/console"),
    ],
)
async def test_signing_in_leads_only_into_the_console(
    visit: httpx.AsyncClient, person: str, wanted: str, leads_to: str
) -> None:
    answer = await sign_in(visit, after=wanted)

    assert answer.headers["location"] == leads_to


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("?deleted=2026-12-27&lang=en", '<p class="notice" lang="en" role="status">The workspace is deleted.'),
        ("?deleted=2026-12-27&lang=de", "Instanz kann ihn bis zum 2026-12-27 wiederherstellen."),
        ("?deleted=2026-12-27&lang=fr", "can restore it until 2026-12-27."),
        ("?deleted=soon&lang=de", None),
        ("", None),
    ],
)
async def test_whoever_deleted_their_only_workspace_reads_until_when_it_can_be_restored(
    visit: httpx.AsyncClient, query: str, shown: str | None
) -> None:
    page = (await visit.get(f"/login{query}")).text

    assert shown in page if shown else "restore" not in page and "wiederherstellen" not in page


async def test_a_wrong_password_keeps_only_the_address(visit: httpx.AsyncClient, person: str) -> None:
    answer = await sign_in(visit, password="wrong <b>password</b>")

    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
    assert f'value="{EMAIL}"' in answer.text
    assert "wrong &lt;b" not in answer.text
    assert "<b>password" not in answer.text


async def test_asking_for_a_new_password_says_the_same_to_all(visit: httpx.AsyncClient, person: str) -> None:
    known = await visit.post("/forgot-password", data={"email": EMAIL})
    unknown = await visit.post("/forgot-password", data={"email": "nobody@example.test"})
    long = await visit.post("/forgot-password", data={"email": "x" * 300})

    assert (known.status_code, unknown.status_code, long.status_code) == (200, 200, 422)
    assert known.text == unknown.text
