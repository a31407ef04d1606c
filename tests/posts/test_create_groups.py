"""Posts that are created at the same moment are written together; each of them is as if it had been written alone."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_create import create

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.kit.patience import Patience, patience
from signalpost.posts.write import queue, recent
from signalpost.posts.write.queue import CreateQueue

LATER = clock.wire(clock.now() + timedelta(days=90))
_IDS = {"id", "post_id", "audit_id", "dedupe_key", "content_hash", "request_id", "address"}
_TIMES = {"at", "created_at", "updated_at", "queued_at"}


@pytest.fixture(autouse=True)
def recent_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, the creates of a test find what the first one read."""
    monkeypatch.setattr(recent, "RECENT_SECONDS", 600)


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


@pytest.fixture
async def accounts(make: Make, owner: Login) -> list[dict[str, Any]]:
    return [await make.account(owner, username=name) for name in ("first", "second", "third")]


def to(accounts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"platforms": ..., "targets": [{"accountId": account["id"]} for account in accounts]}


async def create_all(
    api: Api, owner: Login, texts: Sequence[str], accounts: Sequence[dict[str, Any]], **fields: Any
) -> list[httpx.Response]:
    """Create posts at the same moment, after one that has read what they take."""
    await create(api, owner, **to(accounts), **fields)
    return await asyncio.gather(*(create(api, owner, text=text, **to(accounts), **fields) for text in texts))


def grouped(statements: list[str]) -> int:
    return sum("given as materialized" in statement for statement in statements)


async def rows(database: Database, post: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """What is stored of a post, without what differs between any two posts."""
    stored = {}
    key = ids.decode("pst", post["id"])
    async with database.connection() as db:
        for table, column in (("post", "id"), ("target", "post_id"), ("audit", "post_id")):
            found = await db.fetch(f"select * from {table} where {column} = $1 order by id", key)
            stored[table] = [
                {name: value for name, value in row.items() if name not in _IDS | _TIMES and value != post["text"]}
                for row in found
            ]
    return stored


async def test_a_post_of_a_group_is_stored_as_one_that_came_alone(
    api: Api, owner: Login, accounts: list[dict[str, Any]], database: Database, statements: list[str]
) -> None:
    alone = (await create(api, owner, text="alone", scheduledAt=LATER, **to(accounts))).json()
    texts = [f"one of {number}" for number in range(40)]
    made = [response.json() for response in await create_all(api, owner, texts, accounts, scheduledAt=LATER)]
    await asyncio.sleep(0)  # loggers are called in the loop's next round
    assert grouped(statements) >= 1
    assert len(statements) < len(texts) / 2
    assert [post["text"] for post in made] == texts
    expected = await rows(database, alone)
    assert len(expected["target"]) == 3
    for post in made:
        assert await rows(database, post) == expected
        assert {**post, **dict.fromkeys(_different(alone))} == {**alone, **dict.fromkeys(_different(alone))}
    async with database.connection() as db:
        used = await db.fetchval("select sum(used) from usage where workspace_id = $1", owner.workspace_id)
        requests = await db.fetch(
            "select count(*) from audit where workspace_id = $1 and post_id is not null group by request_id, address",
            owner.workspace_id,
        )
        due = await db.fetch("select next_due_at from lane where workspace_id = $1", owner.workspace_id)
    assert used == len(requests) == len(texts) + 2
    assert {row["next_due_at"] for row in due} == {datetime.fromisoformat(LATER)}


def _different(post: dict[str, Any]) -> set[str]:
    assert post.keys() >= {"id", "text", "targets", "platformResults", "createdAt", "updatedAt", "queuedAt"}
    return {"id", "text", "targets", "platformResults", "createdAt", "updatedAt", "queuedAt"}


async def test_of_equal_posts_one_is_written(api: Api, owner: Login, accounts: list[dict[str, Any]]) -> None:
    texts = [text for number in range(12) for text in ("the same", f"another {number}")]
    responses = await create_all(api, owner, texts, accounts)
    same = [response for text, response in zip(texts, responses, strict=True) if text == "the same"]
    (written,) = [response.json() for response in same if response.status_code == 201]
    refused = [response.json() for response in same if response.status_code != 201]
    assert {(problem["code"], problem["existingPostId"]) for problem in refused} == {
        ("duplicate_content", written["id"])
    }
    assert {response.status_code for response in responses if response not in same} == {201}


async def test_what_has_changed_since_concerns_only_posts_that_it_is_about(
    api: Api, owner: Login, accounts: list[dict[str, Any]], database: Database
) -> None:
    first, second, _ = accounts
    for account in (first, second):
        await create(api, owner, **to([account]))
    async with database.transaction() as db:
        await db.execute("update account set status = 'disconnected' where id = $1", ids.decode("acc", first["id"]))
    responses = await asyncio.gather(
        *(create(api, owner, text=f"post {number}", **to([(first, second)[number % 2]])) for number in range(20))
    )
    assert [response.status_code for response in responses] == [422, 201] * 10


_POISON = """
create function refuse_poison() returns trigger language plpgsql as $$
begin
    if new.text = 'poison' then
        raise exception 'poison' using errcode = 'unique_violation', constraint = 'post_external';
    end if;
    return new;
end $$;
create trigger refuse_poison before insert on post for each row execute function refuse_poison();
"""


async def test_a_post_that_cannot_be_written_holds_up_no_other(
    api: Api, owner: Login, accounts: list[dict[str, Any]], database: Database
) -> None:
    async with database.connection() as db:
        await db.execute(_POISON)
    try:
        texts = [f"good {number}" for number in range(10)] + ["poison"] + [f"better {number}" for number in range(10)]
        responses = await create_all(api, owner, texts, accounts)
    finally:
        async with database.connection() as db:
            await db.execute("drop function refuse_poison cascade")
    statuses = dict(zip(texts, (response.status_code for response in responses), strict=True))
    assert statuses.pop("poison") == 409
    assert set(statuses.values()) == {201}


async def test_who_gives_up_waiting_takes_nobody_along(
    context: AppContext, api: Api, owner: Login, accounts: list[dict[str, Any]]
) -> None:
    await create(api, owner, **to(accounts))
    posts = [asyncio.create_task(create(api, owner, text=f"post {number}", **to(accounts))) for number in range(12)]
    writer = context.state(CreateQueue)
    while not (waiting := [one for ones in writer._waiting.values() for one in ones]):
        await asyncio.sleep(0)
    waiting[0].written.cancel()
    responses = await asyncio.gather(*posts, return_exceptions=True)
    statuses = [getattr(response, "status_code", None) for response in responses]
    assert statuses.count(201) == len(posts) - 1
    assert writer._waiting == {}


async def test_posts_that_wait_too_long_are_refused(
    api: Api, owner: Login, accounts: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "ACQUIRE_SECONDS", -1)
    responses = await create_all(api, owner, [f"post {number}" for number in range(5)], accounts)
    assert [response.status_code for response in responses] == [201, 503, 503, 503, 503]
    assert {response.headers["Retry-After"] for response in responses[1:]} == {"2"}


async def test_a_group_has_patience_of_its_own(
    context: AppContext, api: Api, owner: Login, accounts: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task that writes lives longer than the request that came first, and than its patience."""
    await create(api, owner, **to(accounts))
    write = CreateQueue._write_all

    async def late(self: CreateQueue, *arguments: Any) -> None:
        patience.set(Patience(seconds=0))
        await write(self, *arguments)

    monkeypatch.setattr(CreateQueue, "_write_all", late)
    assert (await create(api, owner, text="late", **to(accounts))).status_code == 201
    assert context.state(CreateQueue)._waiting == {}
