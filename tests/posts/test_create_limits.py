"""Creating under a plan with limits; and which problem is reported when several apply."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.plans.test_limits import of as caller_of
from tests.posts.test_create import soon

from signalpost.context import AppContext
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.kit.problems import Forbidden, Problem, ValidationFailed
from signalpost.posts.errors import DuplicateContent, ExternalIdConflict, PreflightFailed
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.schemas.responses import Post
from signalpost.posts.write.create import create_post
from signalpost.web.caller import SCOPES, Caller
from signalpost.web.fields import ProfileId


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


def of(owner: Login, plan: str) -> Caller:
    return replace(caller_of(owner, plan), scopes=frozenset(SCOPES))


def body(owner: Login, **fields: Any) -> PostCreate:
    profile_id = ids.decode("prof", owner.profile)
    assert profile_id is not None
    text = "Hello " + ids.new_id().hex
    return PostCreate(profile_id=ProfileId(int=profile_id.int), **({"text": text, "platforms": ["sandbox"]} | fields))


async def attempt(context: AppContext, who: Caller, data: PostCreate) -> Post | type[Problem]:
    """Create as the route does without an Idempotency-Key."""
    try:
        return await create_post(context, None, who, data)
    except Problem as problem:
        return type(problem)


async def test_of_several_problems_the_first_one_is_reported(
    api: Api, context: AppContext, owner: Login, database: Database
) -> None:
    """Each step takes away the one that was reported."""
    taken = {"text": "Taken", "platforms": ["sandbox"], "externalId": "cms-1", "profileId": owner.profile}
    assert (await api.post("/posts", json=taken, key=owner.key)).status_code == 201
    for _ in range(10):  # all that wait at one time under this plan
        waiting = {"text": ids.new_id().hex, "platforms": ["sandbox"], "scheduledAt": soon(hours=1)}
        made = await api.post("/posts", json=waiting | {"profileId": owner.profile}, key=owner.key)
        assert made.status_code == 201
    async with database.transaction() as db:
        await db.execute("update profile set over_limit = true where workspace_id = $1", owner.workspace_id)
        await db.execute("update usage set used = 30 where workspace_id = $1 and metric = 'posts'", owner.workspace_id)
    who = of(owner, "free")
    viewer = replace(who, role="viewer", scopes=frozenset())
    wrong: dict[str, Any] = {
        "text": "Taken [[fail:text_too_long]]" + "x" * 60_000, "external_id": "cms-1", "scheduled_at": soon(hours=-2),
    }  # fmt: skip

    assert await attempt(context, viewer, body(owner, **wrong)) is Forbidden
    assert await attempt(context, who, body(owner, **wrong | {"platforms": ["nowhere"]})) is ValidationFailed
    wrong["scheduled_at"] = soon(hours=1)
    assert await attempt(context, who, body(owner, **wrong)) is PlanLimitReached
    async with database.transaction() as db:
        await db.execute("update profile set over_limit = false where workspace_id = $1", owner.workspace_id)
    assert await attempt(context, who, body(owner, **wrong)) is PreflightFailed
    wrong["text"] = "Taken"
    assert await attempt(context, who, body(owner, **wrong)) is ExternalIdConflict
    del wrong["external_id"]
    assert await attempt(context, who, body(owner, **wrong)) is DuplicateContent
    wrong["text"] = "Not taken"
    assert await attempt(context, who, body(owner, **wrong)) is PlanLimitReached  # of those that wait
    del wrong["scheduled_at"]
    assert await attempt(context, who, body(owner, **wrong)) is PlanLimitReached  # of the month
    made = await attempt(context, of(owner, "self_hosted"), body(owner, **wrong))
    assert isinstance(made, Post)


async def test_the_units_of_a_month_are_spent_exactly(context: AppContext, owner: Login, database: Database) -> None:
    """The statement commits by itself only where nothing is counted against a limit."""
    who = of(owner, "free")
    made = await asyncio.gather(*(attempt(context, who, body(owner)) for _ in range(36)))

    assert sum(isinstance(post, Post) for post in made) == 30
    assert sum(post is PlanLimitReached for post in made) == 6
    async with database.connection() as db:
        for table, expected in (("post", 30), ("target", 30), ("audit where post_id is not null", 60)):
            rows = f"select * from {table}"
            count = f"select count(*) from ({rows}) rows where workspace_id = $1"
            assert await db.fetchval(count, owner.workspace_id) == expected
        used = await db.fetchval("select sum(used) from usage where workspace_id = $1", owner.workspace_id)
    assert used == 30


async def test_a_draft_costs_nothing(context: AppContext, owner: Login, database: Database) -> None:
    for plan in ("free", "self_hosted"):
        assert isinstance(await attempt(context, of(owner, plan), body(owner, draft=True)), Post)
    async with database.connection() as db:
        assert await db.fetchval("select count(*) from usage where workspace_id = $1", owner.workspace_id) == 0


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"text": "a" * 60_000, "thread": [{"text": "b" * 40_001}]}, "/thread"),
        ({"text": "a" * 60_000, "own": "b" * 40_001}, "/text"),
    ],
)
async def test_all_texts_of_a_draft_together_are_bounded(
    api: Api, make: Make, owner: Login, fields: dict[str, Any], path: str
) -> None:
    """Nothing checks the text of a draft by the rules of its networks: the bound of the service holds it."""
    if (own := fields.pop("own", None)) is not None:
        account = (await make.account(owner))["id"]
        fields = {**fields, "targets": [{"accountId": account, "text": own}]}
    refused = await api.post(
        "/posts", json={"profileId": owner.profile, "draft": True, "platforms": None} | fields, key=owner.key
    )
    assert refused.status_code == 422, refused.text
    assert [(issue["path"], issue["code"]) for issue in refused.json()["errors"]] == [(path, "too_long")]

    draft = await make.draft(owner, text="a" * 60_000)
    changed = await api.patch(f"/posts/{draft['id']}", json={"thread": [{"text": "b" * 40_001}]}, key=owner.key)
    assert (changed.status_code, changed.json()["errors"][0]["path"]) == (422, "/thread")
    fits = await api.patch(f"/posts/{draft['id']}", json={"thread": [{"text": "b" * 40_000}]}, key=owner.key)
    assert fits.status_code == 200, fits.text


_ACCOUNTS = """
insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username, display_name, status,
    connected_via)
select gen_random_uuid(), $1, $2, 'sandbox', 'personal', 'many' || n, 'many' || n, 'many', 'active', 'sandbox'
from generate_series(1, $3) n
"""


@pytest.mark.parametrize("is_draft", [True, False])
async def test_a_post_goes_to_a_hundred_accounts_however_they_are_named(
    api: Api, make: Make, owner: Login, *, is_draft: bool
) -> None:
    body = {"profileId": owner.profile, "text": "To all", "platforms": ["sandbox"], "draft": is_draft}
    for more, status in ((99, 201), (1, 422)):
        async with make.context.database.transaction() as db:
            profile_id = ids.decode("prof", owner.profile)
            await db.execute(_ACCOUNTS.replace("'many'", f"'many{status}'"), owner.workspace_id, profile_id, more)
        answer = await api.post("/posts", json=body | {"text": f"To all {more}"}, key=owner.key)
        assert answer.status_code == status, answer.text
    [issue] = answer.json()["errors"]
    assert (issue["path"], issue["code"], issue["params"]["max"]) == ("/platforms", "too_long", 100)
