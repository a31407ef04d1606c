"""Clients are made, changed and deleted by clicks."""

import asyncio
import secrets
from datetime import timedelta
from pathlib import Path

import asyncpg
import pytest
from playwright.async_api import expect
from tests.console.browser import OpenPage, violations
from tests.console.pages import visit
from tests.console.test_composer_in_browser import connect
from tests.console.world import picture
from tests.helpers.service_process import Api

from signalpost.embedded_postgres.start import start_postgres
from signalpost.kit import clock

pytestmark = pytest.mark.xdist_group("browser")


async def test_a_client_is_made_changed_and_deleted(console: OpenPage, owned: Api, axe: str) -> None:
    """On a phone; a name that is taken is said at its field; what deleting means stands before it is done."""
    name = f"Shop {secrets.token_hex(3)}"
    async with console(viewport={"width": 360, "height": 900}, expected={409}) as page:
        await visit(page, "/console/clients")
        await page.get_by_role("button", name="New client").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name").fill(name)
        await dialog.get_by_label("Time zone").fill("Asia/Tokyo")
        await dialog.get_by_label("Posts need an approval").check()
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        await page.get_by_role("button", name="Save").click()
        row = page.get_by_role("row").filter(has_text=name)
        await expect(row).to_contain_text("Asia/Tokyo")
        made = next(each for each in (await owned.get("/profiles"))["data"] if each["name"] == name)
        assert (made["timezone"], made["approvalRequired"]) == ("Asia/Tokyo", True)

        await page.get_by_role("button", name="New client").click()
        await dialog.get_by_label("Name").fill(name.upper())
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_text("Another client has this name.")).to_be_visible()
        await page.keyboard.press("Escape")

        await row.get_by_role("button", name=f"Change {name}").click()
        await dialog.get_by_label("Name").fill(f"{name} & Sons")
        await dialog.get_by_label("Posts need an approval").uncheck()
        await page.keyboard.press("Enter")
        await expect(row).to_contain_text(f"{name} & Sons")
        body = {"profileId": made["id"], "fields": {"username": f"sons{secrets.token_hex(3)}"}}
        account = await owned.post("/platforms/sandbox/connect", json=body)
        post = await owned.post("/posts", json={"profileId": made["id"], "text": "Closing", "draft": True})
        await page.reload()

        await row.get_by_role("button", name=f"Change {name} & Sons").click()
        await page.get_by_role("button", name="Delete…").click()
        await expect(dialog.get_by_text("Its 1 account is disconnected")).to_be_visible()
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Delete the client").click()
        await expect(row).to_have_count(0)
        await expect(page.get_by_text("1 account is disconnected, 1 post is in the trash")).to_be_visible()
    assert account["id"] not in {each["id"] for each in (await owned.get("/platforms/accounts/all"))["data"]}
    assert post["id"] in {each["id"] for each in (await owned.get("/posts/trash"))["data"]}


async def test_a_client_is_archived_and_restored(console: OpenPage, owned: Api, axe: str) -> None:
    """On a phone; what still waits is said, with the way to it; then it is for nothing new, and it comes back."""
    made = await owned.post("/profiles", json={"name": f"Season {secrets.token_hex(3)}"})
    name, username = made["name"], f"season{secrets.token_hex(3)}"
    body = {"profileId": made["id"], "fields": {"username": username}}
    account = await owned.post("/platforms/sandbox/connect", json=body)
    at = {"scheduledAt": clock.wire(clock.now() + timedelta(days=9))}
    post = await owned.post(
        "/posts", json={"profileId": made["id"], "text": "Waits", "targets": [{"accountId": account["id"]}]} | at
    )
    async with console(viewport={"width": 360, "height": 900}, expected={409}) as page:
        await visit(page, "/console/clients")
        row = page.get_by_role("row").filter(has_text=name)
        dialog = page.get_by_role("dialog")
        await row.get_by_role("button", name=f"Change {name}").click()
        await dialog.get_by_role("button", name="Archive…").click()
        await dialog.get_by_role("button", name="Archive the client").click()
        await expect(dialog.get_by_text("1 post of this client is still to be published")).to_be_visible()
        assert await violations(page, axe) == []
        await dialog.get_by_role("link", name="Show these posts").click()
        await expect(page.get_by_role("heading", name="Posts", level=1)).to_be_visible()
        await expect(page.get_by_text("Waits", exact=True).first).to_be_visible()
        await owned.call("DELETE", f"/queue/cancel/{post['id']}")

        await visit(page, "/console/clients")
        await row.get_by_role("button", name=f"Change {name}").click()
        await dialog.get_by_role("button", name="Archive…").click()
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Archive the client").click()
        await expect(page.get_by_text(f"{name} is archived.")).to_be_visible()
        await expect(row).to_have_count(0)
        assert (await owned.get(f"/profiles/{made['id']}"))["archivedAt"] is not None

        await page.get_by_role("link", name="Archived clients").click()
        await expect(row).to_be_visible()
        assert await violations(page, axe) == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        await visit(page, "/console/compose")
        await expect(page.get_by_role("heading", name="Write a post", level=1)).to_be_visible()
        await expect(page.get_by_role("option", name=name)).to_have_count(0)

        await visit(page, "/console/clients/archived")
        await row.get_by_role("button", name=f"Restore {name}").click()
        await expect(page.get_by_text(f"{name} is restored.")).to_be_visible()
        await expect(row).to_have_count(0)
    assert (await owned.get(f"/profiles/{made['id']}"))["archivedAt"] is None


async def test_a_client_has_a_language_hashtags_and_a_watermark(console: OpenPage, owned: Api, axe: str) -> None:
    """What is saved is what was chosen, and what is wrong is said at its field."""
    file = {"file": ("mark.png", picture(1), "image/png")}
    mark = await owned.post("/media/upload", files=file)
    name = f"Brand {secrets.token_hex(3)}"
    async with console(locale="en-GB", expected={422}) as page:
        await visit(page, "/console/clients")
        await page.get_by_role("button", name="New client").click()
        dialog = page.get_by_role("dialog")
        await dialog.get_by_label("Name").fill(name)
        await dialog.get_by_label("Language of the posts").select_option(label="Austrian German")
        await dialog.get_by_label("Watermark").select_option(value=mark["id"])
        await dialog.get_by_label("Hashtags").fill("#bakery, ##")
        await page.get_by_role("button", name="Save").click()
        await expect(dialog.get_by_text("At most 30 words, with spaces between them.")).to_be_visible()
        assert await violations(page, axe) == []
        await dialog.get_by_label("Hashtags").fill("#bakery rye")
        await page.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)
        made = next(each for each in (await owned.get("/profiles"))["data"] if each["name"] == name)
        assert (made["language"], made["watermarkMediaId"]) == ("de-AT", mark["id"])

        await page.get_by_role("button", name=f"Change {name}").click()
        await expect(dialog.get_by_label("Hashtags")).to_have_value(" ".join(made["defaultHashtags"]))
        await expect(dialog.get_by_label("Language of the posts")).to_have_value("de-AT")
        await expect(dialog.get_by_label("Watermark")).to_have_value(mark["id"])
        await dialog.get_by_label("Hashtags").fill("")
        await dialog.get_by_label("Watermark").select_option(label="no watermark")
        await page.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)
    changed = await owned.get(f"/profiles/{made['id']}")
    assert (changed["defaultHashtags"], changed["watermarkMediaId"], changed["language"]) == ([], None, "de-AT")


async def test_a_client_has_a_logo_a_usual_queue_and_parameters_of_links(
    console: OpenPage, owned: Api, axe: str, tmp_path: Path
) -> None:
    """The logo stands beside the name wherever the client does; a post that is written then has the parameters."""
    logo = tmp_path / "logo.png"
    logo.write_bytes(picture(4))
    made = await owned.post("/profiles", json={"name": f"Logo {secrets.token_hex(3)}"})
    slots = [{"time": "09:00", "days": [0]}]
    bodies = [{"profileId": made["id"], "name": name, "slots": slots} for name in ("Mornings", "Evenings")]
    mornings, evenings = [await owned.post("/queues", json=body) for body in bodies]
    assert (mornings["isDefault"], evenings["isDefault"]) == (True, False)
    async with console() as page:
        await visit(page, "/console/clients")
        row = page.get_by_role("row").filter(has_text=made["name"])
        await row.get_by_role("button", name="Change").click()
        dialog = page.get_by_role("dialog")
        async with page.expect_file_chooser() as chooser:
            await dialog.get_by_role("button", name="Choose a logo").click()
        await (await chooser.value).set_files(logo)
        await expect(dialog.get_by_role("button", name="Another logo")).to_be_visible()
        await expect(dialog.locator("img.client-logo")).to_be_visible()
        await expect(dialog.get_by_label("Usual queue")).to_have_value(mornings["id"])
        await dialog.get_by_label("Usual queue").select_option(label="Evenings")
        await dialog.get_by_label("utm_campaign").fill("spring")
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)
        await expect(row.locator("img.client-logo")).to_be_visible()
        await page.get_by_role("button", name="Client:").click()
        choice = dialog.get_by_role("button", name=made["name"])
        await expect(choice.locator("img.client-logo")).to_be_visible()
        await choice.click()
        await expect(
            page.get_by_role("button", name=f"Client: {made['name']}").locator("img.client-logo")
        ).to_be_visible()
        post = await owned.post("/posts", json={"profileId": made["id"], "text": "https://a.test/", "draft": True})
        await visit(page, f"/console/posts/{post['id']}")
        await expect(page.get_by_text("utm_source=…&utm_campaign=spring")).to_be_visible()
    changed = await owned.get(f"/profiles/{made['id']}")
    assert (changed["defaultUtm"]["campaign"], changed["defaultUtm"]["source"]) == ("spring", None)
    assert changed["avatarMediaId"]
    assert (await owned.get(f"/queues/{evenings['id']}"))["isDefault"]
    assert post["utm"] == changed["defaultUtm"]


async def test_an_account_has_another_language_than_its_client(console: OpenPage, owned: Api, mastodon: str) -> None:
    """It is chosen where its network asks for one only; without, that of the client is named."""
    made = await owned.post("/profiles", json={"name": "Two languages", "language": "de"})
    async with console(hosts=(owned.service.base_url, mastodon)) as page:
        account = await connect(page, owned, made["id"])
        body = {"profileId": made["id"], "fields": {"username": "two"}}
        elsewhere = await owned.post("/platforms/sandbox/connect", json=body)
        await visit(page, f"/console/accounts/{account['id']}")
        choice = page.get_by_label("Language of the posts")
        await expect(choice.get_by_role("option", selected=True)).to_have_text("The client's: German")
        await choice.select_option(label="British English")
        await expect(page.get_by_text("Saved.")).to_be_visible()
        await page.reload()
        await expect(choice).to_have_value("en-GB")
        await choice.select_option(value="")
        await expect(choice).to_have_value("")
        await visit(page, f"/console/accounts/{elsewhere['id']}")
        await expect(page.get_by_text("Posts today")).to_be_visible()
        await expect(choice).to_have_count(0)
        history = (await owned.get("/audit", params={"action": "update_account"}))["data"]
    assert [entry["changes"][0]["to"] for entry in history[:2]] == [None, "en-GB"]


async def test_why_an_account_does_not_work_is_said_in_the_language_of_the_page(console: OpenPage, owned: Api) -> None:
    """Not in the words that the service keeps, or that a network answered."""
    made = await owned.post("/profiles", json={"name": f"Closed {secrets.token_hex(3)}"})
    names = [f"{word}{secrets.token_hex(3)}" for word in ("closed", "paused")]
    bodies = [{"profileId": made["id"], "fields": {"username": name}} for name in names]
    _, paused = [await owned.post("/platforms/sandbox/connect", json=body) for body in bodies]
    await owned.post("/posts", json={"profileId": made["id"], "text": "Closing", "publishMode": "draft"})
    await owned.call("PATCH", f"/platforms/accounts/{paused['id']}", json={"status": "paused"})
    database = await asyncio.to_thread(start_postgres, owned.service.folder / "data")
    connection = await asyncpg.connect(database.dsn())
    statement = "update account set status = 'needs_reauth', status_reason = 'Token was revoked' where username = $1"
    await connection.execute(statement, names[0])
    await connection.close()
    async with console(locale="es-ES") as page:
        await visit(page, "/console")
        repair = page.get_by_role("listitem").filter(has_text=names[0])
        await expect(repair).to_contain_text("La conexión con la cuenta ha caducado.")
        await visit(page, f"/console/accounts/{paused['id']}")
        await expect(page.get_by_role("main")).to_contain_text("La cuenta está en pausa.")
        await expect(page.get_by_text("user_request")).to_have_count(0)
