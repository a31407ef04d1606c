"""When a page of the console is useful: `python -m bench.console [--quick]`. Starts a service on a temporary folder.

Each page is opened in the browser of the tests: first by somebody who was never there, whose browser has nothing, then
again with the modules in its cache. Measured is the time from the navigation until the page shows what it is for: its
heading, and nothing that still loads. Floor: the same content as one static page with the same styles, from a bare app
on the same server. Beside it, what the time is made of: requests until then and how many of them wait for another one,
what they weigh, and the time that scripts run.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import uvloop
from granian.constants import Interfaces
from granian.server.embed import Server
from playwright.async_api import Browser, Page, async_playwright
from tests.console.pages import FIGURES, settled
from tests.counterparts import tools

from bench.load import free_port
from bench.service import Service, created, ended, healthy, serving, temporary_folder
from signalpost.console import app_pages

ROUNDS = 9
PAGES = ("", "posts", "calendar", "compose", "accounts", "analytics", "developers", "team")
POSTS = 12
GOAL_MS = 1000
_CONTENT = """
() => {
  const copy = document.documentElement.cloneNode(true);
  copy.querySelectorAll("script, link[rel=modulepreload], link[rel=icon], dialog").forEach((each) => each.remove());
  copy.querySelector("link[rel=stylesheet]").setAttribute("href", "/app.css");
  return "<!doctype html>" + copy.outerHTML;
}
"""
_NEEDED = """
() => performance.getEntriesByType("resource").filter((each) => each.responseEnd <= figures.shown)
  .map(({ startTime, responseEnd, transferSize }) => [startTime, responseEnd, transferSize])
"""


class View(NamedTuple):
    """One opened page."""

    shown_ms: float
    requests: int
    in_series: int
    kilobytes: float
    script_ms: float


async def floor_app(folder: Path, port: int) -> None:
    """Serve the files of the folder, from memory."""
    files = {f"/{path.name}": path.read_bytes() for path in folder.iterdir()}  # noqa: ASYNC240 - before it serves

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        path = scope["path"]
        kind = b"text/css" if path.endswith(".css") else b"text/html; charset=utf-8"
        body = files.get(path, b"")
        headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    server = Server(
        app, address="127.0.0.1", port=port, interface=Interfaces.ASGINL, log_enabled=False, websockets=False
    )
    await server.serve()


@contextmanager
def floor(folder: Path, port: int) -> Iterator[None]:
    """Run the floor until the block ends."""
    process = subprocess.Popen([sys.executable, "-m", "bench.console", "--floor", str(folder), str(port)])
    with ended(process):
        healthy(f"http://127.0.0.1:{port}/", process)
        yield


def furnish(service: Service) -> str:
    """Make what the pages show; return the cookie of a session."""
    client, profile = service.create_owner()
    with client:
        created(client, "/platforms/sandbox/connect", {"profileId": profile, "fields": {"username": "bakery"}})
        for number in range(POSTS):
            mode = {"publishMode": "draft"} if number % 3 == 0 else {}
            text = f"Warm cinnamon rolls, batch {number}"
            created(client, "/posts", {"profileId": profile, "platforms": ["sandbox"], "text": text} | mode)
        busy = True
        while busy:
            stats = client.get("/posts/stats").json()["byStatus"]
            busy = any(stats.get(status) for status in ("scheduled", "queued", "publishing", "processing"))
            time.sleep(0.05)  # noqa: TID251 - nothing else runs here
    form = {"email": "bench@example.test", "password": "not a secret at all", "code": ""}
    answer = httpx.post(f"http://127.0.0.1:{service.port}/login", data=form)
    return answer.headers["set-cookie"].partition("=")[2].partition(";")[0]


async def view(page: Page, url: str) -> View:
    """Open the page; return what it took."""
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("Performance.enable")
    await page.goto(url)
    await settled(page)
    needed = await page.evaluate(_NEEDED)
    shown = await page.evaluate("figures.shown")
    metrics = {each["name"]: each["value"] for each in (await devtools.send("Performance.getMetrics"))["metrics"]}
    await devtools.detach()
    kilobytes = sum(size for *_, size in needed) / 1000
    return View(shown, len(needed), _in_series(needed), kilobytes, metrics["ScriptDuration"] * 1000)


def _in_series(requests: list[tuple[float, float, int]]) -> int:
    """Return the length of the longest chain of requests in which each begins after the one before has ended."""
    chains: list[tuple[float, int]] = []  # end of a request, and how long the chain is then
    for begun, ended_at, _ in sorted(requests):
        chains.append((ended_at, 1 + max((length for end, length in chains if end <= begun), default=0)))
    return max((length for _, length in chains), default=0)


async def opened(browser: Browser, base_url: str, cookie: str, key: str) -> tuple[View, View, str]:
    """Open a page with an empty cache, and again; return both, and its content."""
    context = await browser.new_context(base_url=base_url, viewport={"width": 1280, "height": 900})
    await context.add_cookies([{"name": "session", "value": cookie, "url": base_url}])
    await context.add_init_script(FIGURES)
    page = await context.new_page()
    first = await view(page, f"/console/{key}".rstrip("/"))
    content = await page.evaluate(_CONTENT)
    again = await view(page, f"/console/{key}".rstrip("/"))
    await context.close()
    return first, again, content


async def floor_view(browser: Browser, base_url: str, key: str) -> View:
    context = await browser.new_context(base_url=base_url, viewport={"width": 1280, "height": 900})
    await context.add_init_script(FIGURES)
    found = await view(await context.new_page(), f"/{key or 'home'}.html")
    await context.close()
    return found


async def measure(service: Service, folder: Path, rounds: int) -> None:
    """Print the table: product and floor take turns."""
    base_url, cookie, port = f"http://127.0.0.1:{service.port}", furnish(service), free_port()
    (folder / "app.css").write_bytes(app_pages.assets().files["app.css"].body)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=tools.browser(), args=["--no-sandbox"])
        for key in PAGES:
            *_, content = await opened(browser, base_url, cookie, key)
            (folder / f"{key or 'home'}.html").write_text(content)
        with floor(folder, port):
            print("| page | floor, ms | first visit, ms | ratio | again, ms | requests | in series | kB | script, ms |")
            print("|---|---|---|---|---|---|---|---|---|")
            for key in PAGES:
                views = [await opened(browser, base_url, cookie, key) for _ in range(rounds)]
                floors = [await floor_view(browser, f"http://127.0.0.1:{port}", key) for _ in range(rounds)]
                _print(key or "home", [each[0] for each in views], [each[1] for each in views], floors)
        await browser.close()


def _print(name: str, first: list[View], again: list[View], floors: list[View]) -> None:
    shown, least = (statistics.median(each.shown_ms for each in found) for found in (first, floors))
    warm = statistics.median(each.shown_ms for each in again)
    typical = sorted(first)[len(first) // 2]
    print(
        f"| {name} | {least:.0f} | {shown:.0f} | {shown / least:.1f} | {warm:.0f} | {typical.requests}"
        f" | {typical.in_series} | {typical.kilobytes:.0f} | {typical.script_ms:.0f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--floor", nargs=2, metavar=("FOLDER", "PORT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.floor:
        uvloop.run(floor_app(Path(options.floor[0]), int(options.floor[1])))
        return
    with temporary_folder() as folder, temporary_folder() as static, serving(folder) as service:
        asyncio.run(measure(service, static, 3 if options.quick else ROUNDS))


if __name__ == "__main__":
    main()
