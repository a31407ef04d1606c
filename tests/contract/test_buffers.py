"""What a read reads does not grow with what other tenants have: pages of the database that it touches, counted.

Every row of the database is copied for several hundred tenants more, with ids of their own, so that each table grows
alike; each read is made before and after.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Final

import asyncpg
import pytest
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, PreparedRequest, Sample, create_sample, name_of
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.kit.db import Database
from signalpost.main import app
from signalpost.settings import Settings
from signalpost.web.routing import Endpoint

COPIES: Final = 400
FACTOR_MAX: Final = 1.5
PAGES_MAX: Final = 60
"""What may come on top: indexes are a level or two deeper, and a lease of the rate limit may fall into it."""
READS: Final = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET"]
_OF_ALL: Final = "is about the whole installation, for its staff; what it counts is sampled or has a limit"
GROWS: Final = {
    "GET /admin/jobs": _OF_ALL, "GET /admin/queue": _OF_ALL, "GET /admin/stats": _OF_ALL,
    "GET /admin/workspaces": _OF_ALL,
    "GET /healthz/api": "what all tenants have due makes the engine late, and is counted up to a limit",
    "GET /logs/requests": "lists the calls of the workspace, and those that this test makes are written meanwhile",
    "GET /status/components": "components are those of the installation, with rows as soon as a minute was sampled",
    "GET /status/incidents/active": "incidents are those of the installation; here some hundred are active at once",
}  # fmt: skip
"""Reads that grow with the installation, each with its reason."""
OWN_READS: Final = [read for read in READS if read.scope != "instance:admin" and "/healthz" not in read.path]
OWN_FACTOR_MAX: Final = 2.0
OWN_PAGES_MAX: Final = 400
"""What a workspace with many rows of its own may cost more: a page of its lists is full."""
_FOUND: Final = "first looks at what was published since it was last asked, one bounded step of it"
_COUNTED: Final = "counts what plans limit, row by row"
OWN_GROWS: Final = {
    "GET /api-keys": "sorts all keys of a workspace, of which people have a few",
    "GET /app-grants": "sorts all apps that a workspace has let in, of which people have a few",
    "GET /analytics/accounts": _FOUND, "GET /analytics/best-times": _FOUND, "GET /analytics/export": _FOUND,
    "GET /analytics/overview": _FOUND,
    "GET /posts/stats": "adds up the changes that the job has not added up yet, which are those of some seconds",
    "GET /auth/usage": _COUNTED, "GET /billing/status": _COUNTED,
    "GET /logs/requests": "looks through the calls of a period, for five seconds at most: an index for each filter"
    " would cost every call",
}  # fmt: skip
"""Reads that grow with what the workspace itself has, each with its reason."""
_KEPT: Final = ("workspace_id", "profile_id", "account_id", "user_id", "owner_id", "queue_id", "webhook_id")
"""What copies of a workspace's own rows have in common with the originals."""
_NOT_MANY: Final = ("workspace", "app_user", "member", "profile", "account", "queue", "webhook")
"""Of these nobody has many."""

STATS_PAGES_MAX: Final = 500
_MANY_POSTS: Final = (
    """
create temp table plan as
select uuidv7() as post_id, uuidv7() as target_id, now() - n * interval '2 minutes' as at,
    case when n <= 220000 then $1 else md5((n % 1000)::text)::uuid end as workspace_id
from generate_series(1, 1000000) n
""",
    """
insert into post (id, workspace_id, profile_id, timezone, publish_mode, created_by, source, mode, status, text,
    created_at, published_at)
select post_id, n.workspace_id, p.id, 'UTC', 'now', '{"type": "system", "id": null, "name": null}', 'api', 'live',
    'published', 'Warm rolls', at, at
from plan n, (select id from profile where workspace_id = $1 and is_default) p
""",
    """
insert into target (id, post_id, workspace_id, account_id, position, platform, status, content_hash, dedupe_key,
    delivery, published_at)
select target_id, post_id, workspace_id, md5(workspace_id::text)::uuid, 0, 'sandbox', 'published', uuid_send(target_id),
    target_id, 'live', at from plan n where $1::uuid is not null
""",
    """
insert into post_count (workspace_id, day, profile_id, mode, what, platform, count)
select p.workspace_id, day, p.profile_id, 'live', what, platform, count(*)
from (select * from post where workspace_id = $1 and text = 'Warm rolls') p cross join lateral (
    values ('published', '', '-infinity'::date), ('target_published', 'sandbox', '-infinity'),
        ('target_published', 'sandbox', (p.published_at at time zone 'UTC')::date)) c(what, platform, day)
where day = '-infinity' or day > now() - interval '7 days' group by 1, 2, 3, 4, 5, 6
on conflict (workspace_id, day, profile_id, mode, what, platform) do update
    set count = post_count.count + excluded.count
""",
)
"""Posts of one workspace and of a thousand others, and the counts of the one, as its triggers would have noted them."""
_OF_INSTALLATION = ("schema_migration", "instance", "worker", "engine_hold", "engine_timeline", "post_count_progress")
"""Tables with one row, or one for each process."""
_TABLES = """
select c.oid::regclass::text from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition and c.relname <> all($1)
"""
_COLUMNS = """
select a.attname as name, t.typname as type, bool_or(i.indisunique is true) as is_unique
from pg_attribute a join pg_type t on t.oid = a.atttypid
left join pg_index i on i.indrelid = a.attrelid and i.indisunique and a.attnum = any(i.indkey::smallint[])
    and not exists (select from pg_attribute b where b.attrelid = i.indrelid and b.atttypid = 'uuid'::regtype
        and b.attnum = any(i.indkey::smallint[]))
where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
group by 1, 2, a.attnum order by a.attnum
"""
_OTHERS = {
    "uuid": "md5({0}::text || n)::uuid",
    "citext": "{0} || '-' || n",
    "text": "{0} || '-' || n",
    "bytea": "sha256({0} || n::text::bytea)",
}
_PAGES = "select sum(coalesce(hits, 0) + coalesce(reads, 0))::integer from pg_stat_get_backend_io(pg_backend_pid())"


async def copy(
    db: "asyncpg.Connection[Any]", count: int, *, but: Sequence[str] = (), kept: Collection[str] = ()
) -> None:
    """Copy every row `count` times, as if as many installations of the same kind had been put together.

    `but`: tables that are left alone; `kept`: columns of ids that the copies share with the original.
    """
    await db.execute("set session_replication_role = replica")
    for (table,) in await db.fetch(_TABLES, [*_OF_INSTALLATION, *but]):
        columns = await db.fetch(_COLUMNS, table)
        values = [
            _OTHERS[type_].format(name)
            if name not in kept and type_ in _OTHERS and (is_unique or type_ == "uuid")
            else name
            for name, type_, is_unique in columns
        ]
        names = ", ".join(name for name, _, _ in columns)
        await db.execute(
            f"insert into {table} ({names}) select {', '.join(values)} from {table}, generate_series(1, {count}) n"
            " on conflict do nothing"
        )
    await db.execute("reset session_replication_role; analyze")


class Reads:
    """Makes reads in a database of its own."""

    def __init__(self, api: Api, database: Database, sample: Sample) -> None:
        self.api, self.sample, self._database = api, sample, database
        self._touched_by: dict[int, int] = {}

    def requests(self, endpoints: Sequence[Endpoint]) -> dict[str, PreparedRequest]:
        """Return what is read, by its name: of each endpoint, and with each of its filters."""
        found = {}
        for endpoint in endpoints:
            found[name_of(endpoint)] = self.sample.prepare(endpoint)
            for name, request in self.sample.filtered(endpoint).items():
                found[f"{name_of(endpoint)}?{name}"] = request
        return found

    async def pages(self, request: PreparedRequest, *, times: int = 3) -> int:
        """Return how many pages a read touches at least, once its statements are planned.

        What else goes on at the same time, such as writing the request log, only adds to them.
        """
        counts = []
        for _ in range(times):
            before = await self._touched()
            response = await request.send(self.api)
            assert response.status_code < 500, response.text
            counts.append(await self._touched() - before)
        return min(counts)

    async def _touched(self) -> int:
        """Return how many pages all connections have touched, those that the pools have replaced since included."""
        for pool in (self._database.pool, self._database.reserve.pool):
            while pool._lent:  # by what goes on after the response
                await asyncio.sleep(0)
            idle, pool._idle = pool._idle, []
            for connection, _ in idle:
                await connection.execute("select pg_stat_force_next_flush()")
                self._touched_by[connection.get_server_pid()] = await connection.fetchval(_PAGES)
            pool._idle += idle
        return sum(self._touched_by.values())


@pytest.fixture
async def reads(settings: Settings, fresh_dsn: str) -> AsyncIterator[Reads]:
    async with app.open_context(settings, fresh_dsn) as context, Api(app.create(context)) as api:
        yield Reads(api, context.database, await sample_of(context, api))


async def sample_of(context: AppContext, api: Api) -> Sample:
    return await create_sample(api, Make(context, api))


async def grown(
    reads: Reads, dsn: str, requests: Mapping[str, PreparedRequest], factor_max: float, pages_max: int, **options: Any
) -> dict[str, tuple[int, int]]:
    """Copy rows; return the reads that touch more pages than that, with how many before and after."""
    responses = {name: await request.send(reads.api) for name, request in requests.items() if "?" in name}
    assert {name: each.text for name, each in responses.items() if each.status_code == 422} == {}
    before = {name: await reads.pages(request) for name, request in requests.items()}
    db = await asyncpg.connect(dsn, user="postgres")
    try:
        await copy(db, COPIES, **options)
    finally:
        await db.close()
    after = {}
    for name, request in requests.items():
        pages = await reads.pages(request)
        pages_allowed = factor_max * before[name] + pages_max
        if pages > pages_allowed:
            pages = min(pages, await reads.pages(request, times=20))
        if pages > pages_allowed:
            after[name] = pages
    return {name: (before[name], pages) for name, pages in after.items()}


@pytest.mark.slow
async def test_what_other_tenants_have_is_not_read(reads: Reads, fresh_dsn: str) -> None:
    found = await grown(reads, fresh_dsn, reads.requests(READS), FACTOR_MAX, PAGES_MAX)
    more = {name: pages for name, pages in found.items() if name.partition("?")[0] not in GROWS}
    assert more == {}, "\n".join(f"{name}: {pages}" for name, pages in more.items())


@pytest.mark.heavy
async def test_what_one_has_is_read_by_the_page(reads: Reads, fresh_dsn: str) -> None:
    requests = {name_of(read): reads.sample.prepare(read) for read in OWN_READS}  # filters: `bench.lists`
    found = await grown(
        reads, fresh_dsn, requests, OWN_FACTOR_MAX, OWN_PAGES_MAX, but=(*_NOT_MANY, "audit"), kept=_KEPT
    )
    assert found.keys() <= OWN_GROWS.keys(), "\n".join(f"{name}: {pages}" for name, pages in found.items())


@pytest.mark.heavy
async def test_the_counts_of_a_large_workspace_are_not_counted_when_they_are_read(reads: Reads, fresh_dsn: str) -> None:
    """It has 220,000 of a million posts, of which 5,000 were published within a week."""
    [stats] = [endpoint for endpoint in READS if endpoint.path == "/posts/stats"]
    request = reads.sample.prepare(stats)
    before = (await request.send(reads.api)).json()["byStatus"]["published"]
    db = await asyncpg.connect(fresh_dsn, user="postgres", command_timeout=1_200)
    try:
        await db.execute("set session_replication_role = replica")
        for statement in _MANY_POSTS:
            await db.execute(statement, reads.sample.owner.workspace_id)
        await db.execute("reset session_replication_role; analyze")
    finally:
        await db.close()
    assert (await request.send(reads.api)).json()["byStatus"]["published"] == before + 220_000
    assert await reads.pages(request) <= STATS_PAGES_MAX
