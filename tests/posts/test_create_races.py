"""Creating a post reads first and writes later; these tests put something in between."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_create import codes, create, soon

from signalpost.context import AppContext
from signalpost.identity.authenticate import authenticator
from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.write import create as creating
from signalpost.posts.write import writer
from signalpost.web.fields import ProfileId

Between = Callable[[Callable[[], Awaitable[Any]]], None]


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


@pytest.fixture
async def account(make: Make, owner: Login) -> dict[str, Any]:
    return await make.account(owner, username="first")


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Between:
    """Have something happen once, after the read of the next create and before its write."""
    write_post = writer.write

    def arrange(happens: Callable[[], Awaitable[Any]]) -> None:
        async def first(db: Any, new: list[writer.NewPost]) -> Any:
            monkeypatch.setattr(writer, "write", write_post)
            await happens()
            return await write_post(db, new)

        monkeypatch.setattr(writer, "write", first)

    return arrange


async def test_an_account_disconnected_meanwhile_gets_no_post(
    api: Api, owner: Login, account: dict[str, Any], between: Between
) -> None:
    between(lambda: api.delete(f"/platforms/accounts/{account['id']}", key=owner.key))
    targets = [{"accountId": account["id"]}]
    refused = await create(api, owner, platforms=..., targets=targets)

    assert refused.status_code == 422
    assert codes(refused) == {("/targets/0/accountId", "not_found")}
    assert (await api.get("/posts", key=owner.key)).json()["data"] == []


async def test_a_profile_deleted_meanwhile_gets_no_post(api: Api, make: Make, owner: Login, between: Between) -> None:
    profile = await make.profile(owner)
    await make.account(owner, profile=profile["id"])
    between(lambda: api.delete(f"/profiles/{profile['id']}", key=owner.key))
    refused = await create(api, owner, profileId=profile["id"])

    assert refused.status_code == 422
    assert codes(refused) == {("/profileId", "not_found")}
    assert (await api.get("/posts", key=owner.key)).json()["data"] == []


@pytest.mark.usefixtures("account")
async def test_approval_required_meanwhile_counts(api: Api, make: Make, owner: Login, between: Between) -> None:
    editor = await make.member(owner, role="editor")
    change = {"approvalRequired": True}
    between(lambda: api.patch(f"/profiles/{owner.profile}", json=change, key=owner.key))
    post = (await create(api, owner, key=editor.key)).json()

    assert post["approval"]["state"] == "pending"
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json()["approval"]["state"] == "pending"


@pytest.mark.usefixtures("account")
async def test_a_profile_that_never_rests_is_no_endless_loop(
    api: Api, owner: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_post = writer.write

    async def renamed_first(db: Any, new: list[writer.NewPost]) -> Any:
        await api.patch(f"/profiles/{owner.profile}", json={"name": ids.new_id().hex}, key=owner.key)
        return await write_post(db, new)

    monkeypatch.setattr(writer, "write", renamed_first)
    refused = await create(api, owner)
    assert refused.status_code == 503
    assert refused.headers["retry-after"]


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize("key", [None, "once"])
async def test_a_twin_written_meanwhile_is_named(
    api: Api, owner: Login, between: Between, key: str | None, database: Database
) -> None:
    twins: list[dict[str, Any]] = []

    async def twin() -> None:
        twins.append((await create(api, owner, text="Same")).json())

    between(twin)
    body = {"profileId": owner.profile, "text": "Same", "platforms": ["sandbox"]}
    headers = {"Idempotency-Key": key + owner.profile} if key else {}
    refused = await api.post("/posts", json=body, key=owner.key, headers=headers)

    assert refused.status_code == 409
    assert refused.json()["code"] == "duplicate_content"
    assert refused.json()["existingPostId"] == twins[0]["id"]
    async with database.connection() as db:
        spent = await db.fetchval("select sum(used) from usage where workspace_id = $1", owner.workspace_id)
        audited = await db.fetchval(
            "select count(*) from audit where workspace_id = $1 and post_id is not null", owner.workspace_id
        )
    assert (spent, audited) == (1, 2)


@pytest.mark.parametrize("path", ["/profiles/{profile}", "/platforms/accounts/{account}"])
async def test_who_deletes_waits_for_posts_under_way_and_finds_them(
    api: Api, make: Make, context: AppContext, owner: Login, path: str
) -> None:
    profile = await make.profile(owner)
    account = await make.account(owner, profile=profile["id"])
    caller = await authenticator(context)(owner.key, None, "127.0.0.1")
    profile_id = ids.decode("prof", profile["id"])
    assert profile_id is not None
    data = PostCreate(profile_id=ProfileId(int=profile_id.int), text="Under way", platforms=["sandbox"])
    async with context.database.transaction() as db:
        post = await creating.create_post(context, db, caller, data)
        address = path.format(profile=profile["id"], account=account["id"])
        deletion = asyncio.create_task(api.delete(address, key=owner.key))
        done, _ = await asyncio.wait([deletion], timeout=0.3)
        assert not done
    assert (await deletion).status_code == 200

    read = (await api.get(f"/posts/{post.id}", key=owner.key)).json()
    if path.startswith("/profiles"):
        assert read.get("deletedAt") or read["status"] == 404
    else:
        assert read["targets"][0]["error"]["code"] == "account_disconnected"


@pytest.mark.usefixtures("account")
async def test_an_event_is_only_emitted_when_a_webhook_listens(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """The read of a create asks which webhooks listen; whatever was made before it gets its event."""

    async def deliveries() -> int:
        async with database.connection() as db:
            return int(await db.fetchval("select count(*) from delivery where workspace_id = $1", owner.workspace_id))

    other = await make.profile(owner)
    await create(api, owner)
    assert await deliveries() == 0
    for fields in ({"events": ["post.failed"]}, {"events": ["post.queued"], "profileIds": [other["id"]]}):
        made = await api.post("/webhooks", json={"url": "https://example.com/hook"} | fields, key=owner.key)
        assert made.status_code == 201, made.text
    await create(api, owner)
    assert await deliveries() == 0
    hook = {"url": "https://example.com/hook", "events": ["post.queued"]}
    assert (await api.post("/webhooks", json=hook, key=owner.key)).status_code == 201
    await create(api, owner)
    assert await deliveries() == 1
    await create(api, owner, draft=True)
    assert await deliveries() == 1


async def test_only_the_history_of_a_deleted_post_stays(api: Api, make: Make, owner: Login, database: Database) -> None:
    await make.account(owner, username="second")
    post = (await create(api, owner, scheduledAt=soon(days=30))).json()
    other = (await create(api, owner, scheduledAt=soon(days=30))).json()
    post_ids = [ids.decode("pst", entry["id"]) for entry in (post, other)]
    async with database.transaction() as db:
        await db.execute(
            "insert into attempt (id, workspace_id, post_id, target_id, number, owner, content_hash)"
            " select gen_random_uuid(), workspace_id, post_id, id, 1, gen_random_uuid(), content_hash from target"
            " where post_id = any($1)",
            post_ids,
        )
        await db.execute("update post set source_post_id = $1 where id = $2", *post_ids)
    deleted = await api.delete(f"/posts/{post['id']}?permanent=true", key=owner.key)
    assert deleted.status_code == 200
    async with database.connection() as db:
        for table, expected in (("target", 1), ("attempt", 1)):
            counts = [
                await db.fetchval(f"select count(*) from {table} where post_id = $1", post_id) for post_id in post_ids
            ]
            assert counts == [0, expected], table
        history = await db.fetch("select action from audit where post_id = $1 order by id", post_ids[0])
        assert [record["action"] for record in history] == ["created", "queued", "cancelled", "trashed", "purged"]
        assert await db.fetchval("select source_post_id from post where id = $1", post_ids[1]) is None
