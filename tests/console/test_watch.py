"""The watch over pages in the browser sees what it is for; without it a broken page could pass a test."""

import pytest
from tests.console.browser import OpenPage
from tests.console.watch import operation_of

pytestmark = pytest.mark.xdist_group("browser")

WRONG = {
    "console: it broke": "console.error('it broke')",
    "console: take care": "console.warn('take care')",
    "thrown: .*in a timer": "setTimeout(() => { throw new Error('in a timer') })",
    "thrown: .*nobody": "Promise.reject(new Error('nobody caught it'))",
    "console: .*TrustedHTML": "try { document.body.innerHTML = '<b>x</b>' } catch { }",
    "console: .*TrustedScript": "try { document.createElement('script').text = '1' } catch { }",
    "policy: style-src-attr inline": "document.body.setAttribute('style', 'color: red')",
    "policy: connect-src https://example.com": "await fetch('https://example.com/').catch(() => 0)",
    "404 .*nothing.js": "await fetch('/assets/nothing.js')",
    "undocumented: GET .*nothing": "await fetch('/api/v1/nothing')",
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_what_a_page_does_wrong_fails_its_test(console: OpenPage, wrong: str) -> None:
    async def do_it() -> None:
        async with console() as page:
            await page.goto("/console/nowhere")
            await page.get_by_role("heading", name="Not found").wait_for()
            await page.evaluate(f"async () => {{ {WRONG[wrong]}; await new Promise(done => setTimeout(done, 1)) }}")

    with pytest.raises(AssertionError, match=wrong):
        await do_it()


def test_an_operation_is_known_by_its_method_and_path() -> None:
    assert operation_of("GET", "http://x/api/v1/posts?limit=1") == "listPosts"
    assert operation_of("GET", "http://x/api/v1/posts/stats") == "getPostStats"
    assert operation_of("GET", "http://x/api/v1/posts/pst_1") == "getPost"
    assert operation_of("PUT", "http://x/api/v1/posts/pst_1") is None
    assert operation_of("GET", "http://x/api/v1/posts/pst_1/nothing") is None
