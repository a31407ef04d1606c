"""Looks at what is due: of all accounts together, and what gets a job of its own."""

import asyncio
import dataclasses
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import pytest
from tests.helpers.api import Api
from tests.helpers.comments import Commented, job
from tests.helpers.factories import Login, Make

from signalpost import networks
from signalpost.comments import work
from signalpost.comments.actions import plan, together
from signalpost.context import AppContext
from signalpost.engine.jobs import RunAgain
from signalpost.kit.db import Database
from signalpost.kit.http import Response
from signalpost.networks.connectors import sandbox
from signalpost.networks.contract import ApiError, Comments


async def source(post: Commented) -> Any:
    async with post.context.database.connection() as db:
        query = "select *, next_attempt_at - now() as wait from comment_source where target_id = $1"
        return await db.fetchrow(query, post.target_id)


async def has_job(post: Commented) -> bool:
    async with post.context.database.connection() as db:
        query = "select exists (select from job where unique_key = $1)"
        return bool(await db.fetchval(query, f"{plan.KEY}{post.account_id}"))


async def test_what_is_published_is_looked_at_from_then_on(post: Commented) -> None:
    row = await source(post)
    assert (row["account_id"], row["read_at"], row["wait"] <= timedelta(0)) == (post.account_id, None, True)
    post.wall.add("ada")
    await post.look()
    row = await source(post)
    assert timedelta(minutes=4) < row["wait"] <= timedelta(minutes=5)
    assert (row["read_at"] is not None, row["listed"], await has_job(post)) == (True, 1, False)
    assert [each["platformCommentId"] for each in await post.list()] == [post.wall.items[0].remote_id]


async def test_a_network_has_a_minute_before_it_is_asked_first(post: Commented, database: Database) -> None:
    async with database.transaction() as db:
        await db.execute("delete from comment_source where target_id = $1", post.target_id)
        await db.execute("update target set platform = 'bluesky' where id = $1", post.target_id)
        await plan.add(db, [post.target_id, post.target_id])
    row = await source(post)
    assert row["next_attempt_at"] - row["published_at"] >= timedelta(minutes=1)


async def test_what_nobody_heard_of_is_added_within_an_hour(
    post: Commented, context: AppContext, database: Database
) -> None:
    async with database.transaction() as db:
        await db.execute("delete from comment_source where target_id = $1", post.target_id)
    lease: Any = post.lease
    for _ in range(2):
        while await job(context, work.ADD_MISSED)(lease, {}):
            pass
    assert (await source(post))["account_id"] == post.account_id


async def test_a_look_that_finds_nothing_new_writes_no_comment_and_no_job(
    post: Commented, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All looks of a step share the transaction that the lease begins."""
    post.wall.add("ada")
    await post.look()
    begun = 0
    transaction = database.transaction

    def counted() -> Any:
        nonlocal begun
        begun += 1
        return transaction()

    await post.is_due()
    await post.is_alone()
    with monkeypatch.context() as patched:
        patched.setattr(post.context.database, "transaction", counted)
        lease: Any = post.lease
        looking = together.Looking(post.context)
        while await looking.step(lease):
            pass
    assert (begun, await has_job(post), post.wall.calls) == (0, False, 2)


async def test_a_look_that_was_cut_is_repeated(post: Commented, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill between what is stored and what is noted of it."""
    post.wall.add("ada")

    async def killed(*_: Any) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as patched:
        patched.setattr(plan, "write_looks", killed)
        with pytest.raises(asyncio.CancelledError):
            await post.look()
    assert (await source(post))["wait"] <= timedelta(0)
    await post.look()
    assert ((await source(post))["wait"] > timedelta(0), len(await post.list()), post.wall.calls) == (True, 1, 2)


async def test_posts_of_one_account_that_are_due_together_are_one_call(
    post: Commented, context: AppContext, api: Api, make: Make, owner: Login
) -> None:
    other = await Commented(context, api, owner).publish(make)
    await other.is_due()
    await post.look()
    assert (post.wall.calls, (await source(other))["read_at"] is not None) == (1, True)


@pytest.mark.parametrize("problem", ["fails", "hangs", "lists many", "has many posts"])
async def test_what_takes_longer_gets_a_job_of_its_own(
    post: Commented, context: AppContext, api: Api, make: Make, monkeypatch: pytest.MonkeyPatch, problem: str
) -> None:
    """And holds up no other account."""
    other_owner = await make.owner()
    await make.account(other_owner)
    other = await Commented(context, api, other_owner).publish(make)
    waiting = post.post["targets"][0]["platformPostId"]
    monkeypatch.setattr(together, "COMMENTS_MAX", 3)

    async def listed(_session: Any, remote_ids: Any, _since: Any) -> dict[str, Comments]:
        if waiting not in remote_ids:
            return await other.wall.list(None, remote_ids, None)
        if problem == "fails":
            raise ApiError(Response(400, {}, b"{}", 5), "GET /comments")
        if problem == "hangs":
            await asyncio.Event().wait()
        return await post.wall.list(None, remote_ids, None)

    for name in ("ada", "bob", "cyd", "dan"):
        post.wall.add(name)
    other.wall.add("eve")
    if problem == "hangs":
        monkeypatch.setattr(together, "ASK_SECONDS_MAX", 0.05)
    if problem == "has many posts":
        monkeypatch.setattr(together, "CALLS_MAX", 0)
    facts = dataclasses.replace(sandbox.FACTS, comments_per_call=1)
    served = dataclasses.replace(sandbox.CONNECTOR, comments=listed, facts=facts)
    monkeypatch.setitem(networks.CONNECTORS, "sandbox", served)
    await other.is_due()
    await post.look()
    if problem == "fails":  # it was asked once, and is left to a job from then on
        assert ((await source(post))["failures"], await has_job(post)) == (1, False)
        await post.look()
    assert await has_job(post)
    if problem != "has many posts":
        assert len(await other.list()) == 1
    calls = post.wall.calls
    await post.look()  # its job waits, and asks for all that is due
    assert (post.wall.calls, await post.list()) == (calls, [])


async def test_an_account_that_is_not_connected_is_not_asked(post: Commented, database: Database) -> None:
    async with database.transaction() as db:
        await db.execute("update account set status = 'needs_reauth' where id = $1", post.account_id)
    await post.look()
    assert (post.wall.calls, (await source(post))["wait"] > timedelta(minutes=50)) == (0, True)


async def test_publishing_goes_first(post: Commented, make: Make, owner: Login, database: Database) -> None:
    await make.post(owner, text="Soon")
    async with database.transaction() as db:
        query = "update target set next_attempt_at = now() + interval '20 seconds' where account_id = $1 and id <> $2"
        await db.execute(query, post.account_id, post.target_id)
    await post.look()
    assert (post.wall.calls, (await source(post))["wait"] <= timedelta(0)) == (0, True)


async def test_a_post_is_forgotten_when_its_looks_are_over(post: Commented, database: Database) -> None:
    """Also one that was removed before: its row keeps it from being added again, and goes on the same day."""

    async def at_age(age: timedelta) -> UUID | None:
        async with database.transaction() as db:
            query = "update comment_source set published_at = now() - $2::interval where target_id = $1"
            await db.execute(query, post.target_id, age)
        await post.look()
        return await source(post)

    assert await at_age(timedelta(days=29)) is not None
    assert await at_age(timedelta(days=30, seconds=1)) is None


async def test_more_than_one_step_looks_at_are_looked_at_in_their_order(
    post: Commented, context: AppContext, api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step is bounded, and goes on behind those that have to wait."""
    monkeypatch.setattr(together, "POSTS", 2)
    posts = [post]
    for _ in range(3):
        one = await make.owner()
        await make.account(one)
        posts.append(await Commented(context, api, one).publish(make))
    async with context.database.transaction() as db:
        query = "update comment_source set next_attempt_at = now() - interval '1 year' where target_id = $1"
        for each in posts[:2]:
            await db.execute(query, each.target_id)
            await plan.enqueue(db, each.account_id, each.owner.workspace_id)
    for each in posts[2:]:
        await each.is_due()
    await post.is_alone()
    lease: Any = post.lease
    looking = together.Looking(context)
    while await looking.step(lease):
        pass
    waits = [(await source(each))["wait"] > timedelta(0) for each in posts]
    assert waits == [False, False, True, True]


@pytest.fixture
async def posts(post: Commented, context: AppContext, api: Api, make: Make) -> list[Commented]:
    """Posts of four workspaces, all due now, and nothing else."""
    found = [post]
    for _ in range(3):
        one = await make.owner()
        await make.account(one)
        found.append(await Commented(context, api, one).publish(make))
    for each in found:
        await each.is_due()
    async with context.database.transaction() as db:
        query = "update comment_source set next_attempt_at = now() + interval '1 day' where not target_id = any($1)"
        await db.execute(query, [each.target_id for each in found])
        await db.execute("delete from job where kind = $1", together.SHARE)
    return found


def share_of(post: Commented) -> int:
    return post.account_id.bytes[15] % together.SHARES


async def are_due(posts: list[Commented]) -> list[bool]:
    return [(await source(each))["wait"] <= timedelta(0) for each in posts]


class Asked:
    """Which posts the network was asked for, in this order; it answers when it may."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.remote_ids: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.began = asyncio.Event()
        served = dataclasses.replace(sandbox.CONNECTOR, comments=self._list)
        monkeypatch.setitem(networks.CONNECTORS, "sandbox", served)

    async def _list(self, _session: Any, remote_ids: Any, _since: Any) -> dict[str, Comments]:
        self.remote_ids += remote_ids
        self.began.set()
        await self.may_answer.wait()
        return {remote_id: Comments(items=(), complete=True) for remote_id in remote_ids}


async def test_a_worker_that_does_not_keep_up_is_helped_by_others_at_other_accounts(
    posts: list[Commented], context: AppContext, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever share an account is in, it is asked once; and each share has a lane, so that workers can take it."""
    monkeypatch.setattr(together, "POSTS", 1)
    asked, lease = Asked(monkeypatch), cast("Any", posts[0].lease)
    await job(context, work.LOOK)(lease, {})
    async with database.connection() as db:
        query = "select payload, queue from job where kind = $1 order by payload->>'share'"
        waiting = await db.fetch(query, together.SHARE)
    assert [row["payload"]["share"] for row in waiting] == [1, 2, 3]
    assert len({row["queue"] for row in waiting}) == 3

    for row in waiting:  # by workers of their own
        while await job(context, together.SHARE)(lease, row["payload"]):
            pass
    assert sorted(asked.remote_ids) == sorted(each.post["targets"][0]["platformPostId"] for each in posts)
    assert await are_due(posts) == [False] * 4

    for each in posts:
        await each.is_due()
    while await job(context, work.LOOK)(lease, {}):  # beside others, it looks at its own share alone
        pass
    assert await are_due(posts) == [share_of(each) != 0 for each in posts]


async def test_one_that_keeps_up_looks_at_everything_by_itself(
    posts: list[Commented], context: AppContext, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, lease = Asked(monkeypatch), cast("Any", posts[0].lease)
    assert await job(context, work.LOOK)(lease, {}) is None
    assert (len(asked.remote_ids), await are_due(posts)) == (4, [False] * 4)
    async with database.connection() as db:
        assert await db.fetchval("select count(*) from job where kind = $1", together.SHARE) == 0


async def test_a_worker_looks_at_one_share_at_a_time(
    posts: list[Commented], context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So it gives looks one place, however many shares wait; another worker goes on with them meanwhile."""
    asked, lease = Asked(monkeypatch), cast("Any", posts[0].lease)
    asked.may_answer.clear()
    worker, other = together.Looking(context), together.Looking(context)
    mine = share_of(posts[0])
    theirs = (mine + 1) % together.SHARES
    looking = asyncio.create_task(worker.run_share(lease, {"share": mine}))
    await asked.began.wait()

    assert await worker.run_share(lease, {"share": theirs}) == RunAgain(together.BUSY_SECONDS)
    asked.may_answer.set()
    assert await other.run_share(lease, {"share": theirs}) is None
    assert await looking is None
    assert await are_due(posts) == [share_of(each) not in {mine, theirs} for each in posts]


async def test_a_network_that_takes_too_long_is_not_asked_twice_at_each_look(
    post: Commented, context: AppContext, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "ASK_SECONDS_MAX", 0.05)
    asked, looking = Asked(monkeypatch), together.Looking(context)
    asked.may_answer.clear()
    for _ in range(2):
        await post.is_due()
        await post.is_alone()
        await looking.step(cast("Any", post.lease))
        assert await has_job(post)
        async with database.transaction() as db:
            await db.execute("delete from job where unique_key = $1", f"{plan.KEY}{post.account_id}")
    assert len(asked.remote_ids) == 1
