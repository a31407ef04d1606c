"""The documentation as a folder: complete, links whole, searched from a disk, under a strict policy, in versions."""

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from markdown_it import MarkdownIt
from playwright.async_api import Browser, Page, expect
from tests.console.browser import OpenPage, violations
from tests.counterparts.tools import CHECKOUT, free_port
from tests.helpers.limits import PAGE_SECONDS
from tests.helpers.scripts import script

from signalpost.console.docs import EXAMPLE_URL, Documentation
from signalpost.console.docs_site import DeadLinks, DocsSite
from signalpost.console.openapi import openapi_document
from signalpost.kit.problems import Problem
from signalpost.main import wiring

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser-services")]

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'"
OLD, NEXT = "0.9.0", "next"
DOCUMENT = openapi_document(wiring.endpoints(), base_url=EXAMPLE_URL, version="0", brand="Service")
PROJECT = {
    path: (CHECKOUT / "docs" / f"{path}.md").read_text()
    for path in ("comparison", "roadmap", "../RELIABILITY", "performance", "glossary")
}
DOCS = Documentation(lambda: DOCUMENT, "", lambda: EXAMPLE_URL, PROJECT)
KINDS = (
    "index.html", "search.html?q=retry", "guides/monitor.html", "guides/networks/threads.html",
    "reference/networks.html", "api/webhooks.html", "api/events.html", "problems/index.html",
    "problems/validation_failed.html", "../versions.html",
)  # fmt: skip
"""A page of each kind."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder as `make docs-site` writes it in a repository with a tag, and one guide that came later."""
    checkout = tmp_path_factory.mktemp("checkout")
    for name in ("src", "docs"):
        shutil.copytree(CHECKOUT / name, checkout / name, symlinks=True, ignore=shutil.ignore_patterns("*.egg-info"))
    (checkout / "scripts").mkdir()
    for name in ("scripts/build-docs-site", "pyproject.toml", ".gitignore"):
        shutil.copy2(CHECKOUT / name, checkout / name)
    git = partial(subprocess.run, cwd=checkout, check=True, capture_output=True)
    git(["git", "init", "--quiet"])
    shutil.copy2(CHECKOUT / "RELIABILITY.md", checkout)
    git(["git", "add", "."])
    name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.test"]
    git(["git", *name, "commit", "--quiet", "--message", "First"])
    git(["git", "tag", f"v{OLD}"])
    git(["git", "tag", "not-a-version"])
    (checkout / "docs" / "guides" / "later.md").write_text("# Later\n\nOnly the [next](operate.md) version has this.\n")
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "scripts/build-docs-site", "--out", str(out)]
    done = git(command, env={**os.environ, "PYTHONPATH": f"{checkout}/src"})
    assert f"{NEXT}, {OLD}" in done.stdout.decode()
    return out


def test_a_version_comes_before_its_pre_releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = partial(subprocess.run, cwd=tmp_path, check=True, capture_output=True)
    git(["git", "init", "--quiet"])
    git(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.test", "commit", "-qm", "1", "--allow-empty"])
    newest_first = ["v1.10.0", "v1.1.0", "v1.1.0rc1", "v1.0.0", "v1.0.0rc10", "v1.0.0rc2", "v1.0.0b1", "v1.0.0a1"]
    for name in (*sorted(newest_first), "very", "v1.0", "v1.0.0-later"):
        git(["git", "tag", name])
    builder = script("build-docs-site")
    monkeypatch.setattr(builder, "CHECKOUT", tmp_path)

    assert builder.tags() == newest_first


@pytest.fixture(scope="module")
def hosted(site: Path) -> Iterator[str]:
    """The address of a static host that allows nothing but files of its own."""

    class Handler(SimpleHTTPRequestHandler):
        def end_headers(self) -> None:
            self.send_header("Content-Security-Policy", POLICY)
            super().end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", free_port()), partial(Handler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_every_link_leads_to_a_file_and_a_place_in_it(site: Path) -> None:
    texts = {file: file.read_text() for file in site.rglob("*.html")}
    anchors = {file: set(re.findall(r'\sid="([^"]+)"', text)) for file, text in texts.items()}
    links = [
        (file, link)
        for file, text in texts.items()
        for link in re.findall(r'<[^>]*?\b(?:href|src|action)="([^"]+)"', text)
        if not link.startswith(("http://", "https://"))
    ]
    dead = []
    for file, link in links:
        parts = urlsplit(urljoin(file.as_uri(), link))
        target = Path(parts.path)
        if not target.is_file() or (parts.fragment and parts.fragment not in anchors[target]):
            dead.append((str(file.relative_to(site)), link))

    assert dead == []
    assert len(links) > 10_000
    assert not any("<script>" in text or "style=" in text or " onclick" in text for text in texts.values())


def test_dead_links_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    page = "# Roadmap\n\n[No such place](guides/operate.md#nowhere), [no such error](reference/errors.md#no_code)\n"
    with pytest.raises(DeadLinks) as refused:
        DocsSite(DOCUMENT, NEXT, {"roadmap": page}).write(tmp_path)

    assert {line for line in str(refused.value).splitlines() if ".html" in line} == {
        "roadmap.html: guides/operate.html#nowhere",
        "roadmap.html: /problems/no_code",
    }
    assert list(tmp_path.iterdir()) == []


def test_the_folder_has_every_page_of_the_service(site: Path) -> None:
    pages = {str(file.relative_to(site / OLD).with_suffix("")) for file in (site / OLD).rglob("*.html")}

    assert pages == {
        "index", "search", "problems/index", "comparison", "roadmap", "reliability", "performance", "glossary",
        *(f"guides/{name}" for name in DOCS.guides),
        *(f"reference/{name}" for name in DOCS.tables),
        *(f"api/{slug}" for slug in DOCS.groups),
        *(f"problems/{code}" for code in Problem.registry),
    }  # fmt: skip
    assert "guides/networks/threads" in pages


def test_every_page_but_the_search_has_its_twin_in_markdown(site: Path) -> None:
    """It says the same: a text leads to the same pages as its HTML."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for page in (site / NEXT).rglob("*.html"):
        if page.name == "search.html":
            continue
        twin = page.with_suffix(".md").read_text()
        assert twin.startswith("# "), page
        if article := re.search(r'<article class="prose">(.*)<p class="soft">', page.read_text(), re.DOTALL):
            found = [
                str(token.attrGet("href"))
                for block in markdown.parse(twin)
                for token in block.children or ()
                if token.type == "link_open"
            ]
            shown = [link.replace("&amp;", "&") for link in re.findall(r'<a href="([^"]+)"', article[1])]
            pages = [link if link.startswith("http") else re.sub(r"\.md(?=#|$)", ".html", link) for link in found]
            assert pages == shown, page


def test_programs_find_every_twin(site: Path) -> None:
    contents = (site / NEXT / "llms.txt").read_text()
    listed = {link for link in re.findall(r"\]\(([^)]+)\)", contents) if link.endswith(".md")}
    full = (site / NEXT / "llms-full.txt").read_text()
    twins = {str(file.relative_to(site / NEXT)) for file in (site / NEXT).rglob("*.md")}

    assert contents.startswith("# Signalpost\n\n> ")
    assert listed == {twin for twin in twins if not twin.startswith("problems/")} - {"index.md"} | {"problems/index.md"}
    for twin in twins:
        assert (site / NEXT / twin).read_text().partition("\n")[0] in full, twin
    create = (site / NEXT / "api" / "posts.md").read_text().partition('<a id="createPost"></a>')[2]
    assert "`POST /posts`" in create.partition("<a id=")[0]
    assert "- `profileId` (string (up to 64 characters), required): The profile to post from." in create


QUERIES = (
    "create post",
    "CREATE webhook",
    "rate_limited",
    "SIGNALPOST_SMTP_URL",
    "webhooks verify",
    "c++ (",
    "ümlaut .*",
    "quokka",
)


FOUND = """async query =>
  (await findInDocs(query)).flatMap(part => [...part.querySelectorAll("a")].map(link => link.textContent))"""


async def test_the_search_finds_what_that_of_the_service_finds_from_a_folder(browser: Browser, site: Path) -> None:
    """Without a server: a page of a disk may run scripts, and fetch nothing."""
    context = await browser.new_context()
    context.set_default_timeout(PAGE_SECONDS * 1000)
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    await page.goto((site / OLD / "problems" / "index.html").as_uri())
    for query in QUERIES:
        assert await page.evaluate(FOUND, query) == [result.title for result in DOCS.search(query)], query

    await page.keyboard.press("/")
    await page.keyboard.type("validate post")
    await page.get_by_role("search").get_by_role("link", name="Validate post").click()
    await page.wait_for_url("**/api/posts.html#validatePost")
    await page.get_by_role("searchbox").fill("metrics token")
    await page.get_by_role("searchbox").press("Enter")
    await page.wait_for_url("**/search.html?q=metrics+token")
    await expect(page.locator("#results a").first).to_be_visible()
    await context.close()
    assert errors == []


async def test_the_pages_work_under_a_strict_policy_in_each_version(hosted: str, open_page: OpenPage) -> None:
    async with open_page(at=SimpleNamespace(base_url=hosted)) as page:
        await page.goto(hosted)
        await page.wait_for_url(f"{hosted}/{OLD}/index.html")  # the newest release
        await page.get_by_role("main").get_by_role("link", name="Monitor").click()
        await _choose(page, "next (")
        await page.wait_for_url(f"{hosted}/{NEXT}/guides/monitor.html")
        await page.goto(f"{hosted}/{NEXT}/guides/later.html")
        await _choose(page, OLD)
        await page.wait_for_url(f"{hosted}/{OLD}/index.html")  # that version has no such page
        await page.get_by_role("searchbox").fill("later")
        await expect(page.get_by_role("search").get_by_role("link").first).to_be_visible()


async def _choose(page: Page, version: str) -> None:
    menu = page.locator(".versions")
    await menu.locator("summary").click()
    await menu.get_by_role("link", name=version).click()


async def test_without_scripts_the_versions_are_a_page(hosted: str, open_page: OpenPage) -> None:
    async with open_page(at=SimpleNamespace(base_url=hosted), java_script_enabled=False) as page:
        await page.goto(f"{hosted}/{NEXT}/guides/monitor.html")
        await page.locator(".versions summary").click()
        await page.get_by_role("link", name="All versions").click()
        await page.get_by_role("link", name=OLD).click()
        await page.wait_for_url(f"{hosted}/{OLD}/index.html")
        await page.goto(f"{hosted}/{NEXT}/search.html")
        assert await page.get_by_text("needs JavaScript").is_visible()


@pytest.mark.parametrize("kind", KINDS)
async def test_pages_are_accessible_at_every_size(hosted: str, open_page: OpenPage, axe: str, kind: str) -> None:
    """axe-core finds nothing in either colour scheme, with the versions open, and nothing scrolls sideways."""
    async with open_page(at=SimpleNamespace(base_url=hosted), bypass_csp=True) as page:
        await page.goto(f"{hosted}/{NEXT}/{kind}")
        if (menu := page.locator(".versions summary")) and await menu.count():
            await menu.click()
            await expect(page.locator(".versions [aria-current]")).to_be_visible()
        for width, scheme in ((360, "dark"), (1280, "light")):
            await page.set_viewport_size({"width": width, "height": 900})
            await page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            if width == 360:
                assert await violations(page, axe) == []
            else:
                assert await violations(page, axe, only=("color-contrast-enhanced", "target-size")) == []
            assert await page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.heavy
@pytest.mark.timeout(300)
async def test_no_page_scrolls_sideways_on_a_phone(browser: Browser, site: Path) -> None:
    """Each guide, table and group has words of its own; pages of errors are all of one kind."""
    page = await browser.new_page(viewport={"width": 360, "height": 800})
    pages = [file for file in sorted((site / NEXT).rglob("*.html")) if file.parent.name != "problems"]
    widths = {}
    for file in pages:
        await page.goto(file.as_uri(), wait_until="domcontentloaded")
        widths[file.name] = await page.evaluate("document.documentElement.scrollWidth")
    await page.close()

    assert {name: width for name, width in widths.items() if width > 360} == {}
    assert len(pages) > 80
