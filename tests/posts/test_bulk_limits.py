"""Many posts in one request: what the plan allows, how much fits, and what it costs."""

import asyncio
import secrets
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_bulk import listed, post, send
from tests.posts.test_create import soon
from tests.posts.test_create_limits import of

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit.db import Database
from signalpost.kit.problems import Problem, TooManyItems
from signalpost.posts.many import batch, bulk
from signalpost.posts.schemas.many import BulkCreate, BulkQuery, BulkResult
from signalpost.web.caller import Caller


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


async def attempt(context: AppContext, who: Caller, *posts: Any, **fields: Any) -> BulkResult | Problem:
    data = BulkCreate(posts=list(posts), **fields)
    try:
        async with context.database.transaction() as db:
            return await bulk.create_posts(context, db, who, data, BulkQuery())
    except Problem as problem:
        return problem


async def test_the_plan_counts_all_posts_of_a_request_together(
    context: AppContext, owner: Login, database: Database
) -> None:
    who = of(owner, "free")
    refused = await attempt(context, who, *(post(owner) for _ in range(6)))
    assert isinstance(refused, TooManyItems)
    assert refused.members["limit"] == {"name": "bulkItems", "used": 6, "max": 5, "plan": "free"}
    for _ in range(5):
        assert isinstance(await attempt(context, who, *(post(owner) for _ in range(5)), draft=False), BulkResult)
    three = await attempt(context, who, *(post(owner) for _ in range(3)), draft=False)
    assert isinstance(three, BulkResult)
    assert isinstance(await attempt(context, who, *(post(owner) for _ in range(3)), draft=False), PlanLimitReached)
    waiting = [post(owner, scheduledAt=soon(hours=1)) for _ in range(5)]
    await_limit = replace(who, plan="starter")
    async with database.transaction() as db:
        await db.execute("update usage set used = 0 where workspace_id = $1", owner.workspace_id)
    for _ in range(2):
        assert isinstance(
            await attempt(context, who, *(one | {"text": secrets.token_hex(8)} for one in waiting), draft=False),
            BulkResult,
        )
    over = await attempt(context, who, post(owner, scheduledAt=soon(hours=1)), draft=False)
    assert isinstance(over, PlanLimitReached)
    assert over.members["limit"]["name"] == "scheduledPosts"
    assert isinstance(await attempt(context, await_limit, *waiting, draft=False), BulkResult)
    async with database.connection() as db:
        used = await db.fetchval("select sum(used) from usage where workspace_id = $1", owner.workspace_id)
    assert used == 15


async def test_one_request_has_bounded_targets_and_texts(
    api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "TARGETS_MAX", 2)
    refused = await send(api, owner, *(post(owner) for _ in range(3)))
    assert (refused.status_code, refused.json()["code"]) == (422, "too_many_items")
    monkeypatch.setattr(batch, "TARGETS_MAX", 500)
    monkeypatch.setattr(batch, "CHARACTERS_MAX", 50)
    refused = await send(api, owner, *(post(owner) for _ in range(3)))
    assert (refused.status_code, refused.json()["code"]) == (422, "too_many_items")
    assert await listed(api, owner) == []


async def test_the_number_of_statements_does_not_depend_on_the_number_of_posts(
    api: Api, make: Make, owner: Login, statements: list[str]
) -> None:
    """One read, one look at what is in the way, one write, in a transaction."""
    for name in ("second", "third"):
        await make.account(owner, username=name)
    other = await make.profile(owner)
    await make.account(owner, profile=other["id"])
    for warm, count in product((False, True), (1, 50)):  # a new connection first asks the database for types
        posts = [post(owner, externalId=secrets.token_hex(8)) for _ in range(count - 1)]
        posts.append(post(owner, profileId=other["id"]))
        await asyncio.sleep(0)
        statements.clear()
        answer = await send(api, owner, *posts, draft=False)
        await asyncio.sleep(0)
        assert len(answer.json()["created"]) == count
        assert len(statements) == 5 or not warm, statements  # begin and commit included
