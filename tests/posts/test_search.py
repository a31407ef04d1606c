"""Searches find all that contains the string, by the index or without: compared with a database that reads it all."""

import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.migrations import search_index
from signalpost.posts import work
from signalpost.posts.find import index_texts, listing, search

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


async def index(context: AppContext) -> None:
    """Do the job until nothing is left, in all workspaces."""
    lease: Any = Lease(context)
    job = work.SearchTexts()
    while await job.write(lease, {}) is not None:
        pass


class Posts:
    """Posts of one workspace, written by the hundred."""

    def __init__(self, context: AppContext, api: Api, owner: Login) -> None:
        self.context, self.api, self.owner = context, api, owner
        self.random = random.Random(7)
        self.turn = 0
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
        await index(self.context)

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
            page = response.json()
            seen += [post["id"] for post in page["data"]]
            cursor, pages = page["nextCursor"], pages - 1
        return seen

    async def compare(self, *texts: str) -> None:
        """Compare these searches; without, those of the next third of all."""
        self.turn += 1
        for text in texts or SEARCHES[self.turn % 3 :: 3]:
            expected = await self.expected(text)
            assert await self.found(text) == expected, text


LEAST = 50
"""Of a workspace with fewer unindexed texts none is indexed."""


@pytest.fixture(scope="module", autouse=True)
async def texts_of_others(context: AppContext) -> None:
    """What other tests left is indexed at full pace: with the bounds of these tests it takes minutes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_texts, "UNINDEXED_MIN", LEAST)
        await index(context)


@pytest.fixture
async def posts(context: AppContext, api: Api, make: Make) -> Posts:
    return Posts(context, api, await make.owner())


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Bounds that a few hundred posts exceed."""
    monkeypatch.setattr(index_texts, "UNINDEXED_MIN", LEAST)
    monkeypatch.setattr(
        work, "_TEXTS", 40_000
    )  # also of each of a hundred workspaces: those of other tests are looked at
    monkeypatch.setattr(listing, "_NEXT_POSTS", 30)
    monkeypatch.setattr(listing, "_SEARCHED_POSTS", 60)
    monkeypatch.setattr(search, "FOUND_MAX", 100)
    _forget_statements()
    yield
    _forget_statements()


def _forget_statements() -> None:
    for statement in (listing._statement, listing._last_of_next):
        statement.cache_clear()


HOUR_AGO = timedelta(hours=1)


@pytest.mark.slow
async def test_the_index_loses_nothing(posts: Posts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens to posts, and whatever the index knows of it yet: many transactions write it."""
    monkeypatch.setattr(index_texts, "_OCTETS", 10_000)
    now = datetime.now(UTC)
    await posts.write(300, now - 2 * HOUR_AGO, word="common")
    await posts.compare("common", "salz", "zebra")
    await posts.index()
    ((written,),) = await posts.fetch(_TEXTS, posts.owner.workspace_id)
    assert 250 < written <= 300  # fewer than the least are left for later
    assert await posts.fetch(_PENDING, posts.owner.workspace_id) == [(0,)]
    await posts.compare()

    await posts.write(30, now - HOUR_AGO)  # newer than what is indexed
    await posts.write(40, now - 2 * HOUR_AGO, step=timedelta(seconds=9), word="common")  # among it
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
    progress = "select texts from search_progress where workspace_id = $1"
    ((written,),) = await posts.fetch(progress, posts.owner.workspace_id)
    await posts.execute("update post set text = 'again' where id = any($1)", posts.ids[100:150])
    await posts.index()
    assert await posts.fetch(progress, posts.owner.workspace_id) == [(written,)]
    await posts.execute("delete from post where workspace_id = $1", posts.owner.workspace_id)
    assert await posts.fetch(_TEXTS, posts.owner.workspace_id) == [(0,)]


_PENDING = "select count(*) from search_pending where workspace_id = $1"
_TEXTS = "select count(*) from post_text where workspace_id = $1"


@pytest.mark.parametrize("sort", ["createdAt", "-createdAt", "scheduledAt", "-scheduledAt"])
async def test_every_order_pages_without_gaps(posts: Posts, sort: str) -> None:
    """Also when posts are indexed and changed between two pages."""
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


async def test_posts_of_a_running_transaction_are_not_passed_over(posts: Posts, context: AppContext) -> None:
    """A transaction that has written when the job runs may have written a post that the job does not see."""
    async with context.database.transaction() as db, context.database.connection() as other:
        await db.execute("update workspace set name = name where id = $1", posts.owner.workspace_id)
        started = await db.fetchval("select now()")
        assert await other.fetchval(index_texts.HORIZON) <= started - timedelta(seconds=20)


async def _insert_now(db: Db, posts: Posts, text: str) -> None:
    values = ([ids.new_id()], [None], [text], [datetime.now(UTC)])
    await db.execute(_INSERT, posts.owner.workspace_id, ids.decode("prof", posts.owner.profile), *values)


async def test_a_frequent_word_fills_pages_from_the_newest(posts: Posts) -> None:
    """A page ends where no more posts were looked at, even if it is empty, and leads on from there."""
    await posts.write(300, datetime.now(UTC) - HOUR_AGO, word="common")
    await posts.execute("update post set text = 'salt' where id = any($1)", posts.ids[120:])
    await posts.index()
    query = {"q": "common", "limit": "20"}
    first = (await posts.api.get("/posts", key=posts.owner.key, params=query)).json()
    assert (first["data"], first["hasMore"]) == ([], True)
    assert await posts.found("common", limit=20, pages=3) == []  # 180 posts without it
    assert len(await posts.found("common", limit=20)) == 120
    await posts.compare("common")


async def test_posts_that_few_filters_leave_are_searched_at_once(posts: Posts) -> None:
    """A frequent word, and a tag that few posts have: no page ends before them."""
    await posts.write(300, datetime.now(UTC) - HOUR_AGO, word="common")
    await posts.execute("update post set tags = '{spring}' where id = any($1)", posts.ids[:3])
    await posts.index()
    response = await posts.api.get("/posts?q=common&tag=spring", key=posts.owner.key)
    assert [len(response.json()["data"]), response.json()["hasMore"]] == [3, False]


async def test_a_word_of_others_costs_nothing(posts: Posts, api: Api, make: Make, context: AppContext) -> None:
    """The workspace comes first in the index: the words of another one are not read, nor are its posts."""
    other = Posts(context, api, await make.owner())
    now = datetime.now(UTC)
    await other.write(400, now - HOUR_AGO, word="zebra")
    await posts.write(200, now - HOUR_AGO, word="common")
    await posts.index()
    assert await posts.found("zebra") == []
    assert len(await other.found("zebra")) == 400
    for text in ("zebra", "common"):
        [plan] = await _plans(posts, text)
        [scan] = _nodes(plan, "Bitmap Index Scan")
        assert scan["Index Name"] == "post_text_search"
        assert f"{posts.owner.workspace_id}/0" in scan["Index Cond"], scan
        assert "folded ~~" in scan["Index Cond"], scan
        assert scan["Actual Rows"] == (200 if text == "common" else 0)


_FETCHED = "select pg_stat_get_xact_tuples_fetched('post'::regclass)"


async def test_a_rare_word_costs_few_reads(posts: Posts, context: AppContext) -> None:
    """Nearly all posts are skipped: only those with the word are read."""
    await posts.write(600, datetime.now(UTC) - HOUR_AGO, word="common")
    await posts.execute("update post set text = 'the only zebra' where id = $1", posts.ids[100])
    await posts.index()
    for text, found in (("only zebra", 1), ("quagga", 0)):
        async with context.database.transaction() as db:
            before = await db.fetchval(_FETCHED)
            candidates = await search.TextQuery(posts.owner.workspace_id, text).candidates(db)
            assert candidates is not None
            assert len(candidates) == found
            assert await db.fetchval(_FETCHED) == before


@pytest.mark.parametrize("text", ["common", "at", "% _", "🎉🎉🎉"])
async def test_what_the_index_cannot_tell(posts: Posts, context: AppContext, text: str) -> None:
    """More posts than a few pages have, less than three letters in a row, no letter at all."""
    await posts.write(200, datetime.now(UTC) - HOUR_AGO, word="common")
    await posts.index()
    async with context.database.transaction() as db:
        assert await search.TextQuery(posts.owner.workspace_id, text).candidates(db) is None


@pytest.mark.parametrize("text", ["日本語", "приве", "ΌΔΟΣ", "straßen", "İSTAN", "étage 1", "100%_a\\b"])
async def test_every_alphabet_is_indexed(posts: Posts, context: AppContext, text: str) -> None:
    await posts.write(200, datetime.now(UTC) - HOUR_AGO)
    await posts.execute("update post set text = $2 where id = $1", posts.ids[5], f"vorher{text}nachher")
    await posts.index()
    async with context.database.transaction() as db:
        candidates = await search.TextQuery(posts.owner.workspace_id, text).candidates(db)
    assert candidates == [posts.ids[5]]
    await posts.compare(text, text.lower())


async def test_a_workspace_with_many_texts_is_searched_in_parts(posts: Posts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part is one look into the index, so that what is found ends the search early."""
    monkeypatch.setattr(index_texts, "SHARD_TEXTS", 20_000)
    await posts.write(120, datetime.now(UTC) - HOUR_AGO, word="common")
    await posts.execute("update post set text = 'zebra' where id = any($1)", posts.ids[::60])
    await posts.execute(
        "insert into search_progress values ($1, '-infinity', $2, 19950)", posts.owner.workspace_id, UUID(int=0)
    )
    await posts.index()
    shards = "select shard, count(*) from post_text where workspace_id = $1 group by shard order by shard"
    assert await posts.fetch(shards, posts.owner.workspace_id) == [(0, 50), (1, 70)]
    await posts.compare("zebra", "common")


async def test_texts_are_searched_without_the_extension(fresh_dsn: str) -> None:
    """A server may not have it: the newest posts are looked at then. The next start after it came makes the index."""
    connection = await asyncpg.connect(fresh_dsn)
    try:
        await connection.execute("drop extension pg_trgm cascade")
        workspace_id = ids.new_id()
        assert not await connection.fetchval(search_index.IS_READY)
        assert await search.TextQuery(workspace_id, "zebra").candidates(connection) is None
        await connection.execute("insert into search_progress values ($1, now(), $1, 0)", workspace_id)
        assert await search.TextQuery(workspace_id, "zebra").candidates(connection) is None
        assert await search_index.ensure(connection)
        assert await search.TextQuery(workspace_id, "zebra").candidates(connection) == []
    finally:
        await connection.close()


async def _plans(posts: Posts, text: str) -> list[Any]:
    """Return how the statements within `posts_containing` were run."""
    async with posts.context.database.connection() as db:
        function = await db.fetchval("select prosrc from pg_proc where proname = 'posts_containing'")
        statement = function[function.index("select t.post_id") : function.index("limit missing")]
        values = {"p_workspace": f"'{posts.owner.workspace_id}'::uuid", "part": "0", "pattern": f"'%{text}%'"}
        for name, value in values.items():
            statement = re.sub(rf"\b{name}\b", value, statement)
        await db.execute("set enable_seqscan = off")
        explained = await db.fetchval(f"explain (analyze, format json) {statement}")
        await db.execute("reset enable_seqscan")
    return [entry["Plan"] for entry in explained]


def _nodes(plan: Any, kind: str) -> list[Any]:
    found = [plan] if plan["Node Type"] == kind else []
    return found + [node for child in plan.get("Plans", ()) for node in _nodes(child, kind)]
