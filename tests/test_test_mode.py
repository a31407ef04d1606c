"""Test mode, where live and test objects meet: profiles, sandbox accounts, files, webhooks, external ids, the clock."""

from datetime import timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.contract import picture
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database

PAST = {"X-Test-Now": "2000-01-01T00:00:00Z"}
REFUSED = (403, "test_mode_only_sandbox")


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def make_live(context: AppContext, account: dict[str, Any]) -> None:
    """Have an account be one of a live network."""
    async with context.database.transaction() as db:
        await db.execute("update account set platform = 'mastodon' where id = $1", ids.decode("acc", account["id"]))


async def result_of(api: Api, method: str, path: str, login: Login, **options: Any) -> tuple[int, str | None]:
    """Return status and code of a request with the test key."""
    answer = await api.call(method, path, key=login.test_key, **options)
    return answer.status_code, answer.json().get("code") if answer.status_code >= 400 else None


async def upload(api: Api, key: str) -> str:
    answer = await api.post("/media/upload", files={"file": ("dot.png", picture(), "image/png")}, key=key)
    assert answer.status_code == 201, answer.text
    media: str = answer.json()["id"]
    return media


async def test_a_profile_with_live_accounts_is_hidden_but_its_sandbox_is_not(
    api: Api, context: AppContext, make: Make, owner: Login
) -> None:
    """Connecting a live account must not break the tests of whoever uses the sandbox of that profile."""
    sandbox = await make.account(owner)
    await make_live(context, await make.account(owner))

    assert await result_of(api, "GET", f"/profiles/{owner.profile}", owner) == (404, "not_found")
    assert (await api.get("/profiles", key=owner.test_key)).json()["data"] == []
    accounts = (await api.get("/platforms/accounts", key=owner.test_key)).json()["data"]
    assert [account["id"] for account in accounts] == [sandbox["id"]]
    post = await make.post(owner, key=owner.test_key)
    assert (post["mode"], post["profileId"]) == ("test", owner.profile)
    body = {"profileId": owner.profile, "text": "x", "platforms": ["mastodon"]}
    assert await result_of(api, "POST", "/posts", owner, json=body) == REFUSED


@pytest.mark.parametrize("kind", ["post", "trashed post", "media", "webhook", "key"])
async def test_a_profile_with_something_live_is_changed_by_live_keys_only(
    api: Api, make: Make, owner: Login, database: Database, kind: str
) -> None:
    """It can be read: without live accounts it is a place for tests too."""
    profile = owner.profile
    if "post" in kind:
        post = await make.draft(owner)
        if kind == "trashed post":
            await api.delete(f"/posts/{post['id']}", key=owner.key)
    elif kind == "media":
        files = {"file": ("dot.png", picture(), "image/png")}
        await api.post("/media/upload", files=files, data={"profileId": profile}, key=owner.key)
    elif kind == "webhook":
        body = {"url": "http://127.0.0.1:9/", "profileIds": [profile]}
        assert (await api.post("/webhooks", json=body, key=owner.key)).status_code == 201
    else:
        await api.post("/api-keys", json={"name": "x", "profileIds": [profile]}, key=owner.key)
    parent = (await make.profile(owner))["id"]
    ends = {"parentProfileId": parent, "childProfileId": profile}

    assert await result_of(api, "GET", f"/profiles/{profile}", owner) == (200, None)
    assert await result_of(api, "PATCH", f"/profiles/{profile}", owner, json={"name": "Mine"}) == REFUSED
    assert await result_of(api, "POST", "/profiles/links", owner, json=ends) == REFUSED
    link = (await api.post("/profiles/links", json=ends, key=owner.key)).json()["id"]
    assert await result_of(api, "DELETE", f"/profiles/links/{link}", owner) == REFUSED
    assert await result_of(api, "DELETE", f"/profiles/{profile}", owner, headers=PAST) == REFUSED
    async with database.connection() as db:
        row = await db.fetchrow(
            "select name, version, deleted_at from profile where id = $1", ids.decode("prof", profile)
        )
        assert (row["version"], row["deleted_at"]) == (1, None)
        assert not await db.fetchval(
            "select count(*) from post where workspace_id = $1 and purge_at < now()", owner.workspace_id
        )


async def test_a_profile_of_tests_is_deleted_at_the_real_time(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    await make.account(owner)
    post = await make.post(owner, key=owner.test_key, scheduledAt=clock.wire(clock.now() + timedelta(days=1)))

    gone = await api.delete(f"/profiles/{owner.profile}", key=owner.test_key, headers=PAST)

    assert gone.json() | {"id": ""} == {
        "id": "", "deleted": True, "accountsDisconnected": 1, "postsTrashed": 1, "postsCancelled": 1,
    }  # fmt: skip
    async with database.connection() as db:
        ages = await db.fetchrow(
            "select now() - p.deleted_at < interval '1 minute', q.purge_at > now() + interval '29 days'"
            " from profile p, post q where p.id = $1 and q.id = $2",
            ids.decode("prof", owner.profile), ids.decode("pst", post["id"]),
        )  # fmt: skip
    assert tuple(ages) == (True, True)


async def test_a_sandbox_account_for_which_live_posts_wait_is_changed_by_live_keys_only(
    api: Api, make: Make, owner: Login
) -> None:
    """Live posts can be practised on the sandbox; a test key must not fail, hold or release them."""
    account = await make.account(owner, username="practice")
    tomorrow = clock.wire(clock.now() + timedelta(days=1))
    post = await make.post(owner, scheduledAt=tomorrow)
    path = f"/platforms/accounts/{account['id']}"
    connect = {"profileId": owner.profile, "fields": {"username": "practice"}}

    assert await result_of(api, "DELETE", path, owner, headers=PAST) == REFUSED
    assert await result_of(api, "PATCH", path, owner, json={"status": "paused"}) == REFUSED
    assert await result_of(api, "POST", "/platforms/sandbox/connect", owner, json=connect) == (201, None)
    paused = await api.patch(path, json={"status": "paused"}, key=owner.key)
    assert paused.status_code == 200
    assert await result_of(api, "PATCH", path, owner, json={"status": "active"}) == REFUSED
    assert await result_of(api, "POST", "/platforms/sandbox/connect", owner, json=connect) == REFUSED
    assert (await api.get(path + "/health", key=owner.key)).json()["accountStatus"] == "paused"
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json()["status"] == "scheduled"

    await api.delete(f"/posts/{post['id']}", key=owner.key)
    assert await result_of(api, "DELETE", path, owner) == (200, None)


async def test_files_belong_to_a_mode(api: Api, make: Make, owner: Login) -> None:
    """A test key neither sees nor uses live files; of test files, it cannot delete what a live post uses."""
    await make.account(owner)
    live, tested = await upload(api, owner.key), await upload(api, owner.test_key)

    assert [one["id"] for one in (await api.get("/media", key=owner.test_key)).json()["data"]] == [tested]
    both = {one["id"]: one["mode"] for one in (await api.get("/media", key=owner.key)).json()["data"]}
    assert both == {live: "live", tested: "test"}
    path = (await api.get(f"/media/{live}", key=owner.key)).json()["storagePath"]
    for media in ({"mediaId": live}, {"mediaUrl": path}):
        body = {"profileId": owner.profile, "text": "x", "platforms": ["sandbox"], "media": [media]}
        assert await result_of(api, "POST", "/posts", owner, json=body) == (422, "validation_failed")
    watermark = {"watermarkMediaId": live}
    assert await result_of(api, "PATCH", f"/profiles/{owner.profile}", owner, json=watermark) == (
        422,
        "validation_failed",
    )
    assert (await api.patch(f"/profiles/{owner.profile}", json=watermark, key=owner.key)).status_code == 200

    await make.post(owner, media=[{"mediaId": tested}], draft=True)
    assert await result_of(api, "DELETE", f"/media/{tested}", owner) == REFUSED


async def test_webhooks_belong_to_a_mode(api: Api, make: Make, owner: Login, database: Database) -> None:
    """That of the key that makes one; each hears its own mode, and nothing else."""
    await make.account(owner)
    body = {"url": "http://127.0.0.1:9/", "events": ["post.queued"]}
    hooks = {}
    for mode, key in (("live", owner.key), ("test", owner.test_key)):
        created = (await api.post("/webhooks", json=body, key=key)).json()
        assert created["mode"] == mode
        hooks[mode] = created["id"]
    for mode, key in (("live", owner.key), ("test", owner.test_key)):
        await make.post(owner, key=key)
        listed = (await api.get(f"/webhooks/{hooks[mode]}/deliveries", key=owner.key)).json()["data"]
        assert len(listed) == 1
        detail = await api.get(f"/webhooks/{hooks[mode]}/deliveries/{listed[0]['id']}", key=owner.key)
        assert f'"mode":"{mode}"' in detail.json()["body"]
    assert [one["id"] for one in (await api.get("/webhooks", key=owner.test_key)).json()["data"]] == [hooks["test"]]
    assert len((await api.get("/webhooks", key=owner.key)).json()["data"]) == 2

    for key, other in ((owner.key, "test"), (owner.test_key, "live")):
        refused = await api.post("/webhooks", json=body | {"mode": other}, key=key)
        assert [issue["path"] for issue in refused.json()["errors"]] == ["/mode"]
    assert await result_of(api, "PATCH", f"/webhooks/{hooks['test']}", owner, json={"mode": "live"}) == (
        422, "validation_failed",
    )  # fmt: skip
    assert await result_of(api, "DELETE", f"/webhooks/{hooks['test']}", owner, headers=PAST) == (200, None)
    async with database.connection() as db:
        age = await db.fetchval(
            "select now() - deleted_at from webhook where id = $1", ids.decode("whk", hooks["test"])
        )
    assert age < timedelta(minutes=1)


async def test_external_ids_are_unique_in_their_mode(api: Api, make: Make, owner: Login) -> None:
    """A test run may use the ids of production; it is not told of live posts by a conflict."""
    live = await make.draft(owner, externalId="crm-4711")
    tested = await make.draft(owner, key=owner.test_key, externalId="crm-4711")

    for key, existing in ((owner.key, live), (owner.test_key, tested)):
        body = {"profileId": owner.profile, "text": "again", "externalId": "crm-4711", "draft": True}
        conflict = await api.post("/posts", json=body, key=key)
        assert (conflict.status_code, conflict.json()["existingPostId"]) == (409, existing["id"])


async def test_quotas_name_no_live_accounts(api: Api, context: AppContext, make: Make, owner: Login) -> None:
    sandbox, other = await make.account(owner), await make.account(owner)
    await make_live(context, other)

    quotas = (await api.get("/auth/usage", key=owner.test_key)).json()["platformQuotas"]

    assert [quota["accountId"] for quota in quotas] == [sandbox["id"]]
