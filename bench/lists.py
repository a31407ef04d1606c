"""Pages of posts in a large workspace: `python -m bench.lists [--posts N]`, over HTTP and with the embedded database.

One workspace has 10,000 posts, another one in the same database a hundred times as many (`--posts`). For each
filter of `GET /posts`, a page of 20 is read from both: with what is common (nearly all are published), and with what
20 posts have, far apart. Goal: a page of the large workspace takes at most 1.5 times as long.

Then texts are searched in the large one, once its worker has indexed them. Goal: 100 ms.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import uvloop

from bench.population import copy
from bench.service import Service, created, serving, temporary_folder
from signalpost.kit import ids

SMALL, LARGE, RARE, ROUNDS = 10_000, 1_000_000, 20, 15
PROFILES = 10
_FANOUT = "0198f0c2-0000-7000-8000-000000000001"
# Every `rare`-th post is one of the 20 that have something of their own; statuses are those of a workspace in use.
_PLAN = f"""
create temp table plan as
select n as number, uuidv7() as post_id, uuidv7() as target_id, now() - n * interval '20 s' as created_at,
    case when n % ($1::int / {RARE}) = 0 then ($2::uuid[])[{PROFILES + 1}] else ($2::uuid[])[1 + n % {PROFILES}] end
        as profile_id,
    case when n % ($1::int / {RARE}) = 0 then ($3::uuid[])[{PROFILES + 1}] else ($3::uuid[])[1 + n % {PROFILES}] end
        as account_id,
    case when n % ($1::int / {RARE}) = 1 then 'failed' when n % ($1::int / {RARE}) = 2 then 'partial'
        when n % 100 = 3 then 'draft' when n % 50 = 4 then 'scheduled' else 'published' end as status,
    n % ($1::int / {RARE}) = 0 as is_rare
from generate_series(1, $1::int) n
"""
_POST = {
    "id": "n.post_id",
    "profile_id": "n.profile_id",
    "text": "'Post ' || n.number || ' ' || md5(n.number::text) || case when n.is_rare then ' zebra' else '' end"
    " || case when n.number > 100000 then ' yesteryear' else '' end"
    " || case n.number % 2 when 0 then ' pqrst' else ' rstuv' end",
    "created_at": "n.created_at",
    "updated_at": "n.created_at",
    "status": "n.status",
    "published_at": "case when n.status in ('published', 'partial') then n.created_at end",
    "scheduled_at": "case when n.status = 'scheduled' then now() + n.number * interval '10 s' end",
    "tags": "case when n.is_rare then '{rare}'::text[] when n.number % 2 = 0 then '{common}' else '{}' end",
    "external_id": "case when n.is_rare then 'external-' || n.number end",
    "fanout_id": f"case when n.is_rare then '{_FANOUT}'::uuid end",
}
_TARGET = {
    "id": "n.target_id",
    "post_id": "n.post_id",
    "account_id": "n.account_id",
    "platform": "case when n.is_rare then 'bluesky' else t.platform end",
    "status": "case n.status when 'partial' then 'failed' when 'published' then 'published' when 'failed' then 'failed'"
    " else 'pending' end",
    "published_at": "case when n.status = 'published' then n.created_at end",
    "next_attempt_at": "null",
    "dedupe_key": "n.target_id::text",
    "content_hash": "sha256(uuid_send(n.target_id))",
}


def connect(service: Service, email: str) -> tuple[httpx.Client, list[str], list[str]]:
    """Return a client of a new workspace, its profiles and their accounts; the last ones get the rare posts."""
    client, _ = service.create_owner(email)
    profiles = [created(client, "/profiles", {"name": f"Profile {n}"})["id"] for n in range(PROFILES + 1)]
    accounts = [
        created(client, "/platforms/sandbox/connect", {"profileId": profile, "fields": {"username": f"u{n}"}})["id"]
        for n, profile in enumerate(profiles)
    ]
    return client, profiles, accounts


async def fill(db: Any, client: httpx.Client, profiles: list[str], accounts: list[str], posts: int) -> None:
    """Write so many posts, copies of one."""
    body = {"profileId": profiles[0], "targets": [{"accountId": accounts[0]}], "text": "Post", "draft": True}
    template = ids.decode("pst", created(client, "/posts", body)["id"])
    profile_ids = [ids.decode("prof", text) for text in profiles]
    account_ids = [ids.decode("acc", text) for text in accounts]
    async with db.transaction():
        await db.execute(_PLAN, posts, profile_ids, account_ids)
        await copy(db, "post", "t.id = $1", _POST, "plan as n", template)
        await copy(db, "target", "t.post_id = $1", _TARGET, "plan as n", template)
        await db.execute("update account set platform = 'bluesky' where id = $1", account_ids[-1])
        await db.execute("drop table plan")


def queries(profiles: list[str], accounts: list[str], posts: int) -> Mapping[str, dict[str, str]]:
    """Return query strings by what they ask for."""
    now = datetime.now(UTC)
    whole, half = timedelta(seconds=20 * posts), timedelta(seconds=10 * posts)
    return {
        "none": {},
        "profileId": {"profileId": profiles[0]},
        "profileId, rare": {"profileId": profiles[-1]},
        "status=published": {"status": "published"},
        "status=scheduled": {"status": "scheduled"},
        "status=draft": {"status": "draft"},
        "status=failed, rare": {"status": "failed"},
        "status=partial, rare": {"status": "partial"},
        "status=publishing, none": {"status": "publishing"},
        "status=queued, none": {"status": "queued"},
        "platform": {"platform": "sandbox"},
        "platform, rare": {"platform": "bluesky"},
        "accountId": {"accountId": accounts[0]},
        "accountId, rare": {"accountId": accounts[-1]},
        "from": {"from": (now - timedelta(days=1)).isoformat()},
        "from and to, in the middle": {
            "from": (now - half).isoformat(), "to": (now - half + timedelta(hours=1)).isoformat(),
        },
        "to, long ago": {"to": (now - whole + timedelta(hours=1)).isoformat()},
        "tag": {"tag": "common"},
        "tag, rare": {"tag": "rare"},
        "externalId": {"externalId": f"external-{posts // 2}"},
        "fanoutId": {"fanoutId": ids.encode("job", UUID(_FANOUT))},
        "sort=createdAt": {"sort": "createdAt"},
        "sort=-scheduledAt": {"sort": "-scheduledAt"},
        "sort=scheduledAt": {"sort": "scheduledAt"},
    }  # fmt: skip


SEARCHES = {
    "in 20 posts": {"q": "zebra"},
    "in 20 posts, sort=scheduledAt": {"q": "zebra", "sort": "scheduledAt"},
    "in one post": {"q": "post 777 "},
    "in no post": {"q": "quagga"},
    "in all posts": {"q": "post"},
    "in all posts, sort=scheduledAt": {"q": "post", "sort": "scheduledAt"},
    "in all posts but the newest 100,000": {"q": "yesteryear"},
    "frequent trigrams, never together": {"q": "pqrstuv"},
    "two letters, in every fifth post": {"q": "77"},
    "two letters, in no post": {"q": "zq"},
    "in all posts, with a tag of 20": {"q": "post", "tag": "rare"},
}


_TEXTS_OF_LARGEST = "select max(n) from (select count(*) as n from post group by workspace_id) p"


async def measure_searches(db: Any, client: httpx.Client) -> None:
    """Wait until the worker has written the texts, then search them."""
    started = time.perf_counter()
    wal = await db.fetchval("select pg_current_wal_lsn()")
    await db.execute("delete from search_pending")  # of the copies: nothing is indexed yet, so none is needed
    wanted = await db.fetchval(_TEXTS_OF_LARGEST)
    while (  # noqa: ASYNC110 - the worker is another process
        texts := await db.fetchval("select coalesce(max(texts), 0) from search_progress")
    ) < wanted - 256:
        await asyncio.sleep(1)
    seconds = time.perf_counter() - started
    octets = await db.fetchval("select pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::bigint", wal)
    sizes = await db.fetch("select pg_total_relation_size('post_text'), pg_relation_size('post_text_search')")
    print(f"{texts:,} texts indexed in {seconds:.0f} s, {octets / texts:,.0f} octets of WAL each; sizes {sizes}")
    print("\n| q | ms | goal |\n|---|---|---|")
    for name, query in SEARCHES.items():
        took = milliseconds(client, query)
        print(f"| {name} | {'given up' if took is None else f'{took:.0f}'} | 100 |", flush=True)


def milliseconds(client: httpx.Client, query: dict[str, str]) -> float | None:
    """Return the median time of a page; None if the service gives up."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        answer = client.get("/posts", params={"limit": "20"} | query)
        if answer.status_code == 503:
            return None
        if answer.status_code != 200:
            raise RuntimeError(answer.text[:500])
        times.append(1000 * (time.perf_counter() - started))
        if times[-1] > 1_000:
            break
    return statistics.median(times)


async def measure(service: Service, posts: int, *, only_searches: bool) -> None:
    db = await asyncpg.connect(service.cluster.dsn())
    small, large = connect(service, "small@example.test"), connect(service, "large@example.test")
    for place, count in ((small, SMALL), (large, posts)):
        started = time.perf_counter()
        await fill(db, *place, count)
        print(f"{count:,} posts written in {time.perf_counter() - started:.0f} s", flush=True)
    await db.execute("vacuum analyze post, target")
    if only_searches:
        await measure_searches(db, large[0])
        return
    print(f"| filter | {SMALL:,} posts, ms | {posts:,} posts, ms | ratio | goal |\n|---|---|---|---|---|")
    of_large = queries(large[1], large[2], posts)
    for name, query in queries(small[1], small[2], SMALL).items():
        least, most = milliseconds(small[0], query), milliseconds(large[0], of_large[name])
        if least is None or most is None:
            print(f"| {name} | {least} | {most} | given up | 1.5 |", flush=True)
        else:
            print(f"| {name} | {least:.1f} | {most:.1f} | {most / least:.2f} | 1.5 |", flush=True)
    await measure_searches(db, large[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="100,000 posts in the large workspace")
    parser.add_argument("--posts", type=int, default=None, help="posts in the large workspace")
    parser.add_argument("--searches", action="store_true", help="only texts")
    options = parser.parse_args()
    posts = options.posts or (100_000 if options.quick else LARGE)
    with temporary_folder() as folder, serving(folder) as service:
        uvloop.run(measure(service, posts, only_searches=options.searches))


if __name__ == "__main__":
    main()
