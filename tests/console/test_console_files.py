"""The files of the console: what they weigh, and how they are served."""

import json
import os
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import httpx
import pytest
from tests.console.catalogs import MODULES
from tests.console.pages import FOLDER
from tests.counterparts import tools

from signalpost.console import app_pages
from signalpost.context import AppContext
from signalpost.main import app

WEIGHT_MAX = 50_000
FILES_MAX = 10
ANY_MAX = 205


async def test_the_page_allows_nothing_inline_and_nothing_foreign(visit: httpx.AsyncClient) -> None:
    for path in ("/console", "/console/posts", "/console/posts/pst_1", "/console/developers/webhooks/whk_1"):
        answer = await visit.get(path)
        policy = answer.headers["content-security-policy"]

        assert answer.status_code == 200
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert not re.search(
            r"<style|style=|\son\w+=|<script(?! type=\"module\"( async)? src=\"/assets/console-)", answer.text
        )


async def test_files_are_cached_for_ever_under_an_address_of_their_content(visit: httpx.AsyncClient) -> None:
    page = await visit.get("/console")
    scripts = re.findall(r'<script type="module"(?: async)? src="([^"]+)"', page.text)
    preloaded = re.findall(r'rel="modulepreload" href="([^"]+)"', page.text)

    assert [address.rpartition("/")[2] for address in scripts] == ["begin.js", "app.js"]
    for address in [*scripts, *preloaded]:
        answer = await visit.get(address)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "no-cache" in page.headers["cache-control"]


@pytest.mark.parametrize(
    ("accepted", "encoding"), [("gzip, deflate, br, zstd", "br"), ("gzip, deflate", "gzip"), ("identity", None)]
)
async def test_a_browser_gets_the_smallest_form_that_it_reads(
    visit: httpx.AsyncClient, accepted: str, encoding: str | None
) -> None:
    """Browsers take Brotli over https, and from this machine; Chromium reads it in all other tests."""
    path = f"/assets/console-{app_pages.assets().digest}"
    for name in ("frame.js", "app.css", "networks.svg"):
        async with visit.stream("GET", f"{path}/{name}", headers={"Accept-Encoding": accepted}) as answer:
            assert answer.headers.get("content-encoding") == encoding
            assert answer.headers["vary"] == "accept-encoding"
            sent = [part async for part in answer.aiter_raw()]
        whole = len(app_pages.assets().files[name].body)
        assert len(b"".join(sent)) < whole / 2 if encoding else len(b"".join(sent)) == whole


@pytest.mark.parametrize(
    "path", ["app.js", "frame.js", "pages/home.js", "messages/de/frame.js", "nothing.js", "nothing/at/all.js"]
)
async def test_only_files_of_this_version_are_found(visit: httpx.AsyncClient, path: str) -> None:
    """A page of another version must not get modules of this one, which need each other."""
    digest = app_pages.assets().digest
    ours, others = [await visit.get(f"/assets/console-{one}/{path}") for one in (digest, digest[::-1])]

    assert ours.status_code == (404 if "nothing" in path else 200)
    assert (others.status_code, others.headers["cache-control"]) == (404, "no-store")


def test_a_start_reads_no_file_of_the_console(empty: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading and compressing three hundred of them was a tenth of it."""

    def refuse(*_: object) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr(app_pages, "assets", refuse)
    app.create(empty)


def _closure(name: str) -> set[str]:
    """The module and all that it imports before it runs."""
    modules, waiting = set[str](), [name]
    while waiting:
        current = waiting.pop()
        if current not in modules:
            modules.add(current)
            waiting += app_pages.imports_of(current)
    return modules


@pytest.mark.parametrize(
    ("address", "page"), [("/console", "home"), ("/console/compose/pst_1", "composer"), ("/console/nowhere", "")]
)
async def test_all_modules_of_a_page_are_asked_for_at_once(visit: httpx.AsyncClient, address: str, page: str) -> None:
    """None waits until another one says that it needs it."""
    answer = await visit.get(address)

    preloaded = re.findall(r'rel="modulepreload" href="/assets/console-\w+/([^"]+)"', answer.text)
    assert set(preloaded) == _closure("app.js") | (_closure(f"pages/{page}.js") if page else set())


def test_no_module_needs_itself() -> None:
    """Through no chain of imports, those that load a part when it is opened included."""
    needs = {str(path.relative_to(FOLDER)): _needs(path) for path in MODULES}
    list(TopologicalSorter(needs).static_order())  # raises CycleError, which names the circle

    assert needs["files.js"] >= {"api.js", "pages/media-picker.js"}  # one that runs before it, one when it is opened


def _needs(path: Path) -> set[str]:
    code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    names = re.findall(r'\b(?:from |import\()"(\.[^"]+)"', code)
    return {str((path.parent / name).resolve().relative_to(FOLDER)) for name in names}


def test_the_heaviest_page_weighs_at_most_50_kilobytes() -> None:
    """What it needs before it is shown, script and style together; a page in another language has a catalog besides."""
    files, pages = app_pages.assets().files, app_pages.assets().pages.values()
    needed = {page: _closure("app.js") | _closure(f"pages/{page}.js") | {"app.css"} for page in pages}
    weights = {
        page: (sum(len(files[name].brotli or b"") or WEIGHT_MAX for name in names), len(names))
        for page, names in needed.items()
    }

    assert {page: each for page, each in weights.items() if each[0] > WEIGHT_MAX or each[1] > FILES_MAX} == {}


def test_a_checkout_serves_the_sources_of_what_was_changed_since_it_was_bundled(tmp_path: Path) -> None:
    """And one that never was bundled: both need no tool but Python."""
    package = tmp_path / "signalpost"
    shutil.copytree(tools.CHECKOUT / "src/signalpost", package, ignore=shutil.ignore_patterns("__pycache__", "content"))
    code = (
        "from signalpost.console import app_pages as pages; print('api.js' in pages.assets().files,"
        " 'pages/calendar.js' in pages.modules_of('calendar'), 'api.js' in pages.modules_of(''))"
    )

    def found() -> str:
        command = [sys.executable, "-c", code]
        environment = os.environ | {"PYTHONPATH": str(tmp_path)}
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    static = package / "console/static"
    assert found() == "False True False\n"
    with (static / "console/pages/home.js").open("a") as page:
        page.write("// changed\n")
    assert found() == "True True True\n"
    shutil.rmtree(static / "bundle")
    assert found() == "True True True\n"


def test_the_libraries_are_what_npm_delivers() -> None:
    """Hashes in the lock file of the packages; each library has its licence beside it."""
    done = subprocess.run(
        [sys.executable, tools.CHECKOUT / "scripts/vendor-console", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names = json.loads((FOLDER / "vendor/hashes.json").read_text())
    assert {"LICENSE.preact.txt", "LICENSE.htm.txt", "LICENSE.signals.txt", "LICENSE.qr.txt"} <= names.keys()


def test_no_module_writes_markup_or_leaves_the_api() -> None:
    """Text is never markup, and what a page does goes through the one module that records it."""
    # Pieces of a file; who is signed in, and the form of the sign-in; a call as a program; what the explorer sends;
    # whether this version is still served, and whether anything is; what is asked before that module is there.
    allowed = {"api.js", "upload.js", "store.js", "session-dialog.js", "samples.js", "explorer.js"}
    allowed |= {"recovery.js", "offline.js", "begin.js"}
    for path in MODULES:
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\(", source), path
        assert path.name in allowed or "fetch(" not in source, path


def test_types_leave_less_and_less_open() -> None:
    """`any` in the types of comments. The limit only falls: who types a page lowers it."""
    comments = re.compile(r"/\*\*.*?\*/", re.DOTALL)
    count = sum(
        len(re.findall(r"\bany\b(?![-\w ])", comment))
        for path in MODULES
        for comment in comments.findall(path.read_text(encoding="utf-8"))
    )

    assert count <= ANY_MAX


def test_the_pages_that_addresses_name_exist() -> None:
    """No key, link or command leads to a page that is not there."""
    source = (FOLDER / "app.js").read_text(encoding="utf-8")
    table = source[source.index("const PAGES") : source.index("});", source.index("const PAGES"))]
    pages = dict(re.findall(r'^  "?(\w*)"?: "([\w-]+)",$', table, re.MULTILINE))
    assert {name for name in pages.values() if not (FOLDER / f"pages/{name}.js").exists()} == set()
    texts = [path.read_text(encoding="utf-8") for path in MODULES]
    assert {name for text in texts for name in re.findall(r'\b(?:go|to)\(["`](\w*)', text)} - pages.keys() == set()
