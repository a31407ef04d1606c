"""No text that is stored runs as a script, on no page of the console and on none for the public.

Everything in one browser, on a service in this process: every text of every body is stored, and then every page opened.
"""

import dataclasses
import json
import re
from collections.abc import AsyncIterator
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from playwright.async_api import Browser, BrowserContext, Page
from tests.console import hostile_texts
from tests.console.hostile_texts import MARKUP, store_beside, store_everywhere, table, texts
from tests.console.pages import KEYS, all_of
from tests.console.watch import REPORT, Watch
from tests.console.windows import NO_WORKER
from tests.counterparts.tools import free_port
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.contract import Sample, create_sample
from tests.helpers.factories import Make
from tests.helpers.limits import PAGE_SECONDS
from tests.helpers.served import served

from signalpost.context import AppContext
from signalpost.identity.actions import sign_in, staff
from signalpost.main import app
from signalpost.settings import Settings
from signalpost.web import session_cookie

pytestmark = pytest.mark.xdist_group("browser-pages")
_INIT = "globalThis.hostile = () => console.error('a stored script ran');"
_MADE = """
[...document.querySelectorAll("*")].filter((each) => [...each.attributes].some(({ name, value }) =>
  /^on|^srcdoc$/i.test(name) || (/^(href|src|action|formaction)$/i.test(name) && /^\\s*javascript:/i.test(value))))
  .map((each) => each.outerHTML.slice(0, 200))
"""
"""What only a text that was taken for markup can have made."""
_QUERY = quote(MARKUP)
PUBLIC_PAGES = (
    "/", "/status", f"/status?q={_QUERY}", f"/docs?q={_QUERY}", f"/problems/{_QUERY}", f"/{_QUERY}", "/problems",
    f"/login?next=javascript:hostile()&email={_QUERY}", f"/status/confirm?token={_QUERY}", f"/invites/{_QUERY}",
    f"/platform-invites/{_QUERY}", f"/oidc/callback?error={_QUERY}&error_description={_QUERY}&state=x",
    f"/approvals/{_QUERY}",
)  # fmt: skip
_INVITATION = re.compile(r'"http://[^/"]+(/(?:(?:platform-)?invites|approvals|l)/[^"]+)"')


class Place(NamedTuple):
    """Where every text is stored."""

    url: str
    cookie: dict[str, Any]
    became: dict[tuple[str, str], str]
    invitations: list[str]
    sample: Sample


@pytest.fixture
async def place(settings: Settings, fresh_dsn: str) -> AsyncIterator[Place]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    async with app.open_context(dataclasses.replace(settings, base_url=url), fresh_dsn, url=url) as context:
        application = app.create(context)
        async with Api(application) as api, served(application, port):
            sample = await create_sample(api, Make(context, api))
            became, answers = await store_everywhere(api, sample)
            await store_beside(api, sample)
            found = list(dict.fromkeys(_INVITATION.findall(json.dumps(answers))))
            yield Place(url, await _cookie(context, sample, url), became, found, sample)


async def _cookie(context: AppContext, sample: Sample, url: str) -> dict[str, Any]:
    """Let the owner administer the installation, so that they see every page; sign them in."""
    async with context.database.transaction() as db:
        await staff.make_staff(context, db, sample.owner.email)
        user = sample.owner.user_id
        signed_in = await sign_in.sign_in(context, db, user, "203.0.113.7", "login", second_factor=True)
    value = sign_in.session_cookie(context, signed_in.access_token)
    return {"name": session_cookie.cookie_name(context), "value": value, "url": url, "httpOnly": True}


@pytest.mark.timeout(900)  # a walk through all pages: half a minute of a whole processor
@holds("S21")
async def test_no_stored_text_runs_as_a_script(browser: Browser, place: Place, record: Record) -> None:
    context = await browser.new_context(base_url=place.url)
    context.set_default_timeout(PAGE_SECONDS * 1000)
    await context.add_cookies([place.cookie])  # type: ignore[list-item]
    for script in (_INIT, REPORT, NO_WORKER):
        await context.add_init_script(script)
    made, pages, loaded = list[Any](), list[str](), list[str]()
    picture = f"{place.url}/hostile.png"
    context.on("request", lambda request: loaded.extend([request.url] * request.url.startswith(picture)))
    page = await context.new_page()

    async def look(address: str) -> None:
        pages.append(address)
        made.extend((address, each) for each in await page.evaluate(_MADE))

    with Watch(context, place.url, (), set()) as watch:
        for key in KEYS:
            async for address in all_of(page, key):
                assert "require-trusted-types-for 'script'" in await _policy(context, address)
                await look(address)
        for address in (*PUBLIC_PAGES, *place.invitations):
            await page.goto(address)
            await look(address)
    ran = [error for error in watch.errors if "a stored script ran" in error] + loaded
    # An unknown address is answered with 404; everything else that a page says is wrong.
    violations = [error for error in watch.errors if not error.startswith("404 ") and error not in ran]
    await context.close()

    record(
        "S21",
        tried={"texts": sum(what == "accepted" for what in place.became.values()), "pages": len(pages)},
        measured={"scripts run": len(ran), "violations": len(violations), "elements made": len(made)},
    )
    assert (ran, violations, made) == ([], [], [])
    assert place.became == table(), _differing(place.became)


def _differing(became: dict[tuple[str, str], str]) -> list[str]:
    known = table().items()
    return ["\t".join((*key, what)) for key, what in became.items() if (key, what) not in known]


async def _policy(context: BrowserContext, address: str) -> str:
    answer = await context.request.get(address, headers={"Accept": "text/html"})
    return answer.headers["content-security-policy"]


async def test_the_texts_are_scripts_where_a_page_takes_them_for_markup(page_of_nobody: Page) -> None:
    """Otherwise the test above could not fail."""
    said: list[str] = []
    page_of_nobody.on("console", lambda message: said.append(message.text))
    await page_of_nobody.evaluate("text => { document.body.innerHTML = text; }", MARKUP)
    await page_of_nobody.wait_for_function("globalThis.ran > 0")
    assert len(await page_of_nobody.evaluate(_MADE)) == 3
    assert "a stored script ran" in said


@pytest.fixture
async def page_of_nobody(browser: Browser) -> AsyncIterator[Page]:
    context = await browser.new_context()
    context.set_default_timeout(PAGE_SECONDS * 1000)
    await context.add_init_script(_INIT.replace("=> ", "=> (globalThis.ran = 1) && "))
    page = await context.new_page()
    await page.goto("about:blank")
    yield page
    await context.close()


def test_every_text_of_every_body_has_a_row() -> None:
    """A new one is sent by itself; whether it is accepted or refused is for a person to review."""
    assert list(table()) == list(texts()), hostile_texts.TABLE
