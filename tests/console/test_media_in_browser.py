"""The library of files in a browser: uploaded, described, found, used, deleted; a lost connection costs nothing."""

from typing import Any

import pytest
from playwright.async_api import Page, expect
from tests.console.browser import OpenPage, save_draft
from tests.helpers import media_files
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")


def picture(name: str) -> dict[str, Any]:
    return {"name": name, "mimeType": "image/jpeg", "buffer": media_files.image("JPEG", size=(320, 240))}


async def add(page: Page, *names: str) -> None:
    await page.locator('input[type="file"]').set_input_files([picture(name) for name in names])


def card(page: Page, name: str) -> Any:
    return page.get_by_role("listitem").filter(has_text=name)


async def test_a_file_is_uploaded_described_and_found_by_keyboard(console: OpenPage, owned: Api) -> None:
    async with console(locale="en-GB") as page:
        await page.goto("/console/media")
        await page.get_by_role("heading", name="Media", exact=True).wait_for()
        await add(page, "rye.jpg")
        await expect(card(page, "rye.jpg")).to_contain_text("No description")
        await page.get_by_role("button", name="rye.jpg").focus()
        await page.keyboard.press("Enter")
        field = page.get_by_role("dialog", name="rye.jpg").get_by_label("Description")
        await expect(field).to_be_focused()
        await page.keyboard.type("A loaf of rye")
        await expect(page.get_by_role("dialog")).to_contain_text("13/1,500")
        await page.get_by_role("button", name="Save").focus()
        await page.keyboard.press("Enter")
        await expect(card(page, "rye.jpg")).to_contain_text("Described")
        await page.keyboard.press("/")
        await page.keyboard.type("LOAF of")
        await page.wait_for_url("**q=LOAF**")
        await expect(page.get_by_role("list", name="Files").get_by_role("listitem")).to_have_count(1)
        [found] = (await owned.get("/media", params={"q": "loaf of"}))["data"]
        assert (found["fileName"], found["altText"]) == ("rye.jpg", "A loaf of rye")


async def test_a_broken_upload_is_paused_and_resumed_where_it_was(console: OpenPage, owned: Api) -> None:
    """The service is asked how far it came, and no second file is begun."""
    begun: list[str] = []
    is_broken = True
    async with console(expected={503}) as page:

        async def break_it(route: Any) -> None:
            if route.request.method == "POST":
                begun.append(route.request.method)
            if is_broken and route.request.method == "PATCH":
                return await route.fulfill(status=503, json={"code": "unavailable"})
            return await route.continue_()

        await page.route("**/api/v1/media/uploads**", break_it)
        await page.goto("/console/media")
        await add(page, "tunnel.jpg")
        await page.get_by_role("button", name="Pause tunnel.jpg").click()
        resume = page.get_by_role("button", name="Resume")
        await resume.wait_for()
        is_broken = False
        await resume.click()
        await expect(card(page, "tunnel.jpg")).to_be_visible()
        assert begun == ["POST"]
        assert len((await owned.get("/media", params={"q": "tunnel"}))["data"]) == 1


async def found(owned: Api, name: str) -> list[dict[str, Any]]:
    files: list[dict[str, Any]] = (await owned.get("/media", params={"q": name}))["data"]
    return files


async def test_selected_files_become_a_post_and_used_ones_say_so(console: OpenPage, owned: Api) -> None:
    async def are_ready() -> bool:
        files = [file for name in ("one.jpg", "two.jpg") for file in await found(owned, name)]
        return [file["status"] for file in files] == ["ready", "ready"]

    async with console(locale="en-GB", expected={409}) as page:
        await page.goto("/console/media")
        await add(page, "one.jpg", "two.jpg")
        await owned.service.until(are_ready, "files that can be used")
        for name in ("one.jpg", "two.jpg"):
            await page.get_by_role("checkbox", name=f"Select {name}").press("Space")
        await page.get_by_role("button", name="Write a post with them").click()
        await expect(page.get_by_label("Description of one.jpg")).to_be_visible()
        await expect(page.get_by_label("Description of two.jpg")).to_be_visible()
        await page.get_by_label("Text", exact=True).fill("Two pictures")
        await save_draft(page)

        await page.goto("/console/media?q=one.jpg")
        await page.get_by_role("button", name="one.jpg").click()
        await page.get_by_role("table", name="Posts that use the file").get_by_text("Two pictures").wait_for()
        await page.get_by_role("button", name="Delete").click()
        warning = page.get_by_role("dialog", name="Delete 1 file?")
        await expect(warning).to_contain_text("1 post uses what you delete.")
        await warning.get_by_role("button", name="Delete").click()
        await expect(page.locator(".toast.bad")).to_be_visible()
        assert len((await owned.get("/media", params={"q": "one.jpg"}))["data"]) == 1


async def test_a_file_of_the_library_is_chosen_in_the_composer(console: OpenPage, owned: Api) -> None:
    async with console(locale="en-GB") as page:
        await page.goto("/console/media")
        await add(page, "again.jpg")
        await expect(card(page, "again.jpg")).to_be_visible()
        await page.goto("/console/compose")
        await page.get_by_role("button", name="From the library").click()
        dialog = page.get_by_role("dialog", name="Choose files")
        await dialog.get_by_label("Select again.jpg").check()
        await dialog.get_by_label("Search").fill("again")
        await dialog.get_by_label("Search").press("Enter")  # searches; chooses nothing
        tops = (
            await dialog.get_by_role("search")
            .locator("input, select")
            .evaluate_all("fields => fields.map((field) => field.getBoundingClientRect().top)")
        )
        assert len(set(tops)) == 1, "the filters stand beside each other"
        await dialog.get_by_role("button", name="Add 1 file").click()
        alt = page.get_by_label("Description of again.jpg")
        await alt.fill("Bread, once more")
        await expect(page.get_by_role("region", name="Files")).to_contain_text("16/1,500")
        await expect(page.get_by_role("region", name="Files")).to_contain_text("1 of 1 described")
        await page.evaluate("localStorage.clear()")
