"""Webhook deliveries against bare posting: `python -m bench.webhooks [--quick]`.

One run, one sink: deliveries that the engine claims, signs, sends and records over 64 webhooks, and a bare aiohttp
session that posts the same bytes to the same sink, 64 at a time. PostgreSQL with its durable default settings runs in
a temporary folder on the same machine. Target: at least a quarter of the bare rate.
"""

import argparse
import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
import uvloop

from signalpost import settings as settings_module
from signalpost.context import AppContext
from signalpost.embedded_postgres.start import start_postgres
from signalpost.engine.engine import Engine
from signalpost.engine.wake import wake_sql
from signalpost.kit import clock, ids, log
from signalpost.kit.crypto import KeyRing
from signalpost.kit.db import Database
from signalpost.kit.http import Clients
from signalpost.main.service import tune_garbage_collection
from signalpost.migrations.runner import migrate
from signalpost.webhooks import signing
from signalpost.webhooks.actions.deliveries import envelope
from signalpost.webhooks.work import DeliverySource

WEBHOOKS = 64
CONCURRENCY = 64
ROUNDS = 5
DATA = (
    b'{"postId":"pst_01M7Z0000000000000000000AB","published":2,"failed":0,"total":2,"profileId":'
    b'"prof_01M7Z0000000000000000000AB","status":"published","scope":"post","externalId":null,"scheduledAt":null,'
    b'"source":"api","mode":"live","publishedAt":"2026-11-21T18:00:00.000Z","targets":[{"targetId":'
    b'"tgt_01M7Z0000000000000000000AB","platform":"bluesky","accountId":"acc_01M7Z0000000000000000000AB"},{"targetId":'
    b'"tgt_01M7Z0000000000000000000AC","platform":"mastodon","accountId":"acc_01M7Z0000000000000000000AC"}]}'
)
_WORKSPACE = "insert into workspace (id, name, slug) values ($1, 'Bench', $2)"
_WEBHOOK = """
insert into webhook (id, workspace_id, url, events, secret, created_by)
values ($1, $2, $3, '{post.published}', $4, '{}')
"""
_FILL = """
insert into delivery (id, workspace_id, webhook_id, event_id, type, body, next_attempt_at)
select w.id, $1, w.webhook_id, w.id, 'post.published', w.body, now()
from unnest($2::uuid[], $3::uuid[], $4::bytea[]) as w(id, webhook_id, body)
"""
_DUE_NOW = "array_fill(now(), array[cardinality($1::uuid[])])"
_WAKE = f"select {wake_sql('delivery', keys='$1::uuid[]', due=_DUE_NOW, workspace_id='$2')}"
_LEFT = "select exists (select from delivery where due_at is not null)"


class Sink(asyncio.Protocol):
    """Responds to every request that arrives in one piece, at next to no cost: enough for a bench."""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" * data.count(b"POST / HTTP/1.1\r\n"))


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Sink, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def bare(url: str, count: int) -> tuple[float, float]:
    """POSTs per second of a bare session that sends the bytes of one delivery, and milliseconds of CPU for each."""
    body = envelope(ids.new_id(), "post.published", clock.now(), DATA)
    headers = signing.headers(
        brand="Service", event_type="post.published", delivery_id="dlv_01M7Z0000000000000000000AB", attempt_number=1,
        timestamp=int(time.time()), secrets=[signing.new_secret()], body=body,
    )  # fmt: skip
    left = count

    async def post(session: aiohttp.ClientSession) -> None:
        nonlocal left
        while left > 0:
            left -= 1
            async with session.post(url, data=body, headers=headers) as answer:
                await answer.read()

    connector = aiohttp.TCPConnector(limit=CONCURRENCY)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), connector=connector) as session:
        started, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(post(session) for _ in range(CONCURRENCY)))
        return count / (time.perf_counter() - started), (time.process_time() - cpu) / count * 1000


async def fill(context: AppContext, url: str, count: int) -> None:
    """Write `count` due deliveries to the webhooks of four workspaces, without waking any lane."""
    async with context.database.transaction() as db:
        for _ in range(4):
            workspace_id = ids.new_id()
            await db.execute(_WORKSPACE, workspace_id, str(workspace_id))
            webhooks = [ids.new_id() for _ in range(WEBHOOKS // 4)]
            for webhook_id in webhooks:
                sealed = signing.seal(context.keys, webhook_id, workspace_id, signing.new_secret())
                await db.execute(_WEBHOOK, webhook_id, workspace_id, url, sealed)
            delivery_ids = [ids.new_id() for _ in range(count // 4)]
            bodies = [envelope(delivery_id, "post.published", clock.now(), DATA) for delivery_id in delivery_ids]
            owners = [webhooks[number % len(webhooks)] for number in range(len(delivery_ids))]
            await db.execute(_FILL, workspace_id, delivery_ids, owners, bodies)
            await db.execute(_WAKE, webhooks, workspace_id)
    async with context.database.connection() as db:
        await db.execute("vacuum analyze delivery")


async def delivered(context: AppContext, url: str, count: int) -> tuple[float, float]:
    """Deliveries per second, stored as delivered, and milliseconds of CPU of this process for each."""
    await fill(context, url, count)
    engine = Engine(context.database, [DeliverySource(context)])
    started, cpu = time.perf_counter(), time.process_time()
    task = asyncio.create_task(engine.run())
    async with context.database.connection() as db:
        while await db.fetchval(_LEFT):  # noqa: ASYNC110 - the table is what is asked
            await asyncio.sleep(0.2)
        elapsed, cpu = time.perf_counter() - started, time.process_time() - cpu
        bad = await db.fetchval("select count(*) from delivery where state <> 'delivered' or attempts <> 1")
    await engine.stop()
    await task
    if bad:
        raise RuntimeError(f"{bad} deliveries were not delivered at the first attempt")
    return count / elapsed, cpu / count * 1000


async def measure(dsn: str, port: int, folder: Path, *, quick: bool) -> None:
    log.set_up(level="warning")
    await migrate(dsn)
    url, count = f"http://127.0.0.1:{port}/", 8_000 if quick else 16_000
    settings = settings_module.load({"SIGNALPOST_DATA_DIR": str(folder), "SIGNALPOST_ALLOW_PRIVATE_WEBHOOKS": "true"})
    database = await Database.open(dsn, connections_max=8)
    async with Clients.create() as http:
        keys = KeyRing.from_master(os.urandom(32))
        context = AppContext(settings=settings, database=database, http=http, keys=keys, storage=None)
        tune_garbage_collection()  # as the service does at its start; the bare rounds benefit too
        rounds = [(*await bare(url, count * 2), *await delivered(context, url, count)) for _ in range(ROUNDS)]
    await database.close()
    floors, floor_cpus, rates, cpus = zip(*rounds, strict=True)
    floor, rate = statistics.median(floors), statistics.median(rates)
    # The two rates of a round are measured directly one after the other, so their ratio does not depend on other load.
    ratio = statistics.median(rate / floor for floor, rate in zip(floors, rates, strict=True))
    floor_cpu, cpu = statistics.median(floor_cpus), statistics.median(cpus)
    print("| measure | bare aiohttp | deliveries | ratio | target |\n|---|---|---|---|---|")
    what = f"posts/s to one sink, {CONCURRENCY} at a time, medians of {ROUNDS} rounds"
    print(f"| {what} | {floor:,.0f} | {rate:,.0f} | {ratio:.2f} | >= 0.25 |")
    print(f"| CPU of this process for each, ms | {floor_cpu:.3f} | {cpu:.3f} | {floor_cpu / cpu:.2f} | |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer deliveries")
    parser.add_argument("--sink", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sink:
        uvloop.run(serve())
        return
    folder = Path(tempfile.mkdtemp(prefix="signalpost-bench-"))
    folder.chmod(0o755)
    cluster = start_postgres(folder)
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "bench.webhooks", "--sink"], stdout=subprocess.PIPE, text=True
        ) as sink:
            assert sink.stdout is not None
            uvloop.run(measure(cluster.dsn(), int(sink.stdout.readline()), folder, quick=options.quick))
            sink.terminate()
    finally:
        cluster.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
