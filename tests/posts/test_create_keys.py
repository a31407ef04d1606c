"""Posts with an Idempotency-Key are written together too, and a key makes one post however its twins arrive."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.posts.write import recent
from signalpost.posts.write.queue import CreateQueue
from signalpost.posts.write.writer import NewPost, Obstacle

LATER = clock.wire(clock.now() + timedelta(days=90))
TWINS = 12


@pytest.fixture(autouse=True)
def recent_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, the creates of a test find what the first one read."""
    monkeypatch.setattr(recent, "RECENT_SECONDS", 600)


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


@pytest.fixture
async def body(api: Api, make: Make, owner: Login) -> dict[str, Any]:
    """A body whose profile and account were read a moment ago."""
    account = await make.account(owner)
    body = {"profileId": owner.profile, "targets": [{"accountId": account["id"]}], "scheduledAt": LATER}
    assert (await create(api, owner, body | {"text": "the first"})).status_code == 201
    return body


async def create(api: Api, owner: Login, body: dict[str, Any], key: str | None = None) -> httpx.Response:
    return await api.post("/posts", json=body, key=owner.key, headers={"Idempotency-Key": key} if key else {})


async def posts(database: Database, owner: Login) -> int:
    async with database.connection() as db:
        count: int = await db.fetchval("select count(*) from post where workspace_id = $1", owner.workspace_id)
    return count


async def used(database: Database, owner: Login) -> int:
    async with database.connection() as db:
        count: int = await db.fetchval("select sum(used) from usage where workspace_id = $1", owner.workspace_id)
    return count


async def test_posts_with_keys_share_statements_and_each_repeat_gets_its_own_response(
    api: Api, owner: Login, body: dict[str, Any], database: Database, statements: list[str]
) -> None:
    bodies = [body | {"text": f"post {number}"} for number in range(40)]
    keys = [None if number % 5 == 0 else f"k-{ids.new_id().hex}" for number in range(len(bodies))]
    first = await asyncio.gather(*(create(api, owner, each, key) for each, key in zip(bodies, keys, strict=True)))
    await asyncio.sleep(0)  # loggers are called in the loop's next round
    ran = len(statements)
    again = [
        (one, await create(api, owner, each, key)) for one, each, key in zip(first, bodies, keys, strict=True) if key
    ]

    assert {response.status_code for response in first} == {201}
    assert ran < len(bodies) / 2
    assert [response.json()["text"] for response in first] == [each["text"] for each in bodies]
    for one, repeated in again:
        assert (repeated.status_code, repeated.content) == (201, one.content)
        assert repeated.headers["etag"] == one.headers["etag"]
        assert repeated.headers["idempotent-replayed"] == "true"
        assert "idempotent-replayed" not in one.headers
    assert await posts(database, owner) == len(bodies) + 1
    assert await used(database, owner) == len(bodies) + 1


@pytest.mark.parametrize("draft", [False, True])
async def test_of_twins_at_the_same_moment_one_makes_a_post(
    api: Api, owner: Login, body: dict[str, Any], database: Database, *, draft: bool
) -> None:
    """Drafts have nothing but their key that tells them from others."""
    twin, key = body | {"text": "twins", "draft": draft}, "k-" + ids.new_id().hex
    responses = await asyncio.gather(*(create(api, owner, twin, key) for _ in range(TWINS)))
    good = [response for response in responses if response.status_code == 201]
    made = {response.json()["id"] for response in good}
    told = {response.json()["code"] for response in responses if response.status_code != 201}

    assert len(made) == 1
    assert told <= {"idempotency_in_progress"}
    assert (
        sum("idempotent-replayed" not in response.headers for response in responses if response.status_code == 201) == 1
    )
    assert await posts(database, owner) == 2
    assert (await create(api, owner, twin, key)).json()["id"] in made


async def test_a_key_is_of_one_request_however_close_the_other_one_comes(
    api: Api, owner: Login, body: dict[str, Any], database: Database
) -> None:
    key = "k-" + ids.new_id().hex
    responses = await asyncio.gather(*(create(api, owner, body | {"text": f"post {n}"}, key) for n in range(TWINS)))
    answers = Counter(response.json().get("code", "made") for response in responses)

    assert answers.pop("made") == 1
    assert set(answers) <= {"idempotency_key_reused", "idempotency_in_progress"}
    assert await posts(database, owner) == 2


async def test_what_stands_in_the_way_is_kept_for_the_key(api: Api, owner: Login, body: dict[str, Any]) -> None:
    key = "k-" + ids.new_id().hex
    first, again = [await create(api, owner, body | {"text": "the first"}, key) for _ in range(2)]

    assert (first.status_code, first.json()["code"]) == (409, "duplicate_content")
    assert (again.status_code, again.json()["detail"]) == (409, first.json()["detail"])
    assert again.headers["idempotent-replayed"] == "true"


@pytest.mark.parametrize("draft", [False, True])
async def test_a_key_that_another_process_takes_first_makes_no_post(
    api: Api, owner: Login, body: dict[str, Any], database: Database, monkeypatch: pytest.MonkeyPatch, *, draft: bool
) -> None:
    """The other one commits after this one has built its post, and before it writes."""
    twin, key = body | {"text": "somewhere else", "draft": draft}, "k-" + ids.new_id().hex
    write = CreateQueue.write

    async def late(self: CreateQueue, database: Database, new: NewPost) -> Obstacle | None:
        monkeypatch.setattr(CreateQueue, "write", write)
        theirs.append(await asyncio.create_task(create(api, owner, twin, key)))
        return await self.write(database, new)

    theirs: list[httpx.Response] = []
    monkeypatch.setattr(CreateQueue, "write", late)
    ours = await create(api, owner, twin, key)

    assert (ours.status_code, ours.content) == (201, theirs[0].content)
    assert ours.headers["idempotent-replayed"] == "true"
    assert await posts(database, owner) == 2
    assert await used(database, owner) == 2 - draft


async def test_a_key_past_its_retention_is_free(
    api: Api, owner: Login, body: dict[str, Any], database: Database
) -> None:
    key = "k-" + ids.new_id().hex
    made: list[Sequence[Any]] = []
    for text in ("yesterday", "today"):
        response = await create(api, owner, body | {"text": text}, key)
        made.append((response.status_code, response.json()["text"], "idempotent-replayed" in response.headers))
        async with database.connection() as db:
            await db.execute("update idempotency set created_at = now() - interval '25 hours' where key = $1", key)
    assert made == [(201, "yesterday", False), (201, "today", False)]
