"""Publishing to X in the simulator, whose answers take 5 ms: `python -m bench.networks [--quick]`.

2,000 posts over 200 accounts by the connector and the outgoing client in one process, with a journal in memory, so
without the database (bench.publishing measures that). Each account publishes one post after the other. Target: 1,000
a second. The simulator runs in a process of its own; its ledger and its log say whether each post is public once, in
the order of its account, and whether a rate limit was reached. The floor is the same calls by a bare session.
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import aiohttp
import uvloop

from signalpost.kit.http import Client
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import NetworkSession, Outgoing, Part, Published, Server

ANSWER_SECONDS = 0.005
ACCOUNTS = 200
X = CONNECTORS["x"]
Publish = Callable[["Account", str], Awaitable[None]]


@dataclass
class Journal:
    """Keeps the steps of one target in memory."""

    steps: dict[str, Any] = field(default_factory=dict)

    async def record(self, step: str, value: Any) -> None:
        self.steps[step] = value

    intend = done = record


@dataclass(frozen=True)
class Account:
    id: str
    username: str
    token: str


async def accounts(control: aiohttp.ClientSession) -> list[Account]:
    """Open accounts at the simulator, in a world of their own."""

    async def post(path: str, **body: Any) -> Any:
        async with control.post(path, json=body) as response:
            response.raise_for_status()
            return await response.json()

    await post("/reset")
    app = await post("/apps", network="x")
    opened = []
    for number in range(ACCOUNTS):
        person = await post("/people", network="x", username=f"account{number}")
        tokens = await post("/tokens", network="x", username=person["username"], client_id=app["client_id"])
        opened.append(Account(person["id"], person["username"], tokens["access_token"]))
    return opened


def by_connector(http: Client, url: str) -> Publish:
    async def save_tokens(_secrets: Mapping[str, str], _expires_at: datetime | None) -> None:
        raise AssertionError("no token ends in this bench")

    async def publish(account: Account, text: str) -> None:
        session = NetworkSession(
            server=Server(base_url=url, trusted=True, http=http, hosts={"www": url}), pages=http,
            secrets={"accessToken": account.token}, remote_id=account.id, username=account.username, facts={},
            save_tokens=save_tokens, now=lambda: datetime.now(UTC),
        )  # fmt: skip
        post = Outgoing(parts=(Part(text=text),), dedupe_key=text, created_at=datetime.now(UTC))
        outcome = await X.publish(session, post, Journal())
        assert isinstance(outcome, Published), outcome

    return publish


def by_session(http: aiohttp.ClientSession, url: str) -> Publish:
    async def publish(account: Account, text: str) -> None:
        headers = {"Authorization": f"Bearer {account.token}"}
        async with http.post(f"{url}/2/tweets", json={"text": text}, headers=headers) as response:
            response.raise_for_status()
            await response.read()

    return publish


async def rate(control: aiohttp.ClientSession, publish: Publish, posts: int) -> tuple[float, float]:
    """Return posts a second and milliseconds of CPU of this process for a post."""
    opened = await accounts(control)

    async def one_after_the_other(account: Account) -> None:
        for number in range(posts // ACCOUNTS):
            await publish(account, f"Post {number} of {account.username}")

    started, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*map(one_after_the_other, opened))
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    await check(control, opened, posts)
    return posts / seconds, cpu * 1000 / posts


async def check(control: aiohttp.ClientSession, opened: list[Account], posts: int) -> None:
    """Compare with the ledger: every post once, in the order of its account, and no call refused."""
    async with control.get("/ledger") as response:
        entries = (await response.json())["entries"]
    async with control.get("/requests") as response:
        refused = [one for one in (await response.json())["requests"] if one["status"] != 201]
    for account in opened:
        texts = [entry["text"] for entry in entries if entry["account_id"] == account.id]
        expected = [f"Post {number} of {account.username}" for number in range(posts // ACCOUNTS)]
        if texts != expected:
            raise RuntimeError(f"{account.username} has {texts}")
    if len(entries) != posts or refused:
        raise RuntimeError(f"{len(entries)} entries, {len(refused)} calls refused")


async def measure(control_url: str, url: str, posts: int, rounds: int) -> None:
    connections = aiohttp.TCPConnector(limit=ACCOUNTS)
    async with (
        aiohttp.ClientSession(control_url) as control,
        aiohttp.ClientSession(connector=connections, cookie_jar=aiohttp.DummyCookieJar()) as session,
        Client() as client,
    ):
        bare = max([await rate(control, by_session(session, url), posts) for _ in range(rounds)])
        ours = max([await rate(control, by_connector(client, url), posts) for _ in range(rounds)])
    print("| X in the simulator, 200 accounts | Posts/s | CPU of a post, ms |")
    print("|---|---|---|")
    print(f"| Connector and client | {ours[0]:,.0f} | {ours[1]:.2f} |")
    print(f"| The same calls by a bare session | {bare[0]:,.0f} | {bare[1]:.2f} |")
    print(f"| Ratio | {ours[0] / bare[0]:.2f} | {ours[1] / bare[1]:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="one round instead of three")
    rounds = 1 if parser.parse_args().quick else 3
    command = [sys.executable, "-m", "simulator", "--port", "0", "--latency", str(ANSWER_SECONDS)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as simulator:
        assert simulator.stdout is not None
        printed = ""
        while "SIGNALPOST_X_CLIENT_SECRET" not in printed:
            line = simulator.stdout.readline()
            if not line:
                raise RuntimeError(f"the simulator ended: {printed}")
            printed += line
        control = re.search(r"# control: (\S+)", printed)
        url = re.search(r"SIGNALPOST_X_BASE_URL=(\S+)", printed)
        assert control is not None
        assert url is not None
        try:
            uvloop.run(measure(control[1], url[1], 2_000, rounds))
        finally:
            simulator.terminate()


if __name__ == "__main__":
    main()
