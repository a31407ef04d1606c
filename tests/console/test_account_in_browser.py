"""People look after their own account by clicks: password, second factor, where they are signed in."""

import asyncio
import base64
import json
import secrets
from typing import Any
from urllib.parse import quote

import asyncpg
import httpx
import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, sign_in, violations
from tests.console.pages import module_of, visit
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.service_process import Api

from signalpost.embedded_postgres.start import start_postgres
from signalpost.identity import totp
from signalpost.kit import clock

pytestmark = pytest.mark.xdist_group("browser")
PASSWORD, NEXT = "correct horse battery", "another horse battery"
CONSOLE = {"X-Console": "1", "Sec-Fetch-Site": "same-origin"}


async def new_person(owned: Api) -> tuple[str, dict[str, Any]]:
    """Return the address of a new editor, and what their browser has stored."""
    email = f"person-{secrets.token_hex(4)}@example.test"
    invited = await owned.post("/team/invite", json={"email": email, "role": "editor"})
    token = invited["inviteUrl"].rpartition("/")[2]
    async with httpx.AsyncClient(base_url=f"{owned.service.base_url}/api/v1", timeout=TEST_SECONDS) as client:
        accepted = await client.post(
            f"/team/invites/{token}/accept", json={"name": "Paula Person", "password": PASSWORD}
        )
    assert accepted.status_code == 200, accepted.text
    return email, await sign_in(owned.service, email)


async def logs_in(owned: Api, email: str, password: str) -> int:
    async with httpx.AsyncClient(base_url=f"{owned.service.base_url}/api/v1", timeout=TEST_SECONDS) as client:
        answer = await client.post(
            "/auth/login", json={"email": email, "password": password}, headers={"User-Agent": "acme-cli/2.1"}
        )
    return answer.status_code


_MORE_SESSIONS = """
insert into session (id, user_id, workspace_id, created_at, expires_at)
select gen_random_uuid(), s.user_id, s.workspace_id, s.created_at - n * interval '1 second', s.expires_at
from generate_series(1, 520) n, (
    select s.* from session s join app_user u on u.id = s.user_id where u.email = $1 limit 1) s
"""


async def test_a_person_saves_what_is_known_about_them(open_page: OpenPage, owned: Api) -> None:
    """As the API has it, and nothing that lets anyone in."""
    email, state = await new_person(owned)
    database = await asyncio.to_thread(start_postgres, owned.service.folder / "data")
    connection = await asyncpg.connect(database.dsn())
    await connection.execute(_MORE_SESSIONS, email)
    await connection.close()
    async with open_page(at=owned.service, storage_state=state) as page:
        await visit(page, "/console/account")
        async with page.expect_download() as saving:
            await page.get_by_role("button", name="Download my data").click()
        saved = await saving.value
        await expect(page.get_by_text("Your data is saved as my-data.json.")).to_be_visible()
        data = json.loads((await saved.path()).read_text())
        module = await module_of(page, "/pages/account-data.js")
        short = await page.evaluate("async (module) => (await import(module)).collect(100)", module)
        path, sessions = "/api/v1/auth/sessions?limit=100", list[dict[str, object]]()
        cursor = ""
        while True:
            answer = await (await page.request.get(path + cursor, headers=CONSOLE)).json()
            sessions += answer["data"]
            if not answer["hasMore"]:
                break
            cursor = f"&cursor={quote(answer['nextCursor'])}"
    assert len(sessions) > 520
    assert (data["cut"], short["cut"], len(short["sessions"])) == ([], ["sessions"], 100)
    assert saved.suggested_filename == "my-data.json"
    assert (data["person"]["user"]["email"], data["person"]["user"]["name"]) == (email, "Paula Person")
    assert {each["id"] for each in data["sessions"]} == {each["id"] for each in sessions}
    assert [each["id"] for each in data["workspaces"]] == [data["person"]["workspace"]["id"]]
    assert (data["apiKeys"], data["messenger"]["linked"]) == ([], False)
    assert data["notifications"]["mail"]["decisions"]
    assert not {"token", "secret", "password", "key"} & names_in(data)


def names_in(value: object) -> set[str]:
    """The names of all members, at any depth."""
    if isinstance(value, list):
        return set().union(*map(names_in, value))
    return set(value).union(*map(names_in, value.values())) if isinstance(value, dict) else set()


async def test_a_person_chooses_what_they_are_mailed_about(open_page: OpenPage, owned: Api, axe: str) -> None:
    """By the address that each such mail has, on a phone. What was saved is there when the page is opened again."""
    _, state = await new_person(owned)
    view = {"viewport": {"width": 360, "height": 900}}
    async with open_page(at=owned.service, storage_state=state, **view) as page:
        await visit(page, "/console/account/notifications")
        card = page.get_by_role("region", name="Mails to me")
        decisions = card.get_by_role("checkbox", name="Decisions on my posts")
        quiet = card.get_by_role("checkbox", name="Quiet hours")
        await expect(decisions).to_be_checked()
        await expect(quiet).not_to_be_checked()
        await expect(card.get_by_role("checkbox", name="Tickets of users")).to_have_count(0)
        await decisions.uncheck()
        await quiet.check()
        await card.get_by_label("Quiet from").fill("21:30")
        await card.get_by_label("Time zone").select_option("Europe/Berlin")
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        assert await violations(page, axe) == []
        await card.get_by_role("button", name="Save").click()
        await expect(page.get_by_text("Saved.")).to_be_visible()

        await visit(page, "/console/account/notifications")
        await expect(decisions).not_to_be_checked()
        await expect(card.get_by_label("Quiet from")).to_have_value("21:30")
        await expect(card.get_by_label("Quiet until")).to_have_value("07:00")
        stored = await (await page.request.get("/api/v1/auth/notifications", headers=CONSOLE)).json()
    assert [topic for topic, wanted in stored["mail"].items() if not wanted] == ["decisions"]
    assert stored["quietHours"] == {"start": "21:30", "end": "07:00", "timezone": "Europe/Berlin"}


async def test_a_person_ends_other_sessions_and_changes_the_password(open_page: OpenPage, owned: Api, axe: str) -> None:
    """On a phone. A wrong password is said at its field; the session of this browser goes on."""
    email, state = await new_person(owned)
    assert await logs_in(owned, email, PASSWORD) == 200
    view = {"viewport": {"width": 360, "height": 900}}
    async with open_page(at=owned.service, storage_state=state, expected={401}, **view) as page:
        await visit(page, "/console/account")
        program = page.get_by_role("row").filter(has_text="acme-cli")
        await expect(page.get_by_role("row").filter(has_text="this one")).to_have_count(1)
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        assert await violations(page, axe) == []
        await program.get_by_role("button", name="Sign out").click()
        await expect(program).to_have_count(0)
        await page.get_by_role("button", name="Sign out everywhere else").click()
        await expect(page.get_by_role("row").filter(has_text="Sign out")).to_have_count(0)

        await page.get_by_label("Password now").fill("not this one at all")
        await page.get_by_label("New password").fill(NEXT)
        await page.get_by_role("button", name="Change the password").click()
        await expect(page.get_by_text("This is not your password.")).to_be_visible()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.get_by_label("Password now").fill(PASSWORD)
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("The password is changed.")).to_be_visible()
        await page.reload()
        await expect(page.get_by_role("heading", name="My account", exact=True)).to_be_visible()
    assert await logs_in(owned, email, PASSWORD) == 401
    assert await logs_in(owned, email, NEXT) == 200


async def test_a_second_factor_is_set_up_and_switched_off(open_page: OpenPage, owned: Api, axe: str) -> None:
    """The recovery codes are shown once; the first of them switches it off."""
    email, state = await new_person(owned)
    async with open_page(at=owned.service, storage_state=state, expected={401}, color_scheme="dark") as page:
        await page.goto("/console")
        await page.get_by_role("link", name="My account").click()
        await page.get_by_role("button", name="Set it up").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Password").fill(PASSWORD)
        await page.keyboard.press("Enter")
        secret = base64.b32decode((await dialog.locator("code").inner_text()).replace(" ", ""))
        assert await violations(page, axe) == []
        await dialog.get_by_label("Code of the app").fill("000 00")
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_text("This code is wrong")).to_be_visible()
        await dialog.get_by_label("Code of the app").fill(totp.code_at(secret, totp.step_of(clock.now())))
        await page.keyboard.press("Enter")
        codes = (await dialog.locator("pre").inner_text()).split()
        assert len(codes) == 10
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="I have kept the codes").click()
        assert await logs_in(owned, email, PASSWORD) == 401

        await page.get_by_role("button", name="Switch it off").click()
        await dialog.get_by_label("Password").fill(PASSWORD)
        await dialog.get_by_label("Code of the app, or a recovery code").fill(codes[0])
        await dialog.get_by_role("button", name="Switch it off").click()
        await expect(page.get_by_role("button", name="Set it up")).to_be_visible()
    assert await logs_in(owned, email, PASSWORD) == 200


async def test_pages_follow_the_browser_of_whoever_never_chose_a_language(open_page: OpenPage, owned: Api) -> None:
    """As the next version writes it: decision 0452."""
    email, state = await new_person(owned)
    database = await asyncio.to_thread(start_postgres, owned.service.folder / "data")
    connection = await asyncpg.connect(database.dsn())
    await connection.execute("update app_user set locale = null where email = $1", email)
    await connection.close()
    async with open_page(at=owned.service, storage_state=state, locale="es-ES") as page:
        await visit(page, "/console/account")
        await expect(page.get_by_role("heading", name="Mi cuenta", exact=True)).to_be_visible()


async def test_a_person_says_who_they_are(open_page: OpenPage, owned: Api, axe: str) -> None:
    """Name, language and zone come along to another browser; a common password is refused at its field."""
    email, state = await new_person(owned)
    view = {"viewport": {"width": 360, "height": 900}}
    async with open_page(at=owned.service, storage_state=state, expected={422}, **view) as page:
        await visit(page, "/console/account")
        await page.get_by_label("Password now").fill(PASSWORD)
        await page.get_by_label("New password").fill("Password123")
        await page.get_by_role("button", name="Change the password").click()
        await expect(page.get_by_text("Many people have this password.")).to_be_visible()

        await page.get_by_label("Name", exact=True).fill("Paula P.")
        await page.get_by_label("Language", exact=True).select_option("de")
        await page.get_by_label("Time zone", exact=True).select_option("Asia/Tokyo")
        await page.get_by_role("button", name="Save", exact=True).click()
        await expect(page.get_by_role("heading", name="Mein Konto", exact=True)).to_be_visible()
        await expect(page.get_by_text("Gespeichert.")).to_be_visible()
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360

    async with open_page(at=owned.service, storage_state=await sign_in(owned.service, email)) as page:
        await visit(page, "/console/account")
        await expect(page.get_by_label("Zeitzone")).to_have_value("Asia/Tokyo")
        await expect(page.get_by_text("Paula P.").first).to_be_visible()


async def test_a_person_deletes_their_account(open_page: OpenPage, owned: Api, axe: str) -> None:
    """The page says what goes and what stays; afterwards the page to sign in says that it is done."""
    email, state = await new_person(owned)
    async with open_page(at=owned.service, storage_state=state, expected={401, 422}) as page:
        await visit(page, "/console/account")
        card = page.get_by_role("region", name="Delete my account")
        await card.get_by_role("button", name="Delete my account").click()
        dialog = page.get_by_role("dialog", name="Delete my account?")
        await expect(dialog).to_contain_text("Only its history keeps your name")
        assert await violations(page, axe) == []
        await dialog.get_by_label(f"Type your e-mail address: {email}").fill("other@example.test")
        await dialog.get_by_label("Password").fill(PASSWORD)
        await dialog.get_by_role("button", name="Delete my account").click()
        await expect(dialog.get_by_role("alert")).to_be_visible()
        await dialog.get_by_label(f"Type your e-mail address: {email}").fill(email)
        await dialog.get_by_label("Password").fill("not the password")
        await dialog.get_by_role("button", name="Delete my account").click()
        await expect(dialog).to_contain_text("This is not your password.")
        await dialog.get_by_label("Password").fill(PASSWORD)
        await dialog.get_by_role("button", name="Delete my account").click()
        await expect(page.get_by_role("status")).to_have_text("Your account is deleted.")
        assert await logs_in(owned, email, PASSWORD) == 401


async def test_an_owner_sees_what_has_to_go_with_the_account(open_page: OpenPage, owned: Api, axe: str) -> None:
    """And nothing is done before they decided."""
    me = await owned.get("/auth/me")
    email, workspace = me["user"]["email"], me["workspace"]["name"]
    state = await sign_in(owned.service, email)
    async with open_page(at=owned.service, storage_state=state, expected={409}) as page:
        await visit(page, "/console/account")
        await page.get_by_role("button", name="Delete my account").click()
        dialog = page.get_by_role("dialog", name="Delete my account?")
        owns = dialog.get_by_role("group", name="Workspaces that you own")
        await expect(owns.get_by_role("checkbox", name=workspace, exact=True)).to_be_visible()
        assert await violations(page, axe) == []
        await dialog.get_by_label(f"Type your e-mail address: {email}").fill(email)
        await dialog.get_by_label("Password").fill(PASSWORD)
        await dialog.get_by_role("button", name="Delete my account").click()
        await expect(dialog).to_contain_text("You own workspaces, which cannot be without an owner.")
