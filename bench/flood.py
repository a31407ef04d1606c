"""What a flood of comments does to what others publish: `python -m bench.flood [--quick]`, over HTTP.

One workspace has posts in the sandbox with a thousand comments under each, which are collected, stored and reported to
a webhook all at once. Meanwhile the accounts of another publish ten posts a second. The baseline is the same in the
same run before the flood. Target: p99 from due to published of 250 ms beside the flood, which is to last until the end.
"""

import argparse
import asyncio
import statistics
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import uvloop

from bench.publishing import Tenant, check
from bench.service import Service, created, serving, temporary_folder
from signalpost.comments.actions import plan
from signalpost.kit import ids
from signalpost.kit.db import Database

COMMENTS = 1_000
PER_SECOND = 10
_ENDED = """
select extract(epoch from t.published_at - p.scheduled_at)::float8 as late,
    extract(epoch from t.started_at - p.scheduled_at)::float8 as started
from target t join post p on p.id = t.post_id where p.id = any($1::uuid[])
"""
_STORED = "select count(*)::int from comment"
_COMMENTED = """
update comment_source s set next_attempt_at = now() from target t
where t.post_id = any($1::uuid[]) and s.target_id = t.id returning s.account_id, s.workspace_id
"""


class Noisy:
    """A workspace whose posts are commented by a thousand people each, as soon as it is said. Its webhook is down."""

    def __init__(self, service: Service) -> None:
        self.client, self.profile = service.create_owner("noisy@example.test")
        hook = {"url": "http://127.0.0.1:9/comments", "events": ["comment.received"]}
        created(self.client, "/webhooks", hook)

    def publish(self, count: int) -> list[UUID]:
        """Publish posts of one account each; return their ids."""
        found = []
        for number in range(count):
            profile = created(self.client, "/profiles", {"name": f"Noisy {number}", "timezone": "UTC"})["id"]
            connecting = {"profileId": profile, "fields": {"username": f"noisy{number}"}}
            account = created(self.client, "/platforms/sandbox/connect", connecting)["id"]
            text = f"Post {number} [[comments:{COMMENTS}]]"
            body = {"profileId": profile, "text": text, "targets": [{"accountId": account}]}
            post_id = ids.decode("pst", created(self.client, "/posts", body)["id"])
            if post_id is None:
                raise ValueError("a post without an id")
            found.append(post_id)
        return found


async def lateness(tenant: Tenant, db: "asyncpg.Connection[Any]", count: int) -> list[float]:
    """Return the milliseconds from due to published of posts that become due ten a second."""
    start = datetime.now(UTC) + timedelta(seconds=2 + count / 50)
    posts = [tenant.create(start + timedelta(seconds=number / PER_SECOND)) for number in range(count)]
    end = start + timedelta(seconds=count / PER_SECOND)
    await asyncio.sleep((end - datetime.now(UTC)).total_seconds())
    for _ in range(120):
        rows = await db.fetch(_ENDED, posts)
        if all(row["late"] is not None for row in rows):
            break
        await asyncio.sleep(0.5)
    check(rows, count)
    return [row["late"] * 1000 for row in rows]


async def let_loose(db: "asyncpg.Connection[Any]", dsn: str, posts: list[UUID]) -> None:
    """Have the comments under these posts collected now, by a job of each account."""
    for _ in range(600):
        rows = await db.fetch(_COMMENTED, posts)
        if len(rows) == len(posts):
            break
        await asyncio.sleep(0.1)
    else:
        raise TimeoutError("the posts of the flood are not published")
    database = await Database.open(dsn, connections_max=2)
    async with database.transaction() as own:
        for account_id, workspace_id in rows:
            await plan.enqueue(own, account_id, workspace_id)
    await database.close()


async def measure(service: Service, *, quick: bool) -> None:
    tenant, noisy = Tenant(service), Noisy(service)
    db = await asyncpg.connect(service.cluster.dsn())
    count, commented = (50, 20) if quick else (300, 120)
    await lateness(tenant, db, 20)
    calm = await lateness(tenant, db, count)
    await let_loose(db, service.cluster.dsn(), noisy.publish(commented))
    began = await db.fetchval(_STORED)
    busy = await lateness(tenant, db, count)
    stored, left = await db.fetchval(_STORED) - began, commented * COMMENTS - await db.fetchval(_STORED)
    print("| from due to published | p50 ms | p99 ms | worst ms | target of p99 |\n|---|---|---|---|---|")
    for name, found, target in (("nothing else to do", calm, ""), ("beside a flood of comments", busy, "<= 250")):
        p50, p99 = statistics.median(found), statistics.quantiles(found, n=100)[98]
        print(f"| {name} | {p50:.1f} | {p99:.1f} | {max(found):.1f} | {target} |")
    print(f"\n| comments stored meanwhile | left at the end |\n|---|---|\n| {stored:,} | {left:,} |")
    await db.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer posts and comments")
    options = parser.parse_args()
    with temporary_folder() as folder, serving(folder, SIGNALPOST_ALLOW_PRIVATE_WEBHOOKS="true") as service:
        uvloop.run(measure(service, quick=options.quick))


if __name__ == "__main__":
    main()
