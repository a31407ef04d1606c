"""Searches skip what cannot contain the string, and find all that does: compared with a database that reads it all."""

import asyncio
import random
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.identity.queries import tenant_sql
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.posts import search, work
from signalpost.posts.actions import search_blocks

_INSERT = """
insert into post (id, workspace_id, profile_id, timezone, title, text, status, publish_mode, created_by, source, mode,
    created_at, updated_at)
select u.id, $1, $2, 'UTC', u.title, u.text, 'published', 'now', '{"type": "user", "id": null, "name": "x"}', 'api',
    'live', u.at, u.at
from unnest($3::uuid[], $4::text[], $5::text[], $6::timestamptz[]) as u(id, title, text, at)
"""
_ALL = """
select id, created_at from post where workspace_id = $1 and deleted_at is null
    and strpos(lower(concat_ws(' ', title, text)), lower($2)) > 0
order by created_at desc, id desc
"""
WORDS = ["salt", "Salz", "sal", "ÉTÉ", "été", "日本", "tea", "eat", "ate", "Ω", "ς", "straße", "e e", "x"]
SEARCHES = [*WORDS, "a", " ", "lt s", "SALT", "t t", "本", "zebra", "alt tea", "%", "q"]


class Lease:
    """The lease of a job, as far as its handler uses it."""

    def __init__(self, context: AppContext) -> None:
        self.transaction = context.database.transaction


class Posts:
    """Posts of one workspace, written by the hundred."""

    def __init__(self, context: AppContext, api: Api, owner: Login) -> None:
        self.context, self.api, self.owner = context, api, owner
        self.random = random.Random(7)
        self.ids: list[UUID] = []

    async def write(self, count: int, at: datetime, *, step: timedelta = timedelta(seconds=1), word: str = "") -> None:
        made = [ids.new_id() for _ in range(count)]
        texts = [" ".join([*self.random.choices(WORDS, k=self.random.choice((1, 3, 40))), word]) for _ in made]
        titles = [self.random.choice((None, "Title", "Menu été")) for _ in made]
        profile_id = ids.decode("prof", self.owner.profile)
        values = (made, titles, texts, [at + step * n for n in range(count)])
        async with self.context.database.transaction() as db:
            await db.execute(_INSERT, self.owner.workspace_id, profile_id, *values)
        self.ids += made

    async def execute(self, statement: str, *values: Any) -> None:
        async with self.context.database.transaction() as db:
            await db.execute(statement, *values)

    async def index(self) -> None:
        lease: Any = Lease(self.context)
        job = work.SearchIndex()
        while await job.keep(lease, {}) is not None:
            pass

    async def fetch(self, statement: str, *values: Any) -> list[Any]:
        async with self.context.database.connection() as db:
            return [tuple(row) for row in await db.fetch(statement, *values)]

    async def expected(self, text: str) -> list[str]:
        return [ids.encode("pst", row[0]) for row in await self.fetch(_ALL, self.owner.workspace_id, text)]

    async def found(self, text: str, *, sort: str = "-createdAt", limit: int = 100, pages: int = 100) -> list[str]:
        seen: list[str] = []
        cursor = ""
        while cursor is not None and pages:
            query = {"q": text, "sort": sort, "limit": str(limit), "cursor": cursor}
            response = await self.api.get("/posts", key=self.owner.key, params=query)
            assert response.status_code == 200, response.text
            seen += [post["id"] for post in response.json()["data"]]
            cursor, pages = response.json()["nextCursor"], pages - 1
        return seen

    async def compare(self, *texts: str) -> None:
        for text in texts or SEARCHES:
            expected = await self.expected(text)
            assert await self.found(text) == expected, text


@pytest.fixture
async def posts(context: AppContext, api: Api, make: Make) -> Posts:
    return Posts(context, api, await make.owner())


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several blocks, batches and rounds of a few hundred posts."""
    monkeypatch.setattr(search_blocks, "_POSTS", 120)
    monkeypatch.setattr(search_blocks, "_OCTETS", 20_000)
    monkeypatch.setattr(search_blocks, "UNINDEXED_MIN", 50)
    monkeypatch.setattr(search_blocks, "_BLOCK_POSTS", 6)
    monkeypatch.setattr(search, "_ROUNDS", (2, 5))


HOUR_AGO = timedelta(hours=1)


async def test_blocks_lose_nothing(posts: Posts) -> None:
    """Whatever happens to posts, and whatever the blocks know of it yet."""
    now = datetime.now(UTC)
    await posts.write(300, now - 2 * HOUR_AGO, word="common")
    await posts.compare("common", "salz", "zebra")
    await posts.index()
    blocks = await posts.fetch("select count(*) from search_block where workspace_id = $1", posts.owner.workspace_id)
    assert blocks[0][0] >= 40
    assert await posts.fetch(_PENDING, posts.owner.workspace_id) == [(0,)]
    await posts.compare()

    await posts.write(30, now - HOUR_AGO)  # newer than the blocks
    await posts.write(40, now - 2 * HOUR_AGO, step=timedelta(seconds=9), word="common")  # among them
    await posts.write(5, now + timedelta(days=3))
    edited, trashed = posts.ids[20], posts.ids[40]
    await posts.execute("update post set text = 'a zebra' where id = $1", edited)
    await posts.execute("update post set title = 'Zebra' where id = $1", posts.ids[299])
    await posts.execute("update post set deleted_at = now(), text = 'a zebra' where id = $1", trashed)
    await posts.compare()
    await posts.index()
    await posts.compare()

    await posts.execute("update post set deleted_at = null where id = $1", trashed)
    await posts.execute("delete from post where id = any($1)", posts.ids[50:70])
    await posts.compare()
    await posts.index()
    assert await posts.fetch(_PENDING, posts.owner.workspace_id) == [(0,)]
    await posts.compare()
    await posts.write(200, now - HOUR_AGO, step=timedelta(0))  # all at one instant
    await posts.index()
    await posts.compare()


_PENDING = "select count(*) from search_pending where workspace_id = $1"


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt", "scheduledAt", "-scheduledAt"])
async def test_every_order_pages_without_gaps(posts: Posts, sort: str) -> None:
    """Also when blocks are added and posts are changed between two pages."""
    now = datetime.now(UTC)
    await posts.write(150, now - 2 * HOUR_AGO)
    await posts.index()
    await posts.write(20, now - HOUR_AGO)
    await posts.execute("update post set text = 'salt' where id = any($1)", posts.ids[::40])
    for text in ("salt", "été", "zebra"):
        expected = await posts.expected(text)
        found = await posts.found(text, sort=sort, limit=7)
        assert found == (expected if sort.startswith("-") else expected[::-1]), text


async def test_other_filters_narrow_a_search(posts: Posts) -> None:
    now = datetime.now(UTC)
    await posts.write(200, now - 2 * HOUR_AGO, word="common")
    await posts.execute("update post set tags = '{spring}' where id = any($1)", posts.ids[::50])
    await posts.index()
    response = await posts.api.get("/posts?q=common&tag=spring", key=posts.owner.key)
    assert [post["id"] for post in response.json()["data"]] == [
        ids.encode("pst", post_id) for post_id in posts.ids[150::-50]
    ]


async def test_a_change_that_is_not_committed_yet_is_found_afterwards(posts: Posts, context: AppContext) -> None:
    """The job runs while someone edits an old post, and while someone creates one: it knows neither."""
    await posts.write(120, datetime.now(UTC) - HOUR_AGO)
    await posts.index()
    async with context.database.transaction() as db:
        await db.execute("update post set text = 'a zebra' where id = $1", posts.ids[3])
        await _insert_now(db, posts, "another zebra")
        await posts.execute("update post set text = 'salt' where id = $1", posts.ids[2])
        await posts.index()
    await posts.compare("zebra", "salt")
    await posts.index()
    await posts.compare("zebra", "salt")
    assert len(await posts.found("zebra")) == 2


async def test_posts_of_a_running_transaction_come_after_all_blocks(posts: Posts, context: AppContext) -> None:
    """A transaction that has written when the job runs may have written a post that the job does not see."""
    async with context.database.transaction() as db, context.database.connection() as other:
        await db.execute("update workspace set name = name where id = $1", posts.owner.workspace_id)
        started = await db.fetchval("select now()")
        assert await other.fetchval(search_blocks.HORIZON) <= started - timedelta(seconds=20)


async def _insert_now(db: Db, posts: Posts, text: str) -> None:
    values = ([ids.new_id()], [None], [text], [datetime.now(UTC)])
    await db.execute(_INSERT, posts.owner.workspace_id, ids.decode("prof", posts.owner.profile), *values)


async def test_other_workspaces_are_not_read(posts: Posts, api: Api, make: Make, context: AppContext) -> None:
    """Neither their posts nor their blocks."""
    other = Posts(context, api, await make.owner())
    now = datetime.now(UTC)
    await other.write(200, now - HOUR_AGO, word="zebra")
    await posts.write(200, now - HOUR_AGO)
    await posts.index()
    assert await posts.found("zebra") == []
    assert len(await other.found("zebra")) == 200


async def test_a_rare_word_costs_few_reads(posts: Posts, context: AppContext) -> None:
    """Nearly all posts are skipped: those with the word and those beside them in their blocks are read."""
    await posts.write(600, datetime.now(UTC) - HOUR_AGO, word="common")
    await posts.execute("update post set text = 'the only zebra' where id = $1", posts.ids[100])
    await posts.index()
    assert await _reads(context, posts, "only zebra") < 30
    assert await _reads(context, posts, "quagga") < 10
    assert await _reads(context, posts, "common") < 80


@pytest.mark.parametrize("query", [{"q": "common", "sort": "scheduledAt"}, {"q": "mmonmon"}])
async def test_a_long_search_waits_for_others_of_its_tenant(
    posts: Posts, context: AppContext, api: Api, make: Make, query: dict[str, str]
) -> None:
    """A frequent word in another order, or frequent letters that are nowhere together: all posts may be read."""
    other = Posts(context, api, await make.owner())
    for one in (posts, other):
        await one.write(600, datetime.now(UTC) - HOUR_AGO, word="common monmo")
        await one.index()
    ((tenant_id,),) = await posts.fetch(f"select {tenant_sql('$1')}", posts.owner.workspace_id)
    async with context.state(search.LongSearches).take(tenant_id):
        waiting = asyncio.create_task(api.get("/posts", key=posts.owner.key, params=query))
        assert (await api.get("/posts", key=other.owner.key, params=query)).status_code == 200
        assert len(await posts.found("common", limit=20, pages=1)) == 20
        assert not waiting.done()
    assert (await waiting).status_code == 200


async def _reads(context: AppContext, posts: Posts, text: str) -> int:
    """Search for the newest 20 posts; return how many were read."""
    workspace_id = posts.owner.workspace_id
    everything = [("p.workspace_id = $", (workspace_id,)), ("p.deleted_at is null", ())]
    async with context.database.transaction() as db:
        async with AsyncExitStack() as stack:
            turn = search.Turn(stack, search.LongSearches(), "tenant")
            order = search.Order(21, ascending=False, after=None)
            await search.containing(db, workspace_id, text, everything, order, turn)
        read: int = await db.fetchval("select pg_stat_get_xact_tuples_fetched('post'::regclass)")
    return read
