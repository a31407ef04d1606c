"""Parts of pictures in a browser: chosen by keyboard and by pointer, on a phone too, and compared with the original."""

import io
import json
import re
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Page, expect
from tests.console.browser import OpenPage, save_draft, violations
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")

TIMES = "\N{MULTIPLICATION SIGN}"
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
async def author(owned: Api) -> Any:
    profile = await owned.post("/profiles", json={"name": "Cutting"})
    body = {"profileId": profile["id"], "fields": {"username": "cutter"}}
    return await owned.post("/platforms/sandbox/connect", json=body)


def photo(name: str) -> dict[str, Any]:
    """Blue above, and a red field low on the left: what a crop of the middle loses."""
    image, out = Image.new("RGB", (600, 1200), "navy"), io.BytesIO()
    image.paste("red", (60, 900, 260, 1100))
    image.save(out, "PNG")
    return {"name": name, "mimeType": "image/png", "buffer": out.getvalue()}


async def compose(page: Page, author: Any, name: str) -> Any:
    """Write a post with a picture; return the dialog in which it is cut."""
    await page.goto(f"/console/compose?profileId={author['profileId']}")
    await page.get_by_label("Text", exact=True).fill(f"With {name}")
    await page.locator('input[type="file"]').first.set_input_files([photo(name)])
    await page.get_by_role("button", name=f"Cut {name}").click()
    dialog = page.get_by_role("dialog", name=f"What networks get of {name}")
    await dialog.get_by_role("button", name="Whole picture").wait_for()
    return dialog


async def cuts(owned: Api, page: Page) -> Any:
    post = await owned.get(f"/posts/{page.url.rpartition('/')[2].partition('?')[0]}")
    return post["media"][0]["crops"]


@pytest.mark.parametrize("viewport", [PHONE, None])
async def test_a_part_is_chosen_by_keyboard_and_sent_with_the_post(
    console: OpenPage, owned: Api, author: Any, axe: str, viewport: Any
) -> None:
    async with console(locale="en-GB", viewport=viewport) as page:
        dialog = await compose(page, author, "key.png")
        await expect(dialog.get_by_role("status")).to_contain_text(
            "Sandbox gets the whole picture, and shows all of it."
        )
        await dialog.get_by_role("button", name="1:1", exact=True).press("Enter")
        part = dialog.get_by_role("slider", name="Part for Sandbox")
        await expect(part).to_have_attribute(
            "aria-valuetext", f"600 {TIMES} 600 pixels, 0 % from the left, 25 % from the top"
        )
        await part.focus()
        for key in ("Shift+ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
            await page.keyboard.press(key)
        await expect(part).to_have_attribute(
            "aria-valuetext", f"600 {TIMES} 600 pixels, 0 % from the left, 35 % from the top"
        )
        size = dialog.get_by_role("slider", name="Size")
        await expect(size).to_have_value("100")
        await size.press("Home")
        await size.press("ArrowRight")
        await expect(dialog.get_by_role("status")).to_contain_text(
            f"Sandbox gets 150 {TIMES} 150 of 600 {TIMES} 1,200 pixels."
        )
        assert await violations(page, axe) == []
        wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide
        await dialog.get_by_role("button", name="Save").press("Enter")
        await expect(dialog).to_be_hidden()
        await save_draft(page)
        [part_of_sandbox] = (await cuts(owned, page)).values()
        assert [round(part_of_sandbox[name], 4) for name in ("x", "y", "width", "height")] == [
            0.375, 0.5375, 0.25, 0.125,
        ]  # fmt: skip
        await page.reload()
        await page.get_by_role("button", name="Cut key.png").click()
        await dialog.get_by_role("button", name="Whole picture").click()
        await dialog.get_by_role("button", name="Save").click()
        await save_draft(page)
        assert await cuts(owned, page) == {}


async def test_a_part_is_moved_by_pointer_and_shown_in_the_preview(console: OpenPage, author: Any) -> None:
    async with console(locale="en-GB") as page:
        dialog = await compose(page, author, "drag.png")
        await dialog.get_by_role("button", name="1:1", exact=True).click()
        part = dialog.get_by_role("slider", name="Part for Sandbox")
        box = await part.bounding_box()
        assert box
        await page.mouse.move(box["x"] + 10, box["y"] + 10)
        await page.mouse.down()
        await page.mouse.move(box["x"] + 10, box["y"] + 500, steps=5)
        await page.mouse.up()
        await expect(part).to_have_attribute(
            "aria-valuetext", f"600 {TIMES} 600 pixels, 0 % from the left, 50 % from the top"
        )
        await dialog.get_by_role("button", name="Save").click()
        image = page.locator(".pv-frame img")
        await expect(image).to_have_css("inset", re.compile("-"))  # it begins above its frame
        places = (
            "image => [image, image.parentElement].map(each => each.getBoundingClientRect()).map(b => [b.y, b.height])"
        )
        [[top, height], [frame_top, frame_height]] = await image.evaluate(places)
        assert abs(height - 2 * frame_height) < 2
        assert abs(frame_top - top - frame_height) < 2


async def test_what_the_network_covers_is_marked_if_someone_wants_to_see_it(console: OpenPage, author: Any) -> None:
    async with console(locale="en-GB", viewport=PHONE) as page:

        async def as_story(route: Any) -> None:
            answer = await route.fetch()
            listed = await answer.json()
            for platform in listed["data"]:
                [view, *_] = platform["appearance"]["views"]
                view |= {"ratioMin": 0.5625, "ratioMax": 0.5625, "coveredTop": 0.14, "coveredBottom": 0.2}
            await route.fulfill(response=answer, body=json.dumps(listed))

        await page.route("**/api/v1/platforms", as_story)
        dialog = await compose(page, author, "story.png")
        await expect(dialog.get_by_role("status")).to_contain_text("Its frame shows the middle of it, as marked.")
        await expect(dialog.locator(".cut-covered")).to_have_count(0)
        await dialog.get_by_label("Show what the network covers").check()
        await expect(dialog.locator(".cut-covered")).to_have_count(1)
        await expect(dialog.get_by_role("button", name="1:1", exact=True)).to_have_count(0)
        await dialog.get_by_role("button", name="9:16").click()
        await expect(dialog.get_by_role("slider", name="Part for Sandbox")).to_be_visible()


async def test_a_focal_point_is_chosen_for_a_file(console: OpenPage, owned: Api, axe: str) -> None:
    async with console(locale="en-GB", viewport=PHONE) as page:
        await page.goto("/console/media")
        await page.locator('input[type="file"]').set_input_files([photo("focal.png")])
        await page.locator(".media", has_text="focal.png").get_by_role("button", name="focal.png").click()
        dialog = page.get_by_role("dialog", name="focal.png")
        await dialog.get_by_role("button", name="Choose what must stay in view").click()
        point = dialog.get_by_role("slider", name="What must stay in view")
        await expect(point).to_have_attribute("aria-valuetext", "50 % from the left, 50 % from the top")
        box = await point.bounding_box()
        assert box
        assert (box["width"], box["height"]) == (44, 44)
        await point.focus()
        for key in ("Shift+ArrowLeft", "Shift+ArrowDown", "Shift+ArrowDown", "ArrowDown"):
            await page.keyboard.press(key)
        await expect(point).to_have_attribute("aria-valuetext", "40 % from the left, 71 % from the top")
        assert await violations(page, axe) == []
        await dialog.get_by_role("button", name="Save").click()
        await expect(page.locator(".media", has_text="focal.png").locator("img")).to_have_css(
            "object-position", "40% 71%"
        )
        [file] = (await owned.get("/media", params={"q": "focal.png"}))["data"]
        assert file["focalPoint"] == {"x": 0.4, "y": 0.71}


async def test_the_file_that_was_sent_stands_beside_the_original(console: OpenPage, owned: Api, author: Any) -> None:
    async with console(locale="en-GB") as page:
        dialog = await compose(page, author, "sent.png")
        await dialog.get_by_role("button", name="4:5").click()
        await dialog.get_by_role("button", name="Save").click()
        await page.get_by_role("button", name="Publish now").click()
        await page.wait_for_url("**/console/posts/pst_*")

        async def is_there() -> bool:
            [file] = (await owned.get("/media", params={"q": "sent.png"}))["data"]
            return bool(file["variants"])

        await owned.service.until(is_there, "the form that was sent")
        await page.goto("/console/media?q=sent.png")
        await page.locator(".media", has_text="sent.png").get_by_role("button", name="sent.png").click()
        dialog = page.get_by_role("dialog", name="sent.png")
        await expect(dialog.get_by_role("status")).to_contain_text(f"600 {TIMES} 1,200 pixels")
        await dialog.get_by_role("button", name="For Sandbox").click()
        await expect(dialog.get_by_role("status")).to_contain_text(f"600 {TIMES} 750 pixels")
        natural = "image => image.decode().then(() => [image.naturalWidth, image.naturalHeight])"
        assert await dialog.locator("img").first.evaluate(natural) == [600, 750]
