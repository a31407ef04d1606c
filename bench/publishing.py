"""Publishing to the sandbox, over HTTP and with the embedded database: `python -m bench.publishing [--quick]`.

(a) From due to published: 40 posts at two a second. Target: p50 6 ms, worst 20 ms.
(b) 6,000 posts of one workspace over 60 accounts, all due at one second.
(c) 20,000 posts of 2,000 workspaces over 10,000 accounts, all due at one second: also how much memory all processes
    gain, and when the last workspace sees its first post. Fair would be: when as many posts are out as there are
    workspaces. Targets of both: 1,500 posts a second, 1.2 ms of CPU a post; 60 MB; at most twice the fair time.

The floor is the least loop that publishes nothing: it claims due rows, marks them as begun and then as published, two
commits for a batch of 256, on the tables of bench.floor in the same server.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count as counter
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import uvloop

from bench import floor
from bench.load import request_bytes, send_all
from bench.population import Template, populate, write_posts
from bench.service import Service, created, serving, temporary_folder
from bench.usage import cpu_ms, memory_mb
from signalpost.kit import ids
from signalpost.main.app import key_ring
from signalpost.settings import load

ACCOUNTS = 60
_BATCH = 256
INDEX = "create index if not exists floor_target_queue on floor_target (due_at) where due_at is not null"
FILL = """
with post as (insert into floor_post (id, workspace_id, profile_id, text, status, scheduled_at)
    select id, id, id, 'Post', 'scheduled', $2 from unnest($1::uuid[]) as id returning id)
insert into floor_target (id, post_id, account_id, platform, status, due_at)
select uuidv7(), id, id, 'sandbox', 'pending', $2 from post
"""
BEGIN = """
update floor_target set status = 'publishing', attempts = attempts + 1 where id in (
    select id from floor_target where due_at <= clock_timestamp() and status = 'pending'
    order by due_at limit $1 for update skip locked)
returning id, post_id
"""
END = """
with target as (update floor_target set status = 'published', published_at = clock_timestamp(), due_at = null
    where id = any($1::uuid[]))
update floor_post set status = 'published', updated_at = clock_timestamp() where id = any($2::uuid[])
"""
_TEMPLATE = """
select p.workspace_id, p.profile_id, t.account_id from post p join target t on t.post_id = p.id where p.id = $1
"""
_LEFT = """
select exists (select from lane where kind = 'target' and owner is not null) or exists (
    select from lane where kind = 'target' and owner is null and next_due_at is not null
        and wake_at <= now() + interval '30 s')
"""
_ENDED = """
select extract(epoch from t.published_at - p.scheduled_at)::float8 as late,
    extract(epoch from t.started_at - p.scheduled_at)::float8 as started, t.workspace_id
from target t join post p on p.id = t.post_id where p.id = any($1::uuid[]) or p.scheduled_at = $2
"""


@dataclass(frozen=True)
class Burst:
    """How a burst went. CPU is per post, of the service and of all processes; `gained_mb` of all processes."""

    count: int
    late: list[float]
    cpu_ms: tuple[float, float]
    gained_mb: float
    first_seen: float
    """Seconds until every workspace had seen its first post."""

    @property
    def per_second(self) -> float:
        return self.count / max(self.late)


class Tenant:
    """One workspace over HTTP, with a profile and an account for each of its posts in turn."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.client, self.profile = service.create_owner()
        self.key = self.client.headers["Authorization"].removeprefix("Bearer ")
        self._places = [self._account(number) for number in range(ACCOUNTS)]
        self._turn = counter()

    def _account(self, number: int) -> tuple[str, str]:
        profile = created(self.client, "/profiles", {"name": f"Profile {number}", "timezone": "UTC"})["id"]
        connecting = {"profileId": profile, "fields": {"username": f"bench{number}"}}
        return profile, created(self.client, "/platforms/sandbox/connect", connecting)["id"]

    def body(self, when: datetime) -> dict[str, Any]:
        number = next(self._turn)
        profile, account = self._places[number % ACCOUNTS]
        targets = [{"accountId": account}]
        return {
            "profileId": profile,
            "targets": targets,
            "text": f"Post {number} {time.time()}",
            "scheduledAt": when.isoformat(),
        }

    def create(self, when: datetime) -> UUID:
        post_id = ids.decode("pst", created(self.client, "/posts", self.body(when))["id"])
        assert post_id is not None
        return post_id

    async def create_many(self, count: int, when: datetime) -> None:
        def request() -> bytes:
            return request_bytes("POST", "/api/v1/posts", self.key, json.dumps(self.body(when)).encode())

        await send_all(self.service.port, request, count, expect=201)

    async def template(self, db: "asyncpg.Connection[Any]", post_id: UUID) -> Template:
        row = await db.fetchrow(_TEMPLATE, post_id)
        return Template(row["workspace_id"], row["profile_id"], row["account_id"])


async def lag(tenant: Tenant, db: "asyncpg.Connection[Any]", count: int) -> list[float]:
    """Return the milliseconds from due to published of posts that are due at two a second."""
    start = datetime.now(UTC) + timedelta(seconds=3)
    whens = [start + timedelta(seconds=number / 2) for number in range(count)]
    posts = [tenant.create(when) for when in whens]
    await asyncio.sleep((whens[-1] - datetime.now(UTC)).total_seconds() + 1)
    rows = await db.fetch(_ENDED, posts, None)
    check(rows, count)
    return [row["late"] * 1000 for row in rows]


def check(rows: Sequence[Any], count: int) -> None:
    """Raise unless all posts were published, and none was started early."""
    if len(rows) != count or any(row["late"] is None or row["started"] < 0 for row in rows):
        raise RuntimeError(f"of {count} posts, {sum(row['late'] is not None for row in rows)} were published")


async def burst(service: Service, db: "asyncpg.Connection[Any]", count: int, when: datetime) -> Burst:
    """Wait until the posts of that instant are published."""
    left = (when - datetime.now(UTC)).total_seconds() - 1
    if left < 0:
        raise RuntimeError(f"creating {count} posts took {-left:.0f} s too long")
    await asyncio.sleep(left)
    own, database = service.roots
    before, peak, used = memory_mb(own, database), 0.0, [cpu_ms(own), cpu_ms(database)]
    await asyncio.sleep(1)
    stop_at = time.monotonic() + 60 + count / 50
    while await db.fetchval(_LEFT):
        if time.monotonic() > stop_at:
            raise TimeoutError("the burst does not end")
        peak = max(peak, memory_mb(own, database))
        await asyncio.sleep(0.25)
    await asyncio.sleep(0.5)
    spent = [cpu_ms(own) - used[0], cpu_ms(database) - used[1]]
    rows = await db.fetch(_ENDED, [], when)
    check(rows, count)
    firsts: dict[UUID, float] = {}
    for row in rows:
        firsts[row["workspace_id"]] = min(row["late"], firsts.get(row["workspace_id"], row["late"]))
    cpu = spent[0] / count, sum(spent) / count
    return Burst(count, [row["late"] for row in rows], cpu, peak - before, max(firsts.values()))


class LeastLoop:
    """Claims due rows of bench.floor, begins and ends them."""

    def __init__(self, db: "asyncpg.Connection[Any]") -> None:
        self._db = db

    async def turn(self) -> int:
        rows = await self._db.fetch(BEGIN, _BATCH)
        if rows:
            await self._db.execute(END, [row["id"] for row in rows], [row["post_id"] for row in rows])
        return len(rows)

    async def lag(self, count: int) -> list[float]:
        """Return the milliseconds from due to published of rows due at twenty a second."""
        times = []
        for _ in range(count):
            due = datetime.now(UTC) + timedelta(seconds=0.05)
            await self._db.execute(FILL, [ids.new_id()], due)
            await asyncio.sleep((due - datetime.now(UTC)).total_seconds())
            while not await self.turn():
                pass
            times.append((datetime.now(UTC) - due).total_seconds() * 1000)
        return times

    async def burst(self, count: int, database: int) -> tuple[float, float, float]:
        """Return posts per second, and milliseconds of CPU of this process and of all for each."""
        await self._db.execute(FILL, [ids.new_id() for _ in range(count)], datetime.now(UTC))
        await self._db.execute("vacuum analyze floor_post, floor_target")
        started, own, used = time.perf_counter(), time.process_time(), cpu_ms(database)
        while await self.turn():
            pass
        own = (time.process_time() - own) * 1000
        elapsed, used = time.perf_counter() - started, cpu_ms(database) - used
        return count / elapsed, own / count, (own + used) / count


async def least_loop(service: Service) -> LeastLoop:
    connection = await asyncpg.connect(service.cluster.dsn())
    await connection.execute("create database floor")
    await connection.close()
    connection = await asyncpg.connect(service.cluster.dsn("floor"))
    await connection.execute(floor.SCHEMA)
    await connection.execute(INDEX)
    return LeastLoop(connection)


def after(count: int, *, per_second: float) -> datetime:
    """Return a full second by which that many posts can be written."""
    return (datetime.now(UTC) + timedelta(seconds=5 + count / per_second)).replace(microsecond=0)


def print_row(name: str, least: str, found: str, ratio: str = "", target: str = "") -> None:
    print(f"| {name} | {least} | {found} | {ratio} | {target} |", flush=True)


def print_burst(name: str, least: tuple[float, float, float], found: Burst) -> None:
    rate, late, own, total = found.per_second, sorted(found.late), *found.cpu_ms
    print_row(f"{name}: posts/s", f"{least[0]:,.0f}", f"{rate:,.0f}", f"{rate / least[0]:.2f}", ">= 1,500")
    print_row("CPU a post of the service, ms", f"{least[1]:.3f}", f"{own:.2f}")
    ratio = f"{total / least[2]:.0f}"
    print_row("CPU a post of all processes, ms", f"{least[2]:.3f}", f"{total:.2f}", ratio, "<= 0.42")
    print_row("lateness, p50 / last, s", "", f"{statistics.median(late):.2f} / {late[-1]:.2f}")


async def measure(service: Service, folder: Path, *, quick: bool) -> None:
    tenant = Tenant(service)
    db, loop = await asyncpg.connect(service.cluster.dsn()), await least_loop(service)
    print("| measure | floor | product | ratio | target |\n|---|---|---|---|---|")
    least_lags, lags = await loop.lag(40), await lag(tenant, db, 10 if quick else 40)
    for name, of, target in (("p50", statistics.median, 6), ("worst", max, 20)):
        print_row(f"due to published, {name}, ms", f"{of(least_lags):.1f}", f"{of(lags):.1f}", "", f"<= {target}")
    count = 600 if quick else 6_000
    when = after(count, per_second=150)
    await tenant.create_many(count, when)
    least, found = await loop.burst(count, service.cluster.pid()), await burst(service, db, count, when)
    print_burst(f"burst of {count:,} over {ACCOUNTS} accounts", least, found)
    count, workspaces = (2_000, 200) if quick else (20_000, 2_000)
    far = tenant.create(datetime.now(UTC) + timedelta(days=300))
    keys = key_ring(load({"SIGNALPOST_DATA_DIR": str(folder)}))
    await populate(db, keys, await tenant.template(db, far), workspaces=workspaces, accounts_each=5)
    when = after(count, per_second=1_000)
    await write_posts(db, far, count, when=when)
    await db.execute("analyze")
    least, found = await loop.burst(count, service.cluster.pid()), await burst(service, db, count, when)
    print_burst(f"burst of {count:,} over {workspaces:,} workspaces", least, found)
    fair, seen = workspaces / found.per_second, found.first_seen
    print_row("memory gained, MB", "", f"{found.gained_mb:.0f}", "", "<= 60")
    print_row("first post of the last workspace, s; fair", f"{fair:.2f}", f"{seen:.2f}", f"{seen / fair:.1f}", "<= 2")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer posts and workspaces")
    options = parser.parse_args()
    with temporary_folder() as folder:
        with serving(folder):
            pass  # the first start migrates the database, which needs memory that later starts do not
        with serving(folder) as service:
            uvloop.run(measure(service, folder, quick=options.quick))


if __name__ == "__main__":
    main()
