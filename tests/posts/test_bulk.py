"""Many posts in one request: each is checked by itself, all are read and written at once."""

import asyncio
import secrets
from datetime import timedelta
from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_create import soon

from signalpost import events
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.posts import duplicates


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


def post(owner: Login, **fields: Any) -> dict[str, Any]:
    body = {"profileId": owner.profile, "text": "Hello " + secrets.token_hex(8), "platforms": ["sandbox"]}
    return {name: value for name, value in (body | fields).items() if value is not ...}


async def send(
    api: Api, owner: Login, *posts: Any, key: str | None = None, query: str = "", headers: Any = None, **fields: Any
) -> httpx.Response:
    body = {"posts": list(posts)} | fields
    return await api.post(f"/posts/bulk{query}", json=body, key=key or owner.key, headers=headers or {})


async def listed(api: Api, owner: Login) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await api.get("/posts?limit=100", key=owner.key)).json()["data"]
    return found


def issues(answer: httpx.Response) -> set[tuple[str, str]]:
    return {(issue["path"], issue["code"]) for issue in answer.json()["errors"]}


@pytest.mark.parametrize("days", [(3, 3, 3), (3, 4, 3), (3,)])
async def test_what_posts_have_in_common_and_what_differs_is_stored(
    api: Api, owner: Login, database: Database, days: tuple[int, ...]
) -> None:
    """A column in which all rows are equal is sent once, and one that follows from another column not at all."""
    noon = clock.now().replace(hour=12, minute=0, second=0, microsecond=0)
    times = {day: clock.wire(noon + timedelta(days=day)) for day in days}
    posts = [post(owner, scheduledAt=times[day], draft=False, notes=f"day {day}") for day in days]

    answer = await send(api, owner, *posts)

    assert answer.status_code == 201, answer.text
    stored = {one["text"]: one for one in await listed(api, owner)}
    for sent in posts:
        one = stored[sent["text"]]
        assert (one["scheduledAt"], one["notes"], one["status"]) == (sent["scheduledAt"], sent["notes"], "scheduled")
        assert [(target["platform"], target["status"]) for target in one["targets"]] == [("sandbox", "pending")]
    async with database.connection() as db:
        targets = await db.fetch("select id, dedupe_key from target where workspace_id = $1", owner.workspace_id)
    assert len(targets) == len(days)
    assert {target["dedupe_key"] for target in targets} == {target["id"].hex for target in targets}


async def test_each_post_is_created_or_has_its_problem(api: Api, owner: Login) -> None:
    answer = await send(
        api,
        owner,
        post(owner, externalId="a"),
        post(owner, platforms=["nowhere"]),
        post(owner, surprise=1, text=7),
        post(owner, scheduledAt="tomorrow"),
        post(owner, profileId=...),
        post(owner, externalId="b", tags=["spring"], scheduledAt="2027-01-15T12:00:00", timezone="Europe/Berlin"),
    )
    assert answer.status_code == 201, answer.text
    result = answer.json()
    assert (result["total"], result["dryRun"]) == (6, False)
    assert [(one["index"], one["externalId"], one["status"], one["platforms"]) for one in result["created"]] == [
        (0, "a", "draft", ["sandbox"]),
        (5, "b", "draft", ["sandbox"]),
    ]
    assert result["created"][1]["scheduledAt"] == "2027-01-15T11:00:00.000Z"
    problems = {one["index"]: one["problem"] for one in result["errors"]}
    assert {
        index: {(issue["path"], issue["code"]) for issue in problem["errors"]} for index, problem in problems.items()
    } == {
        1: {("/posts/1/platforms/0", "not_allowed")},
        2: {("/posts/2/surprise", "unknown_field"), ("/posts/2/text", "type")},
        3: {("/posts/3/scheduledAt", "format")},
        4: {("/posts/4/profileId", "required")},
    }
    assert all(problem["status"] == 422 and problem["requestId"] for problem in problems.values())
    assert problems[1]["instance"] == "/api/v1/posts/bulk"
    stored = await api.get(f"/posts/{result['created'][1]['id']}", key=owner.key)
    assert (stored.json()["source"], stored.json()["tags"], stored.json()["timezone"]) == (
        "bulk", ["spring"], "Europe/Berlin",
    )  # fmt: skip
    assert len(await listed(api, owner)) == 2


async def test_what_is_created_equals_what_single_creates_make(api: Api, make: Make, owner: Login) -> None:
    """The same bodies, one after the other and at once, differ only in ids, times and their source."""
    await make.account(owner, username="second")
    account = (await make.account(owner, username="third"))["id"]
    bodies = [
        post(owner),
        post(owner, draft=True, notes="Later", title="A title", link="https://example.com/a"),
        post(owner, scheduledAt=soon(hours=3), campaign="spring", tags=["a", "b"], firstComment="First"),
        post(owner, platforms=..., targets=[{"accountId": account, "title": "Other", "scheduledAt": soon(hours=5)}]),
        post(owner, thread=[{"text": "And more"}], options={"sandbox": {}}, allowDuplicate=True, autoFit=False),
    ]
    singles = [(await api.post("/posts", json=one | {"text": "Single " + one["text"]}, key=owner.key)).json()
               for one in bodies]  # fmt: skip
    answer = await send(api, owner, *(one | {"text": "Single!" + one["text"]} for one in bodies), draft=False)
    assert answer.json()["errors"] == []
    bulk_posts = [(await api.get(f"/posts/{one['id']}", key=owner.key)).json() for one in answer.json()["created"]]
    singles = [(await api.get(f"/posts/{one['id']}", key=owner.key)).json() for one in singles]

    for single, many in zip(singles, bulk_posts, strict=True):
        assert comparable(single) == comparable(many)
        logs = [
            [entry["action"] for entry in (await api.get(f"/posts/{one['id']}/audit", key=owner.key)).json()["data"]]
            for one in (single, many)
        ]
        assert sorted(logs[0]) == sorted(logs[1])


def comparable(value: Any) -> Any:
    """Without what differs between two equal posts."""
    if isinstance(value, dict):
        skipped = {"id", "postId", "createdAt", "updatedAt", "queuedAt", "nextAttemptAt", "source"}
        return {name: comparable(item) for name, item in value.items() if name not in skipped}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    return value.replace("Single!", "Single ") if isinstance(value, str) else value


async def test_posts_are_drafts_unless_they_or_the_request_say_otherwise(api: Api, owner: Login) -> None:
    answer = await send(
        api, owner, post(owner), post(owner, draft=False), post(owner, publishMode="now"), post(owner, draft=True)
    )
    assert [one["status"] for one in answer.json()["created"]] == ["draft", "queued", "queued", "draft"]
    answer = await send(api, owner, post(owner), post(owner, draft=True), draft=False)
    assert [one["status"] for one in answer.json()["created"]] == ["queued", "draft"]


async def test_a_dry_run_has_no_idempotency_key_in_common_with_the_request(api: Api, owner: Login) -> None:
    """Otherwise the real request would get the response of the dry run, and nothing would be created."""
    one, headers = post(owner), {"Idempotency-Key": "import-1"}
    assert (await send(api, owner, one, query="?dryRun=true", headers=headers)).status_code == 201
    answer = await send(api, owner, one, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")


async def test_if_none_is_created_every_post_is_named(api: Api, owner: Login) -> None:
    made = await send(api, owner, post(owner, externalId="taken"))
    assert made.status_code == 201
    answer = await send(api, owner, post(owner, text=...), post(owner, externalId="taken"), draft=False)
    assert answer.status_code == 422
    assert answer.json()["code"] == "validation_failed"
    assert ("/posts/1", "external_id_conflict") in issues(answer)
    assert any(path.startswith("/posts/0") for path, _ in issues(answer))
    conflict = next(issue for issue in answer.json()["errors"] if issue["path"] == "/posts/1")
    assert conflict["params"]["existingPostId"] == made.json()["created"][0]["id"]


async def test_atomic_creates_all_or_none(api: Api, owner: Login, database: Database) -> None:
    answer = await send(api, owner, post(owner), post(owner, platforms=["nowhere"]), atomic=True, draft=False)
    assert answer.status_code == 422
    assert issues(answer) == {("/posts/1/platforms/0", "not_allowed")}
    assert await listed(api, owner) == []
    async with database.connection() as db:
        used = "select coalesce(sum(used), 0) from usage where workspace_id = $1"
        assert await db.fetchval(used, owner.workspace_id) == 0
    assert (await send(api, owner, post(owner), post(owner), atomic=True)).json()["errors"] == []


async def test_a_dry_run_says_the_same_and_saves_nothing(api: Api, owner: Login, database: Database) -> None:
    tables = ("post", "target", "usage", "audit where post_id is not null", "lane")
    counts = ", ".join(f"(select count(*) from {table})" for table in tables)

    async def count() -> list[int]:
        async with database.connection() as db:
            return list(await db.fetchrow(f"select {counts}") or ())

    before = await count()
    bodies = [post(owner), post(owner, platforms=["nowhere"])]
    answer = await send(api, owner, *bodies, query="?dryRun=true", draft=False)
    assert answer.status_code == 201
    result = answer.json()
    assert result["dryRun"]
    assert [(one["index"], one["id"], one["status"]) for one in result["created"]] == [(0, None, "queued")]
    assert [one["index"] for one in result["errors"]] == [1]
    assert await count() == before
    assert (await send(api, owner, *bodies, draft=False)).json()["created"][0]["id"]


async def test_equal_posts_of_one_request_are_duplicates(api: Api, make: Make, owner: Login) -> None:
    same = {"text": "The same"}
    answer = await send(
        api, owner, post(owner, **same), post(owner, **same), post(owner, **same, allowDuplicate=True),
        post(owner, externalId="x"), post(owner, externalId="x"), post(owner, **same, draft=True), draft=False,
    )  # fmt: skip
    result = answer.json()
    assert [one["index"] for one in result["created"]] == [0, 2, 3, 5]
    found = {one["index"]: (one["problem"]["code"], one["problem"]["existingPostId"]) for one in result["errors"]}
    created = {one["index"]: one["id"] for one in result["created"]}
    assert found == {1: ("duplicate_content", created[0]), 4: ("external_id_conflict", created[3])}
    again = await send(api, owner, post(owner, **same), post(owner), draft=False)
    [refused] = again.json()["errors"]
    assert refused["problem"]["existingPostId"] in (created[0], created[2])


async def test_a_request_that_is_sent_again_is_known_by_its_external_ids(api: Api, owner: Login) -> None:
    bodies = [post(owner, externalId=f"row-{number}") for number in range(2)]
    created = (await send(api, owner, *bodies, draft=False)).json()["created"]
    again = (await send(api, owner, *bodies, post(owner), draft=False)).json()["errors"]
    assert [(one["problem"]["code"], one["problem"]["existingPostId"]) for one in again] == [
        ("external_id_conflict", one["id"]) for one in created
    ]


async def test_a_refused_post_does_not_stand_in_the_way_of_its_equal(api: Api, owner: Login) -> None:
    """The first of two equal posts fails because of something else, so the second one is created."""
    assert (await send(api, owner, post(owner, externalId="taken"))).status_code == 201
    answer = await send(api, owner, post(owner, text="Twin", externalId="taken"), post(owner, text="Twin"), draft=False)
    assert [one["index"] for one in answer.json()["created"]] == [1]
    assert [one["problem"]["code"] for one in answer.json()["errors"]] == ["external_id_conflict"]


@pytest.mark.parametrize("other", ["single", "bulk"])
async def test_of_two_callers_with_one_external_id_exactly_one_wins(api: Api, owner: Login, other: str) -> None:
    for turn in range(8):
        name = f"cms-{turn}"
        many = send(api, owner, post(owner), post(owner, externalId=name), draft=False)
        if other == "single":
            rival = api.post("/posts", json=post(owner, externalId=name), key=owner.key)
        else:
            rival = send(api, owner, post(owner), post(owner, externalId=name), draft=False)
        first, second = await asyncio.gather(many, rival)
        wins = [one["externalId"] for one in first.json()["created"]].count(name)
        if other == "single":
            wins += second.status_code == 201
            assert second.status_code in (201, 409)
        else:
            wins += [one["externalId"] for one in second.json()["created"]].count(name)
        assert wins == 1
        assert first.status_code == 201


async def test_of_equal_requests_at_once_each_post_is_accepted_once(api: Api, owner: Login) -> None:
    bodies = [post(owner, text=f"Equal {number}") for number in range(5)]
    answers = await asyncio.gather(
        send(api, owner, *bodies, draft=False), send(api, owner, *reversed(bodies), draft=False)
    )
    created = [one for answer in answers for one in answer.json().get("created", [])]
    assert len(created) == 5
    assert len(await listed(api, owner)) == 5


async def test_an_idempotency_key_answers_the_second_time_with_the_first(api: Api, owner: Login) -> None:
    bodies = [post(owner), post(owner, platforms=["nowhere"])]
    headers = {"Idempotency-Key": "bulk-" + owner.profile}
    first = await send(api, owner, *bodies, headers=headers)
    second = await send(api, owner, *bodies, headers=headers)
    other = await send(api, owner, bodies[0], headers=headers)
    assert (first.status_code, second.status_code, other.status_code) == (201, 201, 422)
    assert first.json() == second.json()
    assert second.headers["idempotent-replayed"] == "true"
    assert len(await listed(api, owner)) == 1


async def test_who_may_only_write_drafts_cannot_publish_in_bulk(api: Api, make: Make, owner: Login) -> None:
    writer = await make.login(owner.user_id, owner.workspace_id, owner.email, scopes=["posts:read", "posts:write"])
    drafts = await send(api, owner, post(owner), key=writer.key)
    assert drafts.status_code == 201
    refused = await send(api, owner, post(owner), post(owner, draft=False), key=writer.key)
    assert refused.status_code == 403
    assert len(await listed(api, owner)) == 1


async def test_profiles_of_others_are_not_found(api: Api, make: Make, owner: Login) -> None:
    stranger = await make.owner()
    answer = await send(api, owner, post(owner), post(owner, profileId=stranger.profile))
    assert [one["index"] for one in answer.json()["created"]] == [0]
    [error] = answer.json()["errors"]
    assert [(issue["path"], issue["code"]) for issue in error["problem"]["errors"]] == [
        ("/posts/1/profileId", "not_found")
    ]


async def test_a_test_key_publishes_in_its_sandbox_by_its_clock(api: Api, make: Make) -> None:
    owner = await make.owner()
    body = {"profileId": owner.profile, "fields": {"username": "tester"}}
    assert (await api.post("/platforms/sandbox/connect", json=body, key=owner.test_key)).status_code == 201
    same = post(owner, text="By its clock")
    for now, created in (("2030-01-01T00:00:00Z", 1), ("2030-01-01T20:00:00Z", 0), ("2030-01-02T01:00:00Z", 1)):
        answer = await send(api, owner, same, draft=False, key=owner.test_key, headers={"X-Test-Now": now})
        assert len(answer.json().get("created", [])) == created, answer.text
    assert {one["mode"] for one in await listed(api, owner)} == {"test"}


async def test_events_and_approvals_are_those_of_single_posts(
    api: Api, make: Make, owner: Login, emitted: list[Any]
) -> None:
    careful = await make.profile(owner, approvalRequired=True)
    await make.account(owner, profile=careful["id"])
    editor = await make.member(owner, role="editor")
    emitted.clear()
    answer = await send(
        api, owner, post(owner), post(owner, profileId=careful["id"]), post(owner, draft=True),
        key=editor.key, draft=False,
    )  # fmt: skip
    created = [one["id"] for one in answer.json()["created"]]
    assert [one["status"] for one in answer.json()["created"]] == ["queued", "queued", "draft"]
    assert [(type(event), event.data.post_id) for event in emitted] == [
        (events.PostQueued, created[0]),
        (events.PostApprovalRequested, created[1]),
    ]


async def test_what_changes_while_posts_are_built_counts(
    api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch, database: Database
) -> None:
    """One profile and its account change after they were read; posts of others are not built again."""
    other = await make.profile(owner)
    account = await make.account(owner, profile=other["id"])
    look = duplicates.duplicates_of_many
    looked: list[int] = []

    async def between(db: Any, new_posts: Any) -> Any:
        if not looked:
            async with database.transaction() as own:
                await own.execute(
                    "update account set status = 'disconnected' where id = $1", ids.decode("acc", account["id"])
                )
        looked.append(len(new_posts))
        return await look(db, new_posts)

    monkeypatch.setattr(duplicates, "duplicates_of_many", between)
    answer = await send(api, owner, post(owner), post(owner, profileId=other["id"]), draft=False)
    assert [one["index"] for one in answer.json()["created"]] == [0]
    [error] = answer.json()["errors"]
    assert [issue["path"] for issue in error["problem"]["errors"]] == ["/posts/1/platforms/0"]
    assert looked == [2]


async def test_an_address_that_cannot_be_fetched_concerns_its_post_only(api: Api, owner: Login) -> None:
    answer = await send(
        api, owner, post(owner), post(owner, mediaUrl="https://169.254.0.1/a.jpg"),
        post(owner, mediaUrls=["https://169.254.0.1/a.jpg"]),
    )  # fmt: skip
    assert [one["index"] for one in answer.json()["created"]] == [0]
    found = {one["index"]: one["problem"] for one in answer.json()["errors"]}
    assert {index: problem["code"] for index, problem in found.items()} == {1: "unsafe_url", 2: "unsafe_url"}
    assert found[1]["errors"][0]["path"] == "/posts/1/mediaUrl"
    assert found[2]["errors"][0]["path"] == "/posts/2/mediaUrls/0"
