"""What Lighthouse says of the console and the public pages: `python -m bench.lighthouse [--quick]`.

On a phone with the line and processor that Lighthouse simulates by default, each page as the first that a browser sees,
in a workspace with 10,000 posts. The best of several rounds stands, since other work on the machine only adds to times.
"""

import argparse
import asyncio
import json
import tempfile
from typing import Any

from playwright.async_api import async_playwright
from tests.console import world
from tests.console.browser import sign_in
from tests.console.world import Person
from tests.counterparts import tools
from tests.helpers.service_process import installed

ROUNDS = 3
GOAL = 95
PAGES = {
    "home": "/console", "composer": "/console/compose", "calendar": "/console/calendar", "posts": "/console/posts",
    "status": "/status", "docs": "/docs", "sign-in": "/login",
}  # fmt: skip
HEAD = "| page | performance | accessibility | best practices | SEO | LCP, ms | CLS | blocked, ms | below 0.9 |"


async def judged(port: int, address: str) -> dict[str, Any]:
    """Return what Lighthouse says of one page.

    Raises:
        RuntimeError: it could not judge it.
    """
    command = (tools.node(), tools.node_script("lighthouse"), str(port), address)
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, errors = await process.communicate()
    if process.returncode:
        raise RuntimeError(errors.decode(errors="replace")[-2000:])
    found: dict[str, Any] = json.loads(out)
    return found


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round")
    rounds = 1 if parser.parse_args().quick else ROUNDS
    port = tools.free_port()
    async with installed() as service, async_playwright() as playwright:
        await service.start()
        await service.owner()
        session = await sign_in(service)
        cookie = session["cookies"][0]
        places = await world.build(Person(service, cookie["value"]))
        print(f"{HEAD}\n|{'---|' * HEAD.count('| ')}\n| goal |{f' {GOAL} |' * 4} 1200 | 0.020 | | |")
        for name, path in PAGES.items():
            with tempfile.TemporaryDirectory() as folder:  # a browser without anything in its cache
                browser = await playwright.chromium.launch_persistent_context(
                    folder, executable_path=tools.browser(), args=["--no-sandbox", f"--remote-debugging-port={port}"]
                )
                if path.startswith("/console"):
                    await browser.add_cookies([{"name": "session", "value": cookie["value"], "url": service.base_url}])
                page = await browser.new_page()
                await page.goto(f"{service.base_url}/healthz")
                await page.evaluate(f"localStorage.setItem('workspace', '{places['many'].workspace}')")
                found = [await judged(port, service.base_url + path) for _ in range(rounds)]
                await browser.close()
            best = max(found, key=lambda each: (min(each["scores"]), each["scores"][0], -each["paintMs"]))
            scores = " | ".join(str(score) for score in best["scores"])
            figures = f"{best['paintMs']:.0f} | {best['shift']:.3f} | {best['blockedMs']:.0f}"
            print(f"| {name} | {scores} | {figures} | {', '.join(best['missed'])} |", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
