"""Every page of the console for everybody: empty, full and with 10,000 rows, light and dark, from phone to desk.

The pages are taken from the console itself, so a new one is covered without an edit here. The suite looks at each page
once, in turn in each state, scheme and width; `make faults` at all of their combinations.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from itertools import product

import pytest
from playwright.async_api import Page
from tests.console.browser import violations
from tests.console.pages import FIGURES, KEYS, all_of

pytestmark = pytest.mark.xdist_group("browser-pages")
OpenAt = Callable[..., AbstractAsyncContextManager[Page]]
STATES = ("empty", "full", "many")
SCHEMES = ("light", "dark")
WIDTHS = (360, 768, 1280)
SHIFT_MAX = 0.05


def cells(index: int) -> list[tuple[str, str, int]]:
    """Return the looks of the suite for the page with this number: over all pages, each pair of two of them."""
    return [(STATES[index % 3], SCHEMES[index % 2], WIDTHS[(index + index // 3) % 3])]


SUITE = [(key, *cell) for index, key in enumerate(KEYS) for cell in cells(index)]
HEAVY = [
    pytest.param(*cell, marks=[pytest.mark.heavy, pytest.mark.timeout(300)])
    for cell in product(KEYS, STATES, SCHEMES, WIDTHS)
    if cell not in SUITE
]
_STATES_WITHOUT_WORDS = """
[...document.querySelectorAll(".badge")].filter((badge) => !badge.querySelector("svg") || !badge.textContent.trim())
  .map((badge) => badge.outerHTML)
"""
_DRAGGED_ONLY = """
[...document.querySelectorAll('[draggable="true"]')].filter((each) => {
  const place = each.closest("li, td, tr, article, section") ?? each;
  return ![...place.querySelectorAll("button, a")].some((way) => /move/i.test(way.textContent + way.ariaLabel));
}).map((each) => each.outerHTML.slice(0, 200))
"""


def test_the_suite_covers_every_pair() -> None:
    """Of state, scheme and width, over all pages."""
    assert len(KEYS) >= 9
    for one, other in ((1, 2), (1, 3), (2, 3)):
        values = [sorted({cell[place] for cell in SUITE}, key=str) for place in (one, other)]
        assert {(cell[one], cell[other]) for cell in SUITE} == set(product(*values)), (one, other)


@pytest.mark.parametrize(("key", "state", "scheme", "width"), [*SUITE, *HEAVY])
async def test_a_page_is_for_everybody(
    console_at: OpenAt, axe: str, key: str, state: str, scheme: str, width: int
) -> None:
    """axe-core finds nothing; nothing scrolls sideways or jumps; states have words, what is dragged has a button."""
    async with console_at(state, viewport={"width": width, "height": 900}, color_scheme=scheme) as page:
        await page.add_init_script(FIGURES)
        async for address in all_of(page, key):
            assert await page.evaluate("document.documentElement.scrollWidth") <= width, address
            assert await page.evaluate(_STATES_WITHOUT_WORDS) == [], address
            assert await page.evaluate(_DRAGGED_ONLY) == [], address
            figures = await page.evaluate("figures")
            assert figures["shift"] <= SHIFT_MAX, (address, figures)
            assert await violations(page, axe) == [], address
