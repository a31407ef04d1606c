"""The same load in a full database: `python -m bench.tenants [--quick]`, over HTTP and with the embedded database.

A workspace with 60 accounts and 500 posts creates, reads, lists and publishes posts: first alone, then among 2,000
workspaces with 10,000 accounts and 1,000,000 posts, half of them published, the others due later. CPU is of all
processes, per request or per published post. Target: at most 1.3 times that of the empty database.
"""

import argparse
import asyncio
import json
import statistics
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import uvloop

from bench.load import request_bytes, run
from bench.population import populate, write_posts
from bench.publishing import Tenant, after, burst
from bench.service import Service, serving, temporary_folder
from bench.usage import at_rest
from signalpost.kit import ids
from signalpost.main.app import key_ring
from signalpost.settings import load

POSTS = 500


async def measured(
    tenant: Tenant, post_id: UUID, db: Any, *, rounds: int, seconds: float, due: int
) -> dict[str, float]:
    """Return milliseconds of CPU of all processes, by what was done."""
    when = datetime.now(UTC) + timedelta(days=30)
    get = request_bytes("GET", f"/api/v1/posts/{ids.encode('pst', post_id)}", tenant.key)
    listing = request_bytes("GET", "/api/v1/posts?limit=20", tenant.key)
    requests: dict[str, tuple[Callable[[], bytes], int]] = {
        "create": (lambda: creation(tenant, when), 201),
        "get": (lambda: get, 200),
        "list 20": (lambda: listing, 200),
    }
    found = {}
    for name, (request, expect) in requests.items():
        runs = [
            await run(tenant.service.port, request, expect=expect, roots=tenant.service.roots, seconds=seconds)
            for _ in range(rounds)
        ]
        found[name] = statistics.median(sum(one.cpu_ms) for one in runs)
    instant = after(due, per_second=150)
    await tenant.create_many(due, instant)
    found[f"claim and publish {due:,}"] = (await burst(tenant.service, db, due, instant)).cpu_ms[1]
    return found


def creation(tenant: Tenant, when: datetime) -> bytes:
    return request_bytes("POST", "/api/v1/posts", tenant.key, json.dumps(tenant.body(when)).encode())


async def fill(tenant: Tenant, db: Any, folder: Path, *, workspaces: int, posts: int) -> None:
    """Write the other workspaces."""
    published = tenant.create(datetime.now(UTC) + timedelta(seconds=1))
    waiting = tenant.create(datetime.now(UTC) + timedelta(days=300))
    await asyncio.sleep(3)
    keys = key_ring(load({"SIGNALPOST_DATA_DIR": str(folder)}))
    await populate(db, keys, await tenant.template(db, waiting), workspaces=workspaces, accounts_each=5)
    await write_posts(db, published, posts // 2)
    await write_posts(db, waiting, posts // 2, when=datetime.now(UTC) + timedelta(days=60))
    await db.execute("vacuum analyze")


async def measure(service: Service, folder: Path, *, quick: bool) -> None:
    tenant, db = Tenant(service), await asyncpg.connect(service.cluster.dsn())
    rounds, seconds, due = (1, 1.0, 600) if quick else (3, 4.0, 3_000)
    workspaces, posts = (200, 50_000) if quick else (2_000, 1_000_000)
    for _ in range(POSTS):
        post_id = tenant.create(datetime.now(UTC) + timedelta(days=30))
    await at_rest(*service.roots)
    alone = await measured(tenant, post_id, db, rounds=rounds, seconds=seconds, due=due)
    await fill(tenant, db, folder, workspaces=workspaces, posts=posts)
    await at_rest(*service.roots)
    among = await measured(tenant, post_id, db, rounds=rounds, seconds=seconds, due=due)
    print(f"| CPU of all processes, ms | alone | among {posts:,} posts | ratio | target |\n|---|---|---|---|---|")
    for name, least in alone.items():
        print(f"| {name} | {least:.2f} | {among[name]:.2f} | {among[name] / least:.2f} | <= 1.3 |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer posts and workspaces, shorter rounds")
    options = parser.parse_args()
    with temporary_folder() as folder:
        with serving(folder):
            pass  # the first start migrates the database, which needs memory that later starts do not
        with serving(folder) as service:
            uvloop.run(measure(service, folder, quick=options.quick))


if __name__ == "__main__":
    main()
