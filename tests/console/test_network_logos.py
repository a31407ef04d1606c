"""The marks of the networks: one for each, to be seen on every ground, in one small file that loads nothing."""

import gzip
import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
from playwright.async_api import Page, expect
from tests.console import colours
from tests.console.pages import settled

from signalpost import networks
from signalpost.console import app_pages
from signalpost.networks import PLATFORMS

SHEET = (colours.FOLDER / "networks.svg").read_text(encoding="utf-8")
SYMBOL = re.compile(
    r'<symbol id="(\w+)" viewBox="0 0 24 24"><path fill="light-dark\((#\w{6}),(#\w{6})\)"(?: fill-rule="evenodd")?'
    r' d="([\w .-]+)"/></symbol>'
)
MARKS = {key: (light, dark) for key, light, dark, _ in SYMBOL.findall(SHEET)}
BYTES_MAX = 6_000
PAINTED = """() => {
  const marks = [...document.querySelectorAll("main svg.logo use")];
  return marks.length > 0 && marks.every((mark) => mark.getBBox().width > 4);
}"""


def test_every_network_has_its_mark() -> None:
    script = (colours.FOLDER / "components/network-logo.js").read_text(encoding="utf-8")
    drawn = " ".join(re.findall(r'"([a-z_ ]+)"[ +;]', script.partition("const DRAWN =")[2].partition(";")[0] + ";"))

    assert list(MARKS) == list(PLATFORMS) == drawn.split()


def test_every_network_is_spelled_as_it_spells_itself() -> None:
    """Also on pages that have not read the list of networks: by a table of names, or by the key."""
    script = (colours.FOLDER / "store.js").read_text(encoding="utf-8")
    names = dict(
        re.findall(r'^  (\w+): "(.+)",$', script.partition("const NAMES =")[2].partition("});")[0], re.MULTILINE)
    )
    of_keys = {key: names.get(key, key.capitalize()) for key in PLATFORMS}

    assert of_keys == {key: networks.name_of(key) for key in PLATFORMS}


def test_the_file_is_drawings_and_nothing_else() -> None:
    rest = re.sub(r"<!--.*?-->", "", SYMBOL.sub("", SHEET), flags=re.DOTALL)

    assert rest.split() == ["<svg", 'xmlns="http://www.w3.org/2000/svg">', "</svg>"]
    assert len(gzip.compress(app_pages.assets().files["networks.svg"].body, mtime=0)) <= BYTES_MAX


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_mark_is_seen_on_every_ground(scheme: int) -> None:
    """As text on the grounds of pages; WCAG 2.2 asks 3 of graphics, which holds on the tints of states."""
    tokens = colours.tokens(scheme)
    grounds = dict.fromkeys(("paper", "canvas", "raised", "accent-soft"), 4.5)
    grounds |= dict.fromkeys(("ok-soft", "bad-soft", "warn-soft", "info-soft", "unknown-soft"), 3)

    assert [
        (key, ground)
        for key, mark in MARKS.items()
        for ground, least in grounds.items()
        if colours.contrast(mark[scheme], tokens[ground]) < least
    ] == []


async def test_the_file_is_served_beside_the_modules(visit: httpx.AsyncClient) -> None:
    answer = await visit.get(f"/assets/console-{app_pages.assets().digest}/networks.svg")

    assert (answer.status_code, answer.text) == (200, SHEET)
    assert answer.headers["content-type"] == "image/svg+xml; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.xdist_group("browser")
async def test_marks_are_painted_beside_the_names_of_accounts(
    console_at: Callable[..., AbstractAsyncContextManager[Page]],
) -> None:
    """A mark whose file is not there, or not allowed, has no size."""
    async with console_at("full") as page:
        await page.goto("/console/accounts")
        await settled(page)
        await page.wait_for_function(PAINTED)
        await expect(page.locator("main svg.logo:not([aria-hidden])")).to_have_count(0)
