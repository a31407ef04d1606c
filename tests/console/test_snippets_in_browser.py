"""Snippets in the composer: saved from one post, inserted in another with the client and the day filled in."""

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect
from tests.console.browser import OpenPage, save_draft, violations
from tests.console.pages import sources, visit
from tests.helpers.service_process import Api

pytestmark = pytest.mark.xdist_group("browser-posts")

LINE = "See you on {weekday}, {client}! {link} {place}"
OVERFLOWS = """
[document.scrollingElement, document.querySelector("dialog"), document.querySelector(".dialog-body")]
  .filter((element) => element.scrollWidth > element.clientWidth).map((element) => element.className)
"""


@pytest.fixture(scope="module")
async def clients(owned: Api) -> list[Any]:
    """The second one's posts are in German, at another time than New York's."""
    return [
        await owned.post("/profiles", json={"name": "Rye & Sons", "timezone": "UTC"}),
        await owned.post("/profiles", json={"name": "Café Rye", "timezone": "Europe/Berlin", "language": "de"}),
    ]


async def insert(page: Page, place: Page | Locator | None = None, *, searching: bool = True) -> Locator:
    """Press the button by keyboard, and return the dialog, in which there is something to look for, or nothing yet."""
    await (place or page).get_by_role("button", name="Insert…", exact=True).press("Enter")
    dialog = page.get_by_role("dialog", name="Insert a snippet")
    if searching:
        await expect(dialog.get_by_role("combobox")).to_be_focused()
    return dialog


async def test_a_selection_is_saved_and_inserted_in_a_post_of_another_client(
    console: OpenPage, owned: Api, clients: list[Any], axe: str
) -> None:
    """By keyboard alone. What is seen is what is sent; one key takes it back, and the next one goes on there."""
    bakery, cafe = clients
    async with console(viewport={"width": 1280, "height": 900}) as page:
        await visit(page, f"/console/compose?profileId={bakery['id']}")
        text = page.get_by_label("Text", exact=True)
        await text.fill(f"Good morning\n{LINE}")
        await text.press("Shift+Home")
        dialog = await insert(page, searching=False)
        await dialog.get_by_role("button", name="Save the selected text").press("Enter")
        form = page.get_by_role("dialog", name="New snippet")
        await expect(form.get_by_role("textbox", name="Text")).to_have_value(LINE)
        await expect(form.get_by_text("No variable, stays as it is: {place}.")).to_be_visible()
        await form.get_by_label("Client").select_option(label="All clients")
        assert await violations(page, axe) == []
        await form.get_by_label("Name").fill("Friday")
        await form.get_by_label("Name").press("Enter")
        await expect(page.get_by_role("option", name="Friday")).to_have_attribute("aria-selected", "true")
        await page.keyboard.press("Escape")
        await expect(text).to_be_focused()

        planned = "at=2027-12-03T23:30&timezone=America/New_York"
        await visit(page, f"/console/compose?profileId={cafe['id']}&{planned}")
        await text.fill("Before after")
        await text.press("Control+Shift+ArrowLeft")
        dialog = await insert(page)
        await page.keyboard.type("you FRI")
        shown = "See you on Samstag, Café Rye! {link} {place}"
        await expect(dialog.get_by_role("region", name="As it will stand here")).to_contain_text(shown)
        await expect(dialog.get_by_text("Without a value in this post: {link}.")).to_be_visible()
        assert await violations(page, axe) == []
        await page.keyboard.press("Enter")
        await expect(text).to_have_value(f"Before {shown}")
        await expect(text).to_be_focused()
        await page.keyboard.press("Control+z")
        await expect(text).to_have_value("Before after")
        await page.keyboard.press("Control+y")
        await page.keyboard.type(".")
        await expect(text).to_have_value(f"Before {shown}.")
        await save_draft(page)
        post = await owned.get(f"/posts/{page.url.rpartition('/')[2]}")
    assert post["text"] == f"Before {shown}."


async def test_it_is_inserted_in_the_text_that_is_shown(console: OpenPage, owned: Api) -> None:
    """In that of one account, and in a further part of a thread; the others stay as they are."""
    client = await owned.post("/profiles", json={"name": "Two accounts"})
    names = ("first", "second")
    accounts = {}
    for name in names:
        body = {"profileId": client["id"], "fields": {"username": name}}
        accounts[name] = (await owned.post("/platforms/sandbox/connect", json=body))["id"]
    await owned.post("/snippets", json={"name": "Tags", "text": "\n#one\n#two", "profileId": client["id"]})
    async with console(viewport={"width": 1280, "height": 900}) as page:
        await visit(page, f"/console/compose?profileId={client['id']}")
        await page.get_by_label("Text", exact=True).fill("For all")
        for name in names:
            await page.locator("button.chip", has_text=name).click()
        await page.get_by_role("group", name="Which text").get_by_role("button", name="second").click()
        await page.get_by_label("Text for second").press("Control+End")
        await insert(page, page.locator(".texts"))
        await page.keyboard.type("Tags")
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Text for second")).to_have_value("For all\n#one\n#two")
        await page.get_by_role("button", name="Add a part to the thread").click()
        await page.get_by_label("Text of part 2").fill("Part")
        await insert(page, page.get_by_role("group", name="Part 2"))
        await page.keyboard.type("#one")
        await page.keyboard.press("Enter")
        await expect(page.get_by_label("Text of part 2")).to_have_value("Part\n#one\n#two")
        await save_draft(page)
        post = await owned.get(f"/posts/{page.url.rpartition('/')[2]}")
    texts = {target["accountId"]: target["text"] for target in post["targets"]}
    assert (post["text"], texts[accounts["second"]]) == ("For all", "For all\n#one\n#two")
    assert [part["text"] for part in post["thread"]] == ["Part\n#one\n#two"]


async def test_snippets_are_changed_and_deleted_on_a_phone(console: OpenPage, owned: Api, axe: str) -> None:
    """In German and Spanish too, whose words are longer. What another changed meanwhile is not written over."""
    client = await owned.post("/profiles", json={"name": "Phone"})
    body = {"name": "Hashtags of the whole week", "text": "#" + "bread" * 30, "profileId": client["id"]}
    made = await owned.post("/snippets", json=body)
    async with console(viewport={"width": 360, "height": 740}, expected={412}) as page:
        for language, words in (("es", "Insertar…"), ("de", "Einfügen…")):
            await visit(page, f"/console/compose?profileId={client['id']}&lang={language}")
            await page.get_by_role("button", name=words, exact=True).click()
            await expect(page.get_by_role("option", name=body["name"])).to_be_visible()
            assert (await page.evaluate(OVERFLOWS), await violations(page, axe)) == ([], [])
        await visit(page, f"/console/compose?profileId={client['id']}")
        dialog = await insert(page)
        await page.get_by_role("option", name=body["name"]).click()
        await dialog.get_by_role("button", name=f"Change {body['name']}").click()
        form = page.get_by_role("dialog", name=f"Change {body['name']}")
        await form.get_by_role("textbox", name="Text").fill("#bread")
        await owned.call("PATCH", f"/snippets/{made['id']}", json={"text": "#rye"})
        await form.get_by_role("button", name="Save").click()
        await expect(form.get_by_role("alert")).to_be_visible()
        await page.keyboard.press("Escape")
        await page.keyboard.press("Escape")
        dialog = await insert(page)
        await page.keyboard.type("rye")
        await expect(dialog.get_by_role("region", name="As it will stand here")).to_have_text("#rye")
        await dialog.get_by_role("button", name=f"Delete {body['name']}").click()
        await page.get_by_role("dialog", name=f"Delete {body['name']}?").get_by_role("button", name="Delete").click()
        await expect(page.get_by_role("option", name=body["name"])).to_have_count(0)
    rest = (await owned.get("/snippets", params={"profileId": client["id"]}))["data"]
    assert body["name"] not in {snippet["name"] for snippet in rest}


async def test_only_variables_are_filled_in(console: OpenPage) -> None:
    """Other words in braces, two braces, and what has no value stay as they are, whatever the language of a client."""
    text = "{client} {Year} {link} {{date}} {place} {} {a b} {weekday"
    async with console() as page:
        await visit(page, "/console/compose")
        module = f"{await sources(page)}snippet-variables.js"
        filled, empty, unknown = await page.evaluate(
            """async ([module, text]) => {
                const { emptyIn, fill, unknownIn } = await import(module);
                const values = { client: "{year} & Sons", year: "2027", link: "", date: "x", weekday: "Friday" };
                return [fill(text, values), emptyIn(text, values), unknownIn(text)];
            }""",
            [module, text],
        )
    assert filled == "{year} & Sons 2027 {link} {{date}} {place} {} {a b} {weekday"
    assert (empty, unknown) == (["{link}"], ["{place}"])
