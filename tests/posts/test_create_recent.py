"""A create may be built from what another one read a second ago; whatever has changed since must count nevertheless."""

import asyncio
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.identity import keep_callers
from tests.posts.test_create import codes, create

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.posts.write import recent

SOON = clock.wire(clock.now() + timedelta(days=30))


@pytest.fixture(autouse=True)
def recent_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, the second create of a test finds what the first one read."""
    monkeypatch.setattr(recent, "RECENT_SECONDS", 600)


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


@pytest.fixture
async def account(make: Make, owner: Login) -> dict[str, Any]:
    return await make.account(owner, username="first")


def to(*accounts: dict[str, Any]) -> dict[str, Any]:
    return {"platforms": ..., "targets": [{"accountId": account["id"]} for account in accounts]}


async def create_ok(api: Api, owner: Login, *accounts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    made = await create(api, owner, **to(*accounts), **fields)
    assert made.status_code == 201, made.text
    post: dict[str, Any] = made.json()
    return post


async def test_the_next_create_for_the_same_accounts_is_one_statement(
    api: Api, make: Make, owner: Login, account: dict[str, Any], statements: list[str]
) -> None:
    second = await make.account(owner, username="second")
    await create_ok(api, owner, account, second)
    for accounts, expected in (([account, second], 1), ([account], 2), ([account], 1)):
        await asyncio.sleep(0)  # loggers are called in the loop's next round
        statements.clear()
        post = await create_ok(api, owner, *accounts)
        await asyncio.sleep(0)
        assert len(statements) == expected, statements
        assert [target["accountId"] for target in post["targets"]] == [entry["id"] for entry in accounts]


async def test_limits_of_a_plan_add_no_statement(
    shop: Api, sold: AppContext, make: Make, statements: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The month's posts are spent, and those that wait are counted, by the statement that writes the post."""
    keep_callers(sold, monkeypatch)
    owner = await make.owner(plan="max")
    account = await make.account(owner)
    for scheduled in ({}, {"scheduledAt": SOON}):
        await create_ok(shop, owner, account, **scheduled)
        await asyncio.sleep(0)
        statements.clear()
        await create_ok(shop, owner, account, **scheduled)
        await asyncio.sleep(0)
        assert len(statements) == 1, statements


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ("update profile set over_limit = true where id = $1", 402),
        ("update account set over_limit = true where profile_id = $1", 402),
        ("update account set status = 'disconnected' where profile_id = $1", 422),
        ("update profile set deleted_at = now() where id = $1", 422),
        ("update account set platform = 'nowhere' where profile_id = $1", 422),
    ],
)
async def test_what_no_longer_may_be_published_is_refused(
    api: Api, owner: Login, account: dict[str, Any], database: Database, change: str, status: int
) -> None:
    await create_ok(api, owner, account)
    async with database.transaction() as db:
        await db.execute(change, ids.decode("prof", owner.profile))
    refused = await create(api, owner, **to(account))
    assert refused.status_code == status, refused.text


async def test_facts_and_names_of_the_account_are_those_of_now(
    api: Api, owner: Login, account: dict[str, Any], database: Database
) -> None:
    await create_ok(api, owner, account)
    async with database.transaction() as db:
        await db.execute("update account set username = 'renamed' where id = $1", ids.decode("acc", account["id"]))
    assert (await create_ok(api, owner, account))["targets"][0]["username"] == "renamed"


async def test_the_time_zone_of_the_profile_is_that_of_now(api: Api, owner: Login, account: dict[str, Any]) -> None:
    noon = datetime.fromisoformat(SOON).replace(hour=12, minute=0, second=0, microsecond=0, tzinfo=None)
    when = {"scheduledAt": noon.isoformat()}
    in_utc, in_berlin = [clock.wire(noon.replace(tzinfo=ZoneInfo(zone))) for zone in ("UTC", "Europe/Berlin")]
    assert (await create_ok(api, owner, account, **when))["scheduledAt"] == in_utc
    moved = await api.patch(f"/profiles/{owner.profile}", json={"timezone": "Europe/Berlin"}, key=owner.key)
    assert moved.status_code == 200
    assert (await create_ok(api, owner, account, **when))["scheduledAt"] == in_berlin


async def test_a_refusal_of_a_moment_ago_is_not_repeated(
    api: Api, owner: Login, account: dict[str, Any], database: Database
) -> None:
    """What was read for a refused post is no reason to refuse the next one."""
    account_id = ids.decode("acc", account["id"])
    async with database.transaction() as db:
        await db.execute("update account set status = 'disconnected' where id = $1", account_id)
    refused = await create(api, owner, **to(account))
    assert codes(refused) == {("/targets/0/accountId", "not_found")}
    async with database.transaction() as db:
        await db.execute("update account set status = 'active' where id = $1", account_id)
    await create_ok(api, owner, account)


async def test_a_webhook_made_or_deleted_since_counts(
    api: Api, owner: Login, account: dict[str, Any], database: Database
) -> None:
    async def told() -> int:
        async with database.connection() as db:
            return int(await db.fetchval("select count(*) from delivery where workspace_id = $1", owner.workspace_id))

    await create_ok(api, owner, account)
    hook = {"url": "https://example.com/hook", "events": ["post.queued"]}
    assert (await api.post("/webhooks", json=hook, key=owner.key)).status_code == 201
    await create_ok(api, owner, account)
    assert await told() == 1
    async with database.transaction() as db:
        await db.execute("update webhook set status = 'disabled' where workspace_id = $1", owner.workspace_id)
    await create_ok(api, owner, account)
    assert await told() == 1


async def test_another_caller_gets_nothing_from_the_read_of_the_first(
    api: Api, make: Make, owner: Login, account: dict[str, Any]
) -> None:
    await create_ok(api, owner, account)
    limited = await make.member(owner, role="editor", profile_ids=[(await make.profile(owner))["id"]])
    stranger = await make.owner()
    for login in (limited, stranger):
        refused = await create(api, owner, key=login.key, **to(account))
        assert codes(refused) == {("/profileId", "not_found")}


async def test_a_post_for_now_is_due_now_not_when_its_profile_was_read(
    api: Api, owner: Login, account: dict[str, Any], database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def due() -> datetime:
        post = await create_ok(api, owner, account)
        async with database.connection() as db:
            at: datetime = await db.fetchval(
                "select due_at from target where post_id = $1", ids.decode("pst", post["id"])
            )
        return at

    first = await due()
    monotonic = clock.monotonic
    monkeypatch.setattr(clock, "monotonic", lambda: monotonic() + 100)
    assert timedelta(seconds=100) <= await due() - first < timedelta(seconds=150)
