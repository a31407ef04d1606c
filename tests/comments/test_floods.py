"""What a network or its visitors can throw at the collection of comments: bounded, nothing doubled, nothing stuck."""

import asyncio
import dataclasses
import itertools
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from tests.faults.scene import sizes
from tests.helpers.api import Api
from tests.helpers.comments import Commented, serve
from tests.helpers.factories import Login, Make

from signalpost import networks
from signalpost.accounts import queries as accounts
from signalpost.comments import queries
from signalpost.comments.actions import collect, store
from signalpost.context import AppContext
from signalpost.engine.jobs import RunAgain
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.kit.http import BadResponse
from signalpost.networks.connectors import sandbox
from signalpost.networks.contract import Comments, RemoteComment
from signalpost.networks.contract.comments import LISTED_MAX

HOSTILE = "<img src=x onerror=alert(1)>\0\u202e\x1b[31m\u2066\ud800"


def comment(name: str, parent: str | None = None, **more: Any) -> RemoteComment:
    values: dict[str, Any] = {"author_name": name, "text": name, "posted_at": clock.actual() - timedelta(minutes=1)}
    return RemoteComment(remote_id=name, parent_id=parent, author_id=name, author_handle=name, **values | more)


async def stored(post: Commented) -> dict[str, int]:
    """How many comments are there, under how many ids of the network, and how many of them are deleted."""
    query = """
    select count(*) as "all", count(distinct remote_id) as ids,
        count(*) filter (where deleted_at is not null) as deleted
    from comment where target_id = $1
    """
    async with post.context.database.connection() as db:
        return dict(await db.fetchrow(query, post.target_id) or {})


async def threads(post: Commented, api: Api, **query: str) -> list[tuple[str, list[str], bool]]:
    """The threads under the post: who began each, who answered in it, and whether there are more answers."""
    found = await api.get(f"/posts/{post.post['id']}/comments", params=query, key=post.owner.key)
    assert found.status_code == 200, found.text
    return [
        (
            each["comment"]["author"]["handle"],
            [answer["author"]["handle"] for answer in each["answers"]],
            each["more"],
        )
        for each in found.json()["data"]
    ]


@sizes("size", quick=(400, 100, 60), heavy=(10_000, 1_000, 2_000))
async def test_a_flood_of_which_each_look_shows_other_comments_is_bounded(
    post: Commented, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int, int]
) -> None:
    """`size`: comments, how many a look lists, how many are kept. Names and texts are as large as they come."""
    total, listed, kept = size
    monkeypatch.setattr(store, "COMMENTS_MAX", kept)
    monkeypatch.setattr(store, "KEPT_MAX", 2 * kept)
    huge = HOSTILE + "x" * 100_000
    pages = itertools.cycle(range(0, total, listed))

    async def flood(_session: Any, remote_ids: Any, _since: Any) -> dict[str, Comments]:
        start = next(pages)
        items = [comment(f"bot{number}", author_name=huge, text=huge) for number in range(start, start + listed)]
        return {remote_id: Comments(items=items + items, complete=False) for remote_id in remote_ids}

    serve(monkeypatch, post)
    monkeypatch.setitem(networks.CONNECTORS, "sandbox", dataclasses.replace(sandbox.CONNECTOR, comments=flood))
    tracemalloc.start()
    try:
        for _ in range(2 * total // listed):
            await post.collect()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert await stored(post) == {"all": kept, "ids": kept, "deleted": 0}
    assert peak < 100_000_000, f"{peak:,} bytes"
    [first, *_] = await post.list()
    assert (len(first["author"]["name"]), len(first["text"])) == (200, 5_000)
    assert first["text"].startswith("<img src=x onerror=alert(1)>  [31m\N{REPLACEMENT CHARACTER}xxx")


async def test_what_a_flood_leaves_behind_makes_room_up_to_a_bound(
    post: Commented, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the network has removed a flood, those who come later are collected; what is kept of it ends too."""
    monkeypatch.setattr(store, "COMMENTS_MAX", 10)
    monkeypatch.setattr(store, "KEPT_MAX", 25)
    for turn, expected in enumerate(
        ({"all": 10, "deleted": 0}, {"all": 20, "deleted": 10}, {"all": 25, "deleted": 20})
    ):
        post.wall.items = [comment(f"bot{turn}-{number}") for number in range(15)]
        await post.collect()
        found = await stored(post)
        assert {name: found[name] for name in expected} == expected, turn
    assert len(await threads(post, api, limit="100")) == 25


@sizes("depth", quick=150, heavy=1_000)
async def test_a_deep_thread_that_is_listed_from_its_end_is_one_thread(post: Commented, api: Api, depth: int) -> None:
    chain = [comment(f"level{level}", f"level{level - 1}" if level else None) for level in range(depth)]
    post.wall.items = [*reversed(chain), *chain]
    for _ in range(2):
        await post.collect()
    [(root, answers, more)] = await threads(post, api)
    shown = min(depth - 1, queries.ANSWERS_SHOWN)
    assert (root, answers, more) == ("level0", [f"level{n}" for n in range(1, shown + 1)], depth - 1 > shown)
    assert (await stored(post))["all"] == depth


async def test_a_thread_shows_less_of_its_answers_where_a_page_has_many_threads(
    post: Commented, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signalpost.comments.routes.ANSWERS_OF_PAGE", 4)
    post.wall.items = [comment("a"), comment("b"), *(comment(f"{root}{n}", root) for root in "ab" for n in range(3))]
    await post.collect()
    assert await threads(post, api) == [("a", ["a0", "a1"], True), ("b", ["b0", "b1"], True)]
    assert await threads(post, api, limit="1") == [("a", ["a0", "a1", "a2"], False)]


async def test_comments_that_answer_each_other_in_a_circle_are_stored_once(post: Commented, api: Api) -> None:
    post.wall.items = [comment("a", "b"), comment("b", "c"), comment("c", "a"), comment("self", "self")]
    for _ in range(3):
        await post.collect()
    found = await threads(post, api)
    assert sorted(found) == [("c", ["b", "a"], False), ("self", [], False)]


async def test_a_comment_whose_thread_is_listed_later_is_moved_there(post: Commented, api: Api) -> None:
    """With what hangs on it by then."""
    post.wall.complete = False
    post.wall.items = [comment("answer", "root"), comment("below", "answer")]
    await post.collect()
    assert await threads(post, api) == [("answer", ["below"], False)]
    post.wall.items = [comment("answer", "root"), comment("last", "below"), comment("root")]
    await post.collect()
    assert await threads(post, api) == [("root", ["answer", "below", "last"], False)]


async def test_one_comment_under_two_posts_stays_where_it_was_first(
    post: Commented, context: AppContext, api: Api, make: Make, owner: Login
) -> None:
    """Also if its text is another one at each place."""
    post.wall.items = [comment("ada", text="here"), comment("bob", "ada")]
    await post.collect()
    other = await Commented(context, api, owner).publish(make)
    walls = {each.post["targets"][0]["platformPostId"]: each.wall for each in (post, other)}
    other.wall.items = [comment("ada", text="there"), comment("eve", "ada")]

    async def listed(_session: Any, remote_ids: Any, _since: Any) -> dict[str, Comments]:
        return {each: Comments(items=walls[each].items, complete=True) for each in remote_ids}

    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(networks.CONNECTORS, "sandbox", dataclasses.replace(sandbox.CONNECTOR, comments=listed))
        for _ in range(2):
            await other.collect()
            await post.collect()
    assert await threads(post, api) == [("ada", ["bob"], False)]
    assert await threads(other, api) == [("eve", [], False)]
    [ada] = [each for each in await post.list() if each["platformCommentId"] == "ada"]
    assert (ada["text"], ada["editedAt"], ada["deletedAt"]) == ("here", None, None)


async def test_a_network_that_never_ends_or_a_connector_that_fails_holds_up_no_other_post(
    post: Commented, make: Make, context: AppContext, api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What goes wrong with one post is postponed, and the next run of the account asks for the others."""
    other = await Commented(context, api, owner).publish(make)
    waiting = post.post["targets"][0]["platformPostId"]
    monkeypatch.setattr(collect, "ASK_SECONDS_MAX", 0.05)

    def asks(problem: Any) -> None:
        async def listed(_session: Any, remote_ids: Any, _since: Any) -> dict[str, Comments]:
            if waiting in remote_ids:
                await problem()
            return {each: Comments(items=[comment("ada")]) for each in remote_ids}

        facts = dataclasses.replace(sandbox.FACTS, comments_per_call=1)
        broken = dataclasses.replace(sandbox.CONNECTOR, comments=listed, facts=facts)
        monkeypatch.setitem(networks.CONNECTORS, "sandbox", broken)

    async def hang() -> None:
        await asyncio.Event().wait()

    async def fail() -> None:
        raise KeyError("data")

    for problem in (hang, fail):
        asks(problem)
        async with context.database.transaction() as db:
            query = "update comment_source set next_attempt_at = now() - $2::interval where target_id = $1"
            await db.execute(query, other.target_id, timedelta(seconds=1))
        assert await post.collect() == RunAgain(collect.PAUSE_SECONDS)
    async with context.database.connection() as db:
        query = "select last_error, failures, next_attempt_at > now() from comment_source where target_id = $1"
        assert tuple(await db.fetchrow(query, post.target_id) or ()) == ("the connector failed: KeyError", 2, True)
    assert [each["platformCommentId"] for each in await other.list()] == ["ada"]


def test_a_list_of_something_else_is_refused_and_a_long_one_is_cut() -> None:
    wrong: Any
    for wrong in ([1], [None], "abc", 5, None, iter([comment("a")]), {"a": comment("a")}, [comment("a"), "b"]):
        with pytest.raises(BadResponse):
            Comments(items=wrong)
    long = Comments(items=[comment("a")] * (LISTED_MAX + 1), complete=True)
    assert (len(long.items), long.complete) == (LISTED_MAX, False)
    yes: Any = "yes"
    assert Comments(complete=yes).complete is False
    odd = comment("a", is_own=yes, hidden=1, liked=None, author_name=b"x", text=None, url=7, author_url="ftp://x")
    assert (odd.is_own, odd.hidden, odd.liked) == (False, False, False)
    assert (odd.author_name, odd.text, odd.url, odd.author_url) == ("a", "", None, None)


async def test_a_page_is_written_in_as_many_statements_however_many_comments_it_has(
    post: Commented, context: AppContext
) -> None:
    """New ones, such as were edited, and such as are gone."""
    seen: list[str] = []

    @asynccontextmanager
    async def begin() -> AsyncIterator[Db]:
        async with context.database.transaction() as db:
            with db.query_logger(lambda record: seen.append(record.query)):
                yield db

    await post.is_due()
    async with context.database.connection() as db:
        account = await accounts.by_id(db, post.account_id)
        [target] = await queries.due(db, post.account_id, post.owner.workspace_id, 2)
    assert account is not None

    async def statements(items: list[RemoteComment]) -> list[str]:
        seen.clear()
        listed = Comments(items=items, complete=True)
        await store.store(context, begin, account, target, listed, began_at=clock.now())
        return list(seen)

    def page(word: str, count: int, text: str) -> list[RemoteComment]:
        return [
            comment(f"{word}{number}", f"{word}{number - 1}" if number % 3 else None, text=text, is_own=number % 3 == 1)
            for number in range(count)
        ]

    few, many = page("few", 3, "new"), page("many", store.AT_ONCE - 3, "new")
    assert len(await statements(few)) == len(await statements(few + many)) > 0
    assert await statements(few + many) == []
    edited = page("few", 3, "edited") + page("many", store.AT_ONCE - 3, "edited")
    assert len(await statements(edited[:3] + many)) == len(await statements(edited))
    await statements(edited[:1])
    there = [each for each in edited[1:] if each.is_own]  # an own one may be listed late
    assert await stored(post) == {
        "all": store.AT_ONCE, "ids": store.AT_ONCE, "deleted": store.AT_ONCE - 1 - len(there),
    }  # fmt: skip
