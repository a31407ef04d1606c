"""Whoever may not do a thing does not see its button: each role visits every page and presses whatever it finds.

What `roles.tsv` lets the role do is answered here, so that nothing changes; everything else goes to the service, which
must never say that the role may not.
"""

import csv
import re
import secrets
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, Request, Route, expect
from tests.console.browser import OpenPage, sign_in
from tests.console.pages import KEYS, all_of, visit
from tests.console.watch import API, called
from tests.console.world import Person, Place
from tests.counterparts import tools
from tests.helpers.limits import TEST_SECONDS
from tests.helpers.service_process import Api

from signalpost.console import app_pages

pytestmark = pytest.mark.xdist_group("browser-pages")
ROLES = ("admin", "editor", "contributor", "approver", "viewer")
OWN = ("/auth/", "/team/leave")
"""What everybody does with their own account, and what would end the visit."""
EXPLORER = "/console/developers/explorer"
"""It sends any operation, and says before which the role does not include."""
REFUSALS = {400, 402, 404, 409, 410, 412, 422, 428, 429}
"""What may be answered to a button that was pressed without filling in anything; 403 may not."""
ANSWERED = {"type": "about:blank", "title": "Answered by the test", "status": 422, "code": "validation_failed"}

_PRESS = """async ([index, modules, keeping]) => {
  const app = document.querySelector("script[type=module]").src;
  await Promise.all(modules.map((name) => import(app.replace("app.js", name))));
  const frames = async () => { for (let n = 0; n < 4; n += 1) await new Promise(requestAnimationFrame); };
  const able = (button) => button.checkVisibility() && !button.disabled && button.ariaDisabled !== "true";
  const found = [...document.querySelectorAll("main button, main summary")].filter(able);
  const button = found[index];
  if (!button) return null;
  const name = button.ariaLabel ?? button.textContent.trim();
  const address = location.href;
  button.click();
  await frames();
  for (let n = 0; n < 4; n += 1) {
    const acts = [...document.querySelectorAll("dialog[open] footer button")].filter(able)
      .filter((act) => !keeping.includes(act.textContent.trim()));
    if (!acts[n]) break;
    acts[n].click();
    await frames();
  }
  for (const dialog of document.querySelectorAll("dialog[open]"))
    dialog.dispatchEvent(new Event("cancel", { cancelable: true }));
  await frames();
  return [name, location.href !== address];
}"""
KEEPING = ("Cancel", "Keep", "Keep it", "Not now", "Stay", "Close", "Done")
"""On buttons that close a dialog and do nothing."""
_LINKS = '[...document.querySelectorAll("main a")].map((link) => new URL(link.href).pathname)'


def allowed(role: str) -> set[str]:
    with (tools.CHECKOUT / "tests/contract/roles.tsv").open() as file:
        return {row["endpoint"] for row in csv.DictReader(file, delimiter="\t") if row[role] == "yes"}


async def member(owned: Api, person: Person, role: str) -> dict[str, Any]:
    """Return what the browser of a new member with this role has stored."""
    email = f"{role}-{secrets.token_hex(4)}@example.test"
    invited = await person.post("/team/invite", {"email": email, "role": role})
    token = invited["inviteUrl"].rpartition("/")[2]
    body = {"name": f"Robin {role}", "password": "correct horse battery"}
    async with httpx.AsyncClient(base_url=f"{owned.service.base_url}/api/v1", timeout=TEST_SECONDS) as client:
        accepted = await client.post(f"/team/invites/{token}/accept", json=body)
    assert accepted.status_code == 200, accepted.text
    return await sign_in(owned.service, email)


class Visitor:
    """A member who presses every button of a page, and hears what is refused."""

    def __init__(self, page: Page, role: str) -> None:
        self.page = page
        self.allowed = allowed(role)
        self.pressed = 0
        self.compose: set[str] = set()
        self.doing = ""
        self.refused: list[str] = []

    async def begin(self) -> None:
        await self.page.route(lambda url: f"{API}/" in url, self._answer)

    async def _answer(self, route: Route, request: Request) -> None:
        operation = called(request.method, request.url)
        assert operation, request.url
        is_own = operation.path.startswith(OWN)
        if request.method != "GET" and (is_own or f"{operation.method} {operation.path}" in self.allowed):
            await route.fulfill(status=422, content_type="application/problem+json", json=ANSWERED)
            return
        if request.method == "GET":
            await route.continue_()
            return
        answer = await route.fetch()
        if answer.status == 403:
            self.refused.append(f"{self.doing}: {operation.method} {operation.path}")
        await route.fulfill(response=answer)

    async def press_all(self, address: str, key: str) -> None:
        """Press each button that is there, and each one of the dialogs that open."""
        modules = [name for name in app_pages.assets().files if re.match(rf"pages/{key or 'home'}-.*\.js", name)]
        links = await self.page.evaluate(_LINKS)
        self.compose |= {link for link in links if link.startswith("/console/compose/")}
        index = 0
        while True:
            self.doing = f"{address} button {index}"
            pressed = await self.page.evaluate(_PRESS, [index, modules, list(KEEPING)])
            if pressed is None:
                return
            self.doing, index, self.pressed = f"{address} {pressed[0]}", index + 1, self.pressed + 1
            if pressed[1]:
                await visit(self.page, address)


@pytest.mark.heavy  # a minute for each role
@pytest.mark.timeout(400)
@pytest.mark.parametrize("role", ROLES)
async def test_no_visible_button_is_refused(
    open_page: OpenPage, owned: Api, signed_in: dict[str, Any], places: dict[str, Place], role: str
) -> None:
    """And no page asks for what the role may not read, wherever it comes from."""
    person = Person(owned.service, signed_in["cookies"][0]["value"]).at(places["full"].workspace)
    state = await member(owned, person, role)
    chosen = [{"name": "workspace", "value": places["full"].workspace}]
    state |= {"origins": [{"origin": owned.service.base_url, "localStorage": chosen}]}
    async with open_page(at=owned.service, storage_state=state, expected=REFUSALS) as page:
        visitor = Visitor(page, role)
        await visitor.begin()
        for key in KEYS:
            async for address in all_of(page, key):
                if not address.startswith(EXPLORER):
                    await visitor.press_all(address, {"compose": "composer"}.get(key, key))
        for address in sorted(visitor.compose)[:2]:
            await visit(page, address)
            await visitor.press_all(address, "composer")
        assert visitor.refused == []
        assert visitor.pressed > 15
        await page.unroute_all(behavior="wait")


@pytest.mark.parametrize("role", ["contributor", "approver"])
async def test_home_begins_with_what_waits_for_this_person(
    open_page: OpenPage, owned: Api, signed_in: dict[str, Any], role: str
) -> None:
    """An approver reads first what to decide, and of no repair that is not theirs; a contributor of neither."""
    here = Person(owned.service, signed_in["cookies"][0]["value"])
    workspace = (await here.post("/workspaces", {"name": f"For {role}", "timezone": "Europe/Berlin"}))["id"]
    here = here.at(workspace)
    profile = (await here.call("GET", "/profiles"))["data"][0]["id"]
    await here.post("/platforms/sandbox/connect", {"profileId": profile, "fields": {"username": "shop"}})
    body = {"profileId": profile, "platforms": ["sandbox"]}
    failed = await here.post("/posts", body | {"text": "Burnt [[fail:content_rejected]]"})
    asked = await here.post("/posts", body | {"text": "Please approve", "draft": True})
    await here.post(f"/posts/{asked['id']}/request-approval", {"version": asked["version"]})

    async def ended() -> bool:
        return bool((await here.call("GET", f"/posts/{failed['id']}/status"))["status"] == "failed")

    await owned.service.until(ended, "failed post")
    state = await member(owned, here, role)
    state |= {
        "origins": [{"origin": owned.service.base_url, "localStorage": [{"name": "workspace", "value": workspace}]}]
    }
    async with open_page(at=owned.service, storage_state=state) as page:
        await visit(page, "/console")
        await expect(page.get_by_role("heading", name="Next 24 hours")).to_be_visible()
        first = page.locator(".repairs li")
        decides = role == "approver"
        await expect(first).to_have_count(int(decides))
        if decides:
            await expect(first).to_contain_text("Please approve")
        await expect(page.get_by_role("link", name="Repair Burnt")).to_have_count(0)
        await expect(page.get_by_role("link", name="Developers", exact=True)).to_have_count(0)
        await expect(page.get_by_role("link", name="Write a post")).to_have_count(int(not decides))
