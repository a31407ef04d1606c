import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make

from signalpost.kit import ids
from signalpost.kit.db import Database


def soon(**delta: float) -> str:
    return (datetime.now(UTC) + timedelta(**delta)).isoformat(timespec="milliseconds")


async def create(api: Api, owner: Login, *, key: str | None = None, **fields: Any) -> httpx.Response:
    body = {"profileId": owner.profile, "text": "Hello " + ids.new_id().hex, "platforms": ["sandbox"]} | fields
    body = {name: value for name, value in body.items() if value is not ...}
    return await api.post("/posts", json=body, key=key or owner.key)


def codes(response: httpx.Response) -> set[tuple[str, str]]:
    return {(issue["path"], issue["code"]) for issue in response.json()["errors"]}


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


async def test_a_post_goes_to_every_account_of_the_platform_at_once(api: Api, make: Make, owner: Login) -> None:
    """With several accounts on a platform, its name means all of them."""
    await make.account(owner, username="second")

    made = await create(api, owner, text="Hello", tags=["a"], campaign="spring")
    post = made.json()

    assert made.status_code == 201
    assert made.headers["etag"] == '"1"'
    assert post["status"] == "queued"
    assert post["publishMode"] == "now"
    assert [target["username"] for target in post["targets"]] == ["first", "second"]
    assert {target["status"] for target in post["targets"]} == {"pending"}
    assert post["platforms"] == ["sandbox"]
    assert post["platformResults"]["sandbox"] == post["targets"]
    assert post["counts"] == {"total": 2, "published": 0, "failed": 0, "pending": 2}
    assert post["createdBy"]["type"] == "api_key"
    assert post["queuedAt"] == post["createdAt"]
    again = await api.get(f"/posts/{post['id']}", key=owner.key)
    assert again.json() == post
    assert again.headers["etag"].startswith('"1-')


async def test_the_lanes_of_its_accounts_wake_in_the_same_transaction(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    at = soon(hours=2)
    post = (await create(api, owner, scheduledAt=at)).json()

    async with database.connection() as db:
        lane = await db.fetchval(
            "select next_due_at from lane where kind = 'target' and key = $1",
            ids.decode("acc", post["targets"][0]["accountId"]),
        )
    assert lane == datetime.fromisoformat(at)
    assert post["status"] == "scheduled"


async def test_overrides_of_a_target_win_and_are_named(api: Api, make: Make, owner: Login) -> None:
    second = await make.account(owner, username="second")
    targets = [{"accountId": second["id"], "text": "Only here", "scheduledAt": soon(hours=3), "options": {}}]
    post = (await create(api, owner, platforms=..., targets=targets, text="Everywhere")).json()

    assert [target["username"] for target in post["targets"]] == ["second"]
    assert post["targets"][0]["text"] == "Only here"
    assert post["scheduledAt"] == post["targets"][0]["scheduledAt"] == post["targets"][0]["nextAttemptAt"]
    assert post["status"] == "scheduled"


async def test_both_names_of_the_text_and_of_platforms_are_understood(api: Api, owner: Login) -> None:
    post = (await create(api, owner, text=..., description="Hi", draft=True, options={"twitter": {"a": 1}})).json()
    assert post["text"] == "Hi"
    assert post["options"] == {"x": {"a": 1}}
    assert post["status"] == "draft"
    assert post["publishMode"] == "draft"


async def test_a_draft_needs_neither_text_nor_accounts(api: Api, owner: Login) -> None:
    post = (await create(api, owner, text=..., platforms=..., draft=True)).json()
    assert (post["status"], post["targets"], post["queuedAt"]) == ("draft", [], None)


async def test_a_draft_keeps_what_networks_would_refuse_as_warnings(api: Api, owner: Login) -> None:
    post = (await create(api, owner, text="x" * 5_001, draft=True)).json()
    assert [warning["code"] for warning in post["warnings"]] == ["sandbox.text.max_graphemes"]


async def test_preflight_lists_every_target_and_saves_nothing(api: Api, make: Make, owner: Login) -> None:
    second = await make.account(owner, username="second")
    refused = await create(api, owner, text="x" * 5_001, options={"sandbox": {"nope": 1}})

    assert refused.status_code == 422
    assert refused.json()["code"] == "preflight_failed"
    assert codes(refused) == {
        ("/text", "sandbox.text.max_graphemes"), ("/options/sandbox/nope", "sandbox.options.unknown"),
    }  # fmt: skip
    accounts = {issue["params"]["accountId"] for issue in refused.json()["errors"]}
    assert len(accounts) == 2
    assert second["id"] in accounts
    assert (await api.get("/posts", key=owner.key)).json()["data"] == []


async def test_findings_about_an_override_stand_at_that_target(api: Api, make: Make, owner: Login) -> None:
    account = await make.account(owner)
    targets = [{"accountId": account["id"], "text": " ", "options": {"nope": 1}}]
    refused = await create(api, owner, platforms=..., targets=targets)
    assert codes(refused) == {
        ("/targets/0/text", "sandbox.content.required"), ("/targets/0/options/nope", "sandbox.options.unknown"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"platforms": ["mastodon"]}, {("/platforms/0", "not_found")}),
        ({"platforms": ["myspace"]}, {("/platforms/0", "not_allowed")}),
        ({"platforms": ["sandbox", "sandbox"]}, {("/platforms/1", "not_unique")}),
        ({"platforms": []}, {("/platforms", "too_short")}),
        ({"platforms": ...}, {("/platforms", "required")}),
        ({"platforms": ..., "targets": [{"accountId": "acc_0"}]}, {("/targets/0/accountId", "not_found")}),
        ({"targets": [{"accountId": "acc_" + "0" * 26}]},
         {("/targets", "not_allowed"), ("/targets/0/accountId", "not_found")}),
        ({"description": "x"}, {("/description", "not_allowed")}),
        ({"media": [], "mediaUrl": "x"}, {("/media", "not_allowed")}),
        ({"media": [{}]}, {("/media/0", "required")}),
        ({"media": [{"mediaId": "med_" + "0" * 26}]}, {("/media/0/mediaId", "not_found")}),
        ({"mediaUrls": ["nowhere/a.jpg"]}, {("/mediaUrls/0", "not_found")}),
        ({"thread": [{"text": "a", "media": [{"mediaId": "x"}]}]}, {("/thread/0/media/0/mediaId", "not_found")}),
        ({"options": {"myspace": {}}}, {("/options/myspace", "not_allowed")}),
        ({"options": {"twitter": {}, "x": {}}}, {("/options/x", "not_unique")}),
        ({"options": {"sandbox": {"a": "x" * 40_000}}}, {("/options", "too_long")}),
        ({"recurrence": {"rrule": "FREQ=DAILY"}}, {("/recurrence", "required"), ("/scheduledAt", "required")}),
        ({"publishMode": "slot"}, {("/publishMode", "not_allowed")}),
        ({"shortenLinks": True}, {("/shortenLinks", "not_allowed")}),
        ({"publishMode": "schedule"}, {("/scheduledAt", "required")}),
        ({"publishMode": "now", "scheduledAt": "2031-01-01T00:00Z"},
         {("/scheduledAt", "not_allowed"), ("/scheduledAt", "out_of_range")}),
        ({"timezone": "Mars/Olympus"}, {("/timezone", "format")}),
        ({"scheduledAt": "tomorrow", "timezone": "Nowhere"},
         {("/scheduledAt", "format"), ("/timezone", "format")}),
        ({"profileId": "prof_" + "0" * 26}, {("/profileId", "not_found")}),
        ({"profileId": "x"}, {("/profileId", "not_found")}),
        ({"link": "javascript:alert(1)"}, {("/link", "format")}),
        ({"tags": ["x"] * 21}, {("/tags", "too_long")}),
        ({"title": "x" * 201, "colour": "red"}, {("/title", "too_long"), ("/colour", "unknown_field")}),
        ({"text": "a\0b"}, {("/text", "format")}),
        ({"media": [{"mediaId": "x", "thumbnailTimeMs": 10**30}]},
         {("/media/0/mediaId", "not_found"), ("/media/0/thumbnailTimeMs", "out_of_range")}),
    ],
)  # fmt: skip
async def test_all_that_is_wrong_is_said_at_its_place(
    api: Api, owner: Login, fields: dict[str, Any], expected: set[tuple[str, str]]
) -> None:
    refused = await create(api, owner, **fields)
    assert refused.status_code == 422
    assert codes(refused) == expected


async def test_the_same_content_on_an_account_is_refused_for_a_day(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    first = (await create(api, owner, text="Café  news\n")).json()

    refused = await create(api, owner, text=" Cafe\u0301 news")  # another composition, other spaces
    assert (refused.status_code, refused.json()["code"]) == (409, "duplicate_content")
    assert refused.json()["existingPostId"] == first["id"]
    assert (await create(api, owner, text="Café news", draft=True)).status_code == 201
    assert (await create(api, owner, text="Café news", allowDuplicate=True)).status_code == 201
    assert (await create(api, owner, text="café news")).status_code == 201
    assert (await create(api, owner, key=owner.test_key, text="Café news")).status_code == 201

    async with database.transaction() as db:
        await db.execute(
            "update post set queued_at = now() - interval '25 h', created_at = now() - interval '25 h'"
            " where workspace_id = $1", owner.workspace_id,
        )  # fmt: skip
    assert (await create(api, owner, text="Café news")).status_code == 201


async def test_of_two_equal_posts_at_the_same_moment_one_is_refused(api: Api, owner: Login) -> None:
    """A client that repeats a request it gave up on must not publish twice, even without an Idempotency-Key."""
    responses = await asyncio.gather(*(create(api, owner, text="Same") for _ in range(5)))
    assert sorted(response.status_code for response in responses) == [201, 409, 409, 409, 409]


async def test_an_external_id_names_one_post_at_a_time(api: Api, owner: Login) -> None:
    first = (await create(api, owner, externalId="crm-1", draft=True)).json()
    refused = await create(api, owner, externalId="crm-1")
    assert (refused.status_code, refused.json()["code"]) == (409, "external_id_conflict")
    assert refused.json()["existingPostId"] == first["id"]

    await api.delete(f"/posts/{first['id']}", key=owner.key)
    assert (await create(api, owner, externalId="crm-1")).status_code == 201
    assert (await api.post(f"/posts/{first['id']}/restore", key=owner.key)).json()["code"] == "external_id_conflict"


async def test_what_is_sent_again_with_its_external_id_is_known_by_it(api: Api, owner: Login) -> None:
    """Even where its content is in the way as well: a program tells a repetition from a coincidence."""
    first = (await create(api, owner, text="Same", externalId="crm-2")).json()
    equal = (await create(api, owner, text="Same", allowDuplicate=True)).json()
    again = await create(api, owner, text="Same", externalId="crm-2")
    coincidence = await create(api, owner, text="Same", externalId="crm-3")
    assert (again.json()["code"], again.json()["existingPostId"]) == ("external_id_conflict", first["id"])
    assert coincidence.json()["code"] == "duplicate_content"
    assert coincidence.json()["existingPostId"] in (first["id"], equal["id"])


async def test_of_fifty_posts_with_one_external_id_at_the_same_moment_one_is_written(api: Api, owner: Login) -> None:
    responses = await asyncio.gather(*(create(api, owner, externalId="crm-2", draft=True) for _ in range(50)))
    assert sorted(response.status_code for response in responses) == [201] + [409] * 49


async def test_a_failing_commit_leaves_no_post_and_no_201(api: Api, owner: Login, database: Database) -> None:
    """Post, targets, event and the wake-up are one transaction: what fails at its end undoes all of it."""
    async with database.transaction() as db:
        await db.execute(
            "create function refuse_commit() returns trigger language plpgsql as"
            " $$ begin raise exception 'no commit' using errcode = '57014'; end $$"
        )
        await db.execute(
            "create constraint trigger refuse after insert on post deferrable initially deferred"
            f" for each row when (new.workspace_id = '{owner.workspace_id}') execute function refuse_commit()"
        )
    try:
        response = await create(api, owner)
        assert response.status_code == 503
    finally:
        async with database.transaction() as db:
            await db.execute("drop trigger refuse on post; drop function refuse_commit()")
    assert (await api.get("/posts", key=owner.key)).json()["data"] == []


async def test_creating_takes_few_statements_however_many_targets(
    api: Api, make: Make, owner: Login, statements: list[str]
) -> None:
    """A read of the profile with its accounts and listeners, and a write that commits by itself."""
    for name in ("second", "third"):
        await make.account(owner, username=name)
    await create(api, owner)
    await asyncio.sleep(0)  # loggers are called in the loop's next round
    statements.clear()
    await create(api, owner)
    await asyncio.sleep(0)
    assert len(statements) == 2, statements


async def test_post_queued_is_told_once_per_acceptance_with_its_time(
    api: Api, make: Make, owner: Login, emitted: list[Any]
) -> None:
    await create(api, owner, draft=True)
    at = soon(days=1)
    post = (await create(api, owner, scheduledAt=at, externalId="e-1")).json()

    [event] = emitted
    data: Any = event.data
    assert event.profile_id == ids.decode("prof", owner.profile)
    assert (data.post_id, data.published, data.failed, data.total) == (post["id"], 0, 0, 1)
    assert (data.status, data.scope, data.external_id, data.source, data.mode) == (
        "scheduled", "post", "e-1", "api", "live",
    )  # fmt: skip
    assert data.run_at == post["scheduledAt"] == data.scheduled_at
    assert data.queued_at == post["queuedAt"]
    assert [target.target_id for target in data.targets] == [post["targets"][0]["id"]]


async def test_a_test_key_works_in_the_sandbox_only(api: Api, make: Make, owner: Login, database: Database) -> None:
    async with database.transaction() as db:
        await db.execute(
            "insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username, display_name,"
            " status, connected_via) values ($1, $2, $3, 'bluesky', 'personal', 'did', 'x', 'x', 'active', 'api')",
            ids.new_id(), owner.workspace_id, ids.decode("prof", owner.profile),
        )  # fmt: skip
    refused = await create(api, owner, key=owner.test_key, platforms=["sandbox", "bluesky"])
    assert (refused.status_code, refused.json()["code"]) == (403, "test_mode_only_sandbox")

    live = (await create(api, owner)).json()
    test = (await create(api, owner, key=owner.test_key)).json()
    assert (live["mode"], test["mode"]) == ("live", "test")
    assert (await api.get(f"/posts/{live['id']}", key=owner.test_key)).status_code == 404
    seen = (await api.get("/posts", key=owner.test_key)).json()["data"]
    assert [post["id"] for post in seen] == [test["id"]]


async def test_an_idempotency_key_makes_one_post(api: Api, owner: Login) -> None:
    body = {"profileId": owner.profile, "text": "Once", "platforms": ["sandbox"]}
    headers = {"Idempotency-Key": "k-" + ids.new_id().hex}
    first = await api.post("/posts", json=body, key=owner.key, headers=headers)
    second = await api.post("/posts", json=body, key=owner.key, headers=headers)

    assert first.json() == second.json()
    assert second.headers["idempotent-replayed"] == "true"
    assert len((await api.get("/posts", key=owner.key)).json()["data"]) == 1


async def test_validate_says_what_create_would_say_and_saves_nothing(api: Api, owner: Login) -> None:
    body = {"profileId": owner.profile, "text": "x" * 5_001, "platforms": ["sandbox"]}
    checked = (await api.post("/posts/validate", json=body, key=owner.key)).json()
    assert checked["valid"] is False
    assert [error["code"] for error in checked["errors"]] == ["sandbox.text.max_graphemes"]
    assert checked["targets"][0] | {"accountId": ""} == {
        "platform": "sandbox", "accountId": "", "type": "text", "textLength": 5_001, "limit": 5_000,
        "overflowAt": 5_000, "derivedMedia": [], "threadLengths": [], "threadOverflows": [],
    }  # fmt: skip
    wrong = (await api.post("/posts/validate", json=body | {"platforms": ["myspace"]}, key=owner.key)).json()
    assert [error["path"] for error in wrong["errors"]] == ["/platforms/0"]
    right = (await api.post("/posts/validate", json=body | {"text": "Fine"}, key=owner.key)).json()
    assert (right["valid"], right["errors"]) == (True, [])
    assert (await api.get("/posts", key=owner.key)).json()["data"] == []
