"""Analytics: `python -m bench.analytics [--quick]`, with the embedded database.

(a) The overview of 365 days of a workspace with 50,000 posts and 2,000,000 rows of numbers, over HTTP. Goal: p95 60 ms.
    The floor is the same statements on one bare connection, with their result as JSON.
(b) Collecting the numbers of 20,000 due posts of X in the simulator, whose answers take 5 ms, by the product's own job.
    Goal: 400 posts a second, and at most 50 MB more memory. The floor is the same calls by a bare session, stored
    by nobody.
"""

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import aiohttp
import asyncpg
import httpx
import msgspec
import uvloop

from bench.population import copy
from bench.service import Service, created, serving, temporary_folder
from signalpost.accounts.secrets import seal
from signalpost.analytics import totals
from signalpost.analytics.actions import collect, discover
from signalpost.analytics.period import Days
from signalpost.context import AppContext
from signalpost.embedded_postgres.start import start_postgres
from signalpost.engine.contract import Lease
from signalpost.identity.actions import sign_up
from signalpost.kit import ids, log
from signalpost.kit.db import Database
from signalpost.main import app
from signalpost.settings import load
from signalpost.web.caller import Caller

ACCOUNTS, ROWS_EACH, ANSWER_SECONDS, PARALLEL = 20, 40, 0.005, 8
_PLAN = """
create temp table plan as
select n as number, uuidv7() as post_id, uuidv7() as target_id,
    ($2::uuid[])[1 + n % cardinality($2::uuid[])] as account_id,
    now() - interval '1 hour' - n * (interval '360 days' / $1::int) as published_at
from generate_series(1, $1::int) n
"""
_LATEST = """
insert into metric_latest (target_id, workspace_id, post_id, profile_id, account_id, platform, mode, published_at, day,
    collected_at, views, likes, comments, shares, impressions)
select n.target_id, p.workspace_id, n.post_id, p.profile_id, n.account_id, 'sandbox', p.mode, n.published_at,
    n.published_at::date, now(), n.number % 5000, n.number % 300, n.number % 40, n.number % 20, n.number % 9000
from plan n join post p on p.id = n.post_id
"""
_HISTORY = """
insert into metric (target_id, bucket, workspace_id, account_id, collected_at, views, likes, comments, shares,
    impressions)
select target_id, date_trunc('hour', published_at) + k * interval '1 hour', workspace_id, account_id,
    published_at + k * interval '1 hour', views * k / $1, likes * k / $1, comments * k / $1, shares * k / $1,
    impressions * k / $1
from metric_latest cross join generate_series(1, $1::int) k
"""


async def fill(db: Any, client: httpx.Client, profile: str, posts: int) -> None:
    """Write published posts of twenty accounts over a year, with their numbers."""
    accounts = [
        created(client, "/platforms/sandbox/connect", {"profileId": profile, "fields": {"username": f"u{n}"}})["id"]
        for n in range(ACCOUNTS)
    ]
    body = {"profileId": profile, "targets": [{"accountId": accounts[0]}], "text": "Post", "draft": True}
    template = ids.decode("pst", created(client, "/posts", body)["id"])
    await db.execute(_PLAN, posts, [ids.decode("acc", account) for account in accounts])
    post = {
        "id": "n.post_id", "text": "'Post ' || n.number", "created_at": "n.published_at", "status": "'published'",
        "published_at": "n.published_at",
    }  # fmt: skip
    await copy(db, "post", "t.id = $1", post, "plan as n", template)
    target = {
        "id": "n.target_id", "post_id": "n.post_id", "account_id": "n.account_id", "status": "'published'",
        "published_at": "n.published_at", "next_attempt_at": "null", "dedupe_key": "n.target_id::text",
        "content_hash": "sha256(uuid_send(n.target_id))", "remote_id": "n.target_id::text",
    }  # fmt: skip
    await copy(db, "target", "t.post_id = $1", target, "plan as n", template)
    await db.execute(_LATEST)
    await db.execute(_HISTORY, ROWS_EACH, timeout=600)
    await db.execute(
        "insert into metric_account (account_id, workspace_id, scanned_until)"
        " select account_id, workspace_id, max(published_at) from metric_latest group by 1, 2"
    )
    await db.execute("vacuum analyze post, target, metric, metric_latest, metric_day", timeout=600)


def percentiles(times: list[float]) -> tuple[float, float]:
    """Return p50 and p95."""
    return statistics.median(times), statistics.quantiles(times, n=20)[18]


async def overview(service: Service, posts: int, rounds: int) -> None:
    """Measure (a)."""
    client, profile = service.create_owner()
    db = await asyncpg.connect(service.cluster.dsn())
    await fill(db, client, profile, posts)
    today = datetime.now(UTC).date()
    days = Days(today - timedelta(days=364), today)
    query = {"startDate": str(days.start), "endDate": str(days.end)}
    answer = client.get("/analytics/overview", params=query)
    if answer.json()["totalPosts"] != posts:
        raise RuntimeError(answer.text[:500])
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        client.get("/analytics/overview", params=query)
        times.append(1000 * (time.perf_counter() - started))
    workspace_id = await db.fetchval("select workspace_id from metric_day limit 1")
    caller = cast("Caller", _Everyone(workspace_id))
    bare = []
    for _ in range(rounds):
        started = time.perf_counter()
        sums = await totals.of_period(db, caller, days, None)
        previous = await totals.total_of(db, caller, days.previous, None)
        top = await totals.top_posts(db, caller, days, None, measured=sums.total.measured)
        msgspec.json.encode([sums.total, list(sums.by_day.values()), sums.by_platform, previous, top])
        bare.append(1000 * (time.perf_counter() - started))
    rows = await db.fetchval("select count(*) from metric")
    await db.close()
    print(f"| Overview of 365 days, {posts:,} posts, {rows:,} rows | Floor | Signalpost | Ratio | Goal |")
    print("|---|---|---|---|---|")
    for name, least, most, goal in zip(("p50", "p95"), percentiles(bare), percentiles(times), ("", "60"), strict=True):
        print(f"| {name}, ms | {least:.1f} | {most:.1f} | {most / least:.1f} | {goal} |", flush=True)


class _Everyone:
    """A caller who sees a whole workspace."""

    mode, sees_profiles = "live", None

    def __init__(self, workspace_id: UUID) -> None:
        self.workspace_id = workspace_id


# --- collecting -----------------------------------------------------------------------------------------------------


@contextmanager
def simulator() -> Iterator[tuple[str, str]]:
    """Run the simulator in a process of its own; yield the addresses of its control API and of X."""
    command = [sys.executable, "-m", "simulator", "--port", "0", "--latency", str(ANSWER_SECONDS)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            printed = ""
            while "SIGNALPOST_X_CLIENT_SECRET" not in printed:
                line = process.stdout.readline() if process.stdout else ""
                if not line:
                    raise RuntimeError(f"the simulator ended: {printed}")
                printed += line
            control, url = re.search(r"# control: (\S+)", printed), re.search(r"SIGNALPOST_X_BASE_URL=(\S+)", printed)
            if control is None or url is None:
                raise RuntimeError(printed)
            yield control[1], url[1]
        finally:
            process.terminate()


class _Account:
    """An account of X in the simulator, with the ids of its posts."""

    def __init__(self, remote_id: str, username: str, token: str) -> None:
        self.remote_id = remote_id
        self.username = username
        self.token = token
        self.posts: list[str] = []


async def open_accounts(control_url: str, url: str, posts: int) -> list[_Account]:
    """Open accounts at the simulator that have published 100 posts each: what X allows in a quarter of an hour."""
    async with aiohttp.ClientSession(control_url) as control, aiohttp.ClientSession(url) as network:

        async def post(path: str, **body: Any) -> Any:
            async with control.post(path, json=body) as response:
                response.raise_for_status()
                return await response.json()

        accounts = []
        for number in range(posts // 100):
            if number % 50 == 0:  # X limits apps too
                app_of_x = await post("/apps", network="x")
            person = await post("/people", network="x", username=f"account{number}")
            tokens = await post("/tokens", network="x", username=person["username"], client_id=app_of_x["client_id"])
            accounts.append(_Account(person["id"], person["username"], tokens["access_token"]))

        async def publish(account: _Account) -> None:
            headers = {"Authorization": f"Bearer {account.token}"}
            for number in range(100):
                body = {"text": f"Post {number}"}
                async with network.post("/2/tweets", json=body, headers=headers) as response:
                    response.raise_for_status()
                    account.posts.append((await response.json())["data"]["id"])

        await asyncio.gather(*map(publish, accounts))
    return accounts


class _Lease:
    """The lease of a job that the bench runs by itself."""

    def __init__(self, database: Database) -> None:
        self.transaction = database.transaction


_ACCOUNT = """
insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username, display_name, status,
    connected_via, secrets) values ($1, $2, $3, 'x', 'personal', $4, $5, $5, 'active', 'api', $6)
"""
_DUE = "update metric_schedule set due_at = now(), collected_at = null"


async def write_accounts(context: AppContext, accounts: list[_Account]) -> list[UUID]:
    """Write the accounts with their published posts, all of them due."""
    account_ids: list[UUID] = []
    async with context.database.transaction() as db:
        owner = await sign_up.create_owner(
            context, db, email="collect@example.test", password="not a secret at all", workspace_name="Bench"
        )
        profile_id = await db.fetchval("select id from profile where workspace_id = $1", owner.workspace_id)
        template = await db.fetchval("select id from post limit 1")
        for account in accounts:
            account_ids.append(ids.new_id())
            sealed = seal(context.keys, owner.workspace_id, account_ids[-1], {"accessToken": account.token})
            values = (account.remote_id, account.username, sealed)
            await db.execute(_ACCOUNT, account_ids[-1], owner.workspace_id, profile_id, *values)
        await db.execute(
            "create temp table plan on commit drop as select uuidv7() as post_id, uuidv7() as target_id, account_id,"
            " remote_id, now() - interval '2 hours' as published_at"
            " from unnest($1::uuid[], $2::text[]) as u(account_id, remote_id)",
            [account_id for account_id, account in zip(account_ids, accounts, strict=True) for _ in account.posts],
            [post_id for account in accounts for post_id in account.posts],
        )
        whose = {"workspace_id": f"'{owner.workspace_id}'::uuid"}
        post = whose | {"id": "n.post_id", "profile_id": f"'{profile_id}'::uuid", "status": "'published'"}
        await copy(db, "post", "t.id = $1", post, "plan as n", template)
        target = whose | {
            "id": "n.target_id", "post_id": "n.post_id", "account_id": "n.account_id", "platform": "'x'",
            "status": "'published'", "published_at": "n.published_at", "dedupe_key": "n.target_id::text",
            "content_hash": "sha256(uuid_send(n.target_id))", "remote_id": "n.remote_id",
        }  # fmt: skip
        await copy(db, "target", "t.id = (select id from target limit 1)", target, "plan as n")
    async with context.database.transaction() as db:
        positions: Mapping[UUID, discover.Position | None] = dict.fromkeys(account_ids)
        while positions:
            positions = await discover.add_published(db, positions, discover.ROWS)
        await db.execute(_DUE)
    return account_ids


async def collecting(folder: Path, dsn: str, posts: int) -> None:
    """Measure (b)."""
    log.set_up(level="warning")
    with simulator() as (control_url, url):
        accounts = await open_accounts(control_url, url, posts)
        bare = await by_session(url, accounts)
        settings = load({"SIGNALPOST_DATA_DIR": str(folder), "SIGNALPOST_X_BASE_URL": url})
        async with app.open_context(settings, dsn) as context:
            account_ids = await write_accounts(context, accounts)
            lease, slots = cast("Lease", _Lease(context.database)), asyncio.Semaphore(PARALLEL)

            async def run(account_id: UUID) -> None:
                async with slots:
                    await collect.collect(context, lease, account_id)

            await asyncio.gather(*map(run, account_ids[:PARALLEL]))  # connections and statements are ready
            async with context.database.connection() as db:
                await db.execute(_DUE)
            before, started = _megabytes(), time.perf_counter()
            await asyncio.gather(*map(run, account_ids))
            seconds, grown = time.perf_counter() - started, _megabytes() - before
            async with context.database.connection() as db:
                stored = await db.fetchval("select count(*) from metric_schedule where collected_at is not null")
            if stored != posts:
                raise RuntimeError(f"{stored} of {posts} posts have numbers")
    print(f"\n| Collecting the numbers of {posts:,} due posts | Floor | Signalpost | Ratio | Goal |")
    print("|---|---|---|---|---|")
    print(f"| posts a second | {bare:,.0f} | {posts / seconds:,.0f} | {bare * seconds / posts:.1f} | 400 |")
    print(f"| growth of memory, MB | | {grown:.0f} | | 50 |", flush=True)


async def by_session(url: str, accounts: list[_Account]) -> float:
    """Return posts a second of a bare session that keeps nothing."""
    slots = asyncio.Semaphore(PARALLEL)
    async with aiohttp.ClientSession(url) as network:

        async def read(account: _Account) -> int:
            query = {"ids": ",".join(account.posts), "tweet.fields": "public_metrics,non_public_metrics"}
            headers = {"Authorization": f"Bearer {account.token}"}
            async with slots, network.get("/2/tweets", params=query, headers=headers) as response:
                response.raise_for_status()
                return len((await response.json())["data"])

        started = time.perf_counter()
        number = sum(await asyncio.gather(*map(read, accounts)))
        return number / (time.perf_counter() - started)


def _megabytes() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the posts")
    share = 10 if parser.parse_args().quick else 1
    with temporary_folder() as folder:
        with serving(folder) as service:
            uvloop.run(overview(service, 50_000 // share, 100))
        cluster = start_postgres(folder)  # without the service, whose engine would collect too
        try:
            uvloop.run(collecting(folder, cluster.dsn(), 20_000 // share))
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
