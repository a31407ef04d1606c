"""Hostile receivers and killed workers: a receiver that misbehaves harms only itself, and nothing is lost."""

import asyncio
import contextlib
import gzip
import random
import resource
import sys
from collections import defaultdict
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.engine import until
from tests.helpers.factories import Make
from tests.helpers.http_servers import Connection, Script, answering, longest_turn_seconds, response, serve
from tests.helpers.webhooks import (
    ReceivedRequest,
    Receiver,
    advance_time,
    deliveries,
    delivery_worker,
    emit,
    post_published,
    receiver_server,
    register,
    wait_for_deliveries,
    webhook_uuid,
)

from signalpost.engine.engine import Engine
from signalpost.kit.db import Database
from signalpost.webhooks import signing
from signalpost.webhooks.states import DEADLINE_SECONDS, JITTER_SECONDS, RETRY_SECONDS
from signalpost.webhooks.work import CRASHES_MAX

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


def writing(first: bytes, chunk: bytes, seconds: float = 0.0) -> Script:
    """Send `first`, then `chunk` again and again."""

    async def script(connection: Connection) -> None:
        await connection.request()
        await connection.send(first)
        while True:
            await connection.send(chunk)
            await asyncio.sleep(seconds)

    return script


async def never(connection: Connection) -> None:
    await connection.request()
    await asyncio.Event().wait()


async def reset(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 500 X\r\nContent-Length: 100\r\n\r\nhalf")
    await asyncio.sleep(0.05)
    connection.reset()


async def hang_up(connection: Connection) -> None:
    await connection.request()


HOSTILE: dict[str, tuple[Script, str, int | None]] = {
    "never answers": (never, "failed", None),
    "1 byte of head a second": (writing(b"", b"H", 1), "failed", None),
    "1 byte of body a second": (writing(HEAD + b"Content-Length: 1000\r\n\r\n", b"x", 1), "delivered", 200),
    "10 GB of body": (writing(HEAD + b"Content-Length: 10000000000\r\n\r\n", b"x" * 65_536), "delivered", 200),
    "endless body with 500": (writing(b"HTTP/1.1 500 X\r\n\r\n", b"x" * 65_536), "failed", 500),
    "gzip bomb": (
        answering(response(200, gzip.compress(b"\0" * 10_000_000), "Content-Encoding: gzip")), "delivered", 200,
    ),
    "endless headers": (writing(b"HTTP/1.1 200 OK\r\n", b"X-More: " + b"x" * 1000 + b"\r\n"), "failed", None),
    "endless 100": (writing(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "failed", None),
    "redirect loop": (answering(response(302, b"", "Location: /")), "failed", 302),
    "RST in the body": (reset, "failed", 500),
    "hangs up": (hang_up, "failed", None),
    "no HTTP": (answering(b"SSH-2.0-OpenSSH_9.2\r\n"), "failed", None),
    "NUL": (answering(response(400, b"a\0b\0")), "failed", 400),
    "bad UTF-8": (answering(response(400, b"\xff\xfe\xed\xa0\x80 ok")), "failed", 400),
    "gone": (answering(response(410, b"gone")), "failed", 410),
    "500": (answering(response(500, b"<h1>oops</h1>" * 1000)), "failed", 500),
}  # fmt: skip


@pytest.mark.slow
async def test_a_hostile_receiver_hurts_only_itself(
    api: Api, make: Make, database: Database, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside all hostile receivers, four deliveries each, good ones get theirs at once, and the loop is not blocked."""
    monkeypatch.setitem(DEADLINE_SECONDS, "single", 2.5)  # that of those who never answer, not of the good ones
    owner, quiet = await make.owner(), await make.owner()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    webhooks: dict[str, dict[str, Any]] = {}

    async def work(good: list[Receiver]) -> None:
        await emit(database, *(post_published(owner) for _ in range(4)))
        started_each = (
            "select from delivery d where d.webhook_id = w.id and (d.started_at is not null or d.attempts > 0)"
        )
        waiting = f"select from webhook w where w.id = any($1) and not exists ({started_each})"
        await until(database, f"not exists ({waiting})", [webhook_uuid(webhook) for webhook in webhooks.values()])
        await emit(database, post_published(owner), *(post_published(quiet) for _ in range(4)))
        await asyncio.gather(*(receiver.wait(5 if number < 4 else 4) for number, receiver in enumerate(good)))

    async with contextlib.AsyncExitStack() as stack:
        for name, (script, _, _) in HOSTILE.items():
            server = await stack.enter_async_context(serve(script))
            webhooks[name] = await register(api, owner, server.url, name=name, deliveryMode="single")
        good = [await stack.enter_async_context(receiver_server()) for _ in range(8)]
        for number, receiver in enumerate(good):
            await register(api, owner if number < 4 else quiet, receiver.url)
        turn = await longest_turn_seconds(work(good))
        slow = await deliveries(api, owner, webhooks["never answers"])
        assert any(row["state"] == "pending" for row in slow), "the good ones have waited for the others"
        assert turn < 1.0, "a blocked loop"
        for name, webhook in webhooks.items():
            _, state, status = HOSTILE[name]
            rows = await wait_for_deliveries(api, owner, webhook, lambda row: row["state"] != "pending")
            assert {(row["state"], row["lastStatus"]) for row in rows} == {(state, status)}, name
            assert all(len((row["lastResponse"] or "").encode()) <= 3 * 2048 for row in rows)
            assert all(row["lastDurationMs"] < 10_000 for row in rows), name  # what has no end, ends by the deadline

    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    assert grown < 100_000  # KiB


async def test_any_response_is_stored_as_text(api: Api, make: Make, database: Database, engine: Engine) -> None:
    owner = await make.owner()
    async with receiver_server() as receiver:
        receiver.respond = lambda _: response(400, b"a\0b \xff" + b"x" * 5000)
        webhook = await register(api, owner, receiver.url)
        await emit(database, post_published(owner))
        (row,) = await wait_for_deliveries(api, owner, webhook, lambda row: row["state"] == "failed")

    assert row["lastResponse"].startswith("ab \N{REPLACEMENT CHARACTER}xxx")
    assert len(row["lastResponse"]) == 2047


@pytest.mark.slow
async def test_killed_workers_lose_nothing(api: Api, make: Make, database: Database, dsn: str, settings: Any) -> None:
    """Kill -9 at any moment: every event arrives, and one that arrives twice has the same id and bytes."""
    owner = await make.owner()
    bodies: dict[str, set[bytes]] = defaultdict(set)
    unverified: list[ReceivedRequest] = []
    count, kills = 300, 6
    random.seed(7)

    async with receiver_server() as receiver:
        receiver.respond = lambda request: response(500 if random.random() < 0.02 else 200)
        webhooks = [await register(api, owner, receiver.url) for _ in range(5)]
        await emit(database, *(post_published(owner) for _ in range(count // 5)))
        for _ in range(kills):
            worker = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tests.webhooks.program", dsn, str(settings.data_dir),
                stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            assert worker.stdout is not None
            while await worker.stdout.readline() not in (b"ready\n", b""):
                pass
            before = len(receiver.requests)
            with contextlib.suppress(TimeoutError):
                await receiver.wait(before + random.randint(1, 30), 5)
            worker.kill()
            await worker.wait()
        async with delivery_worker(make.context, database):
            of_webhooks = "select from delivery where webhook_id = any($1)"
            webhook_ids = [webhook_uuid(webhook) for webhook in webhooks]
            await until(database, f"not exists ({of_webhooks} and attempts = 0)", webhook_ids)
            # One that every kill met before it was sent counts as a failure, and comes with the retries.
            receiver.respond = None
            for webhook in webhooks:
                await advance_time(database, webhook, RETRY_SECONDS[0] + JITTER_SECONDS)
            await until(database, f"not exists ({of_webhooks} and state <> 'delivered')", webhook_ids)
        for request in receiver.requests:
            bodies[request.headers["webhook-id"]].add(request.body)
            if not any(
                request.headers["x-service-signature"] == signing.body_signature(webhook["secret"], request.body)
                for webhook in webhooks
            ):
                unverified.append(request)

    assert len(bodies) == count
    assert all(len(distinct) == 1 for distinct in bodies.values())
    assert unverified == []
    assert len(receiver.requests) <= count * CRASHES_MAX
