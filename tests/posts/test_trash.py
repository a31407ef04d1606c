from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_update import set_status, set_target, soon, used

from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.posts.change.trash import delete_expired


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


async def test_trash_takes_a_post_off_the_queue_and_out_of_sight(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, scheduledAt=soon(days=1))
    before = await used(api, owner)

    gone = await api.delete(f"/posts/{post['id']}", key=owner.key)

    response = gone.json()
    assert gone.status_code == 200
    assert (response["id"], response["deleted"], response["platformErrors"]) == (post["id"], True, [])
    period = datetime.fromisoformat(response["purgeAt"]) - datetime.fromisoformat(response["deletedAt"])
    assert period == timedelta(days=30)
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).status_code == 404
    assert (await api.patch(f"/posts/{post['id']}", json={"text": "x"}, key=owner.key)).status_code == 404
    assert (await api.get("/posts", key=owner.key)).json()["data"] == []
    [trashed] = (await api.get("/posts/trash", key=owner.key)).json()["data"]
    assert trashed["id"] == post["id"]
    assert trashed["targets"][0]["status"] == "cancelled"
    assert trashed["targets"][0]["nextAttemptAt"] is None
    assert await used(api, owner) == before - 1
    assert (await api.delete(f"/posts/{post['id']}", key=owner.key)).json() == response


async def test_restore_brings_the_schedule_back_and_tells_of_it(
    api: Api, make: Make, owner: Login, emitted: list[Any]
) -> None:
    post = await make.post(owner, scheduledAt=soon(days=1))
    before = await used(api, owner)
    await api.delete(f"/posts/{post['id']}", key=owner.key)

    restored = await api.post(f"/posts/{post['id']}/restore", key=owner.key)

    restored_post = restored.json()
    assert (restored.status_code, restored_post["status"], restored_post["deletedAt"]) == (201, "scheduled", None)
    assert restored_post["targets"][0] == post["targets"][0]
    assert await used(api, owner) == before
    assert [event.type for event in emitted] == ["post.queued", "post.queued"]
    again = await api.post(f"/posts/{post['id']}/restore", key=owner.key)
    assert (again.status_code, again.json()["code"]) == (409, "invalid_state")
    log = (await api.get(f"/posts/{post['id']}/audit", key=owner.key)).json()["data"]
    assert [entry["action"] for entry in log] == ["queued", "restored", "trashed", "cancelled", "queued", "created"]


async def test_a_schedule_that_passed_in_the_trash_becomes_a_draft(
    api: Api, make: Make, owner: Login, emitted: list[Any]
) -> None:
    """Restoring must not publish what was meant for yesterday."""
    now = await make.post(owner)
    later = await make.post(owner, key=owner.test_key, scheduledAt=soon(hours=1))
    for post in (now, later):
        await api.delete(f"/posts/{post['id']}", key=owner.key)
    emitted.clear()
    headers = {"X-Test-Now": soon(hours=2)}
    for post, key in ((now, owner.key), (later, owner.test_key)):
        restored = (await api.post(f"/posts/{post['id']}/restore", key=key, headers=headers)).json()
        assert restored["status"] == "draft"
        assert restored["targets"][0]["status"] == "pending"
        assert restored["targets"][0]["nextAttemptAt"] is None
    assert emitted == []


async def test_what_was_published_comes_back_as_published(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    post = await make.post(owner)
    await set_target(database, post, status="published", next_attempt_at=None, started_at=datetime.now(UTC))
    await set_status(database, post, "published")
    await api.delete(f"/posts/{post['id']}", key=owner.key)
    assert (await api.post(f"/posts/{post['id']}/restore", key=owner.key)).json()["status"] == "published"


@pytest.mark.parametrize("status", ["publishing", "processing", "unknown"])
async def test_a_post_on_its_way_is_not_trashed(
    api: Api, make: Make, owner: Login, database: Database, status: str
) -> None:
    post = await make.post(owner)
    await set_target(database, post, status=status, next_attempt_at=None, started_at=datetime.now(UTC))
    await set_status(database, post, "publishing")
    refused = await api.delete(f"/posts/{post['id']}", key=owner.key)
    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")


async def test_a_retry_that_waits_is_cancelled_and_the_unit_stays_spent(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    post = await make.post(owner)
    before = await used(api, owner)
    await set_target(database, post, status="retrying", started_at=datetime.now(UTC), attempts=1)
    await set_status(database, post, "publishing")
    assert (await api.delete(f"/posts/{post['id']}", key=owner.key)).status_code == 200
    assert await used(api, owner) == before


async def test_permanent_deletes_for_good(api: Api, make: Make, owner: Login, database: Database) -> None:
    post = await make.post(owner)
    gone = (await api.delete(f"/posts/{post['id']}?permanent=true", key=owner.key)).json()
    assert gone["purgeAt"] is None
    assert (await api.post(f"/posts/{post['id']}/restore", key=owner.key)).status_code == 404
    assert (await api.delete(f"/posts/{post['id']}", key=owner.key)).status_code == 404
    async with database.connection() as db:
        assert await db.fetchval("select count(*) from target where post_id = $1", ids.decode("pst", post["id"])) == 0


async def test_cascade_asks_for_removal_of_what_was_published(
    api: Api, make: Make, owner: Login, database: Database, emitted: list[Any]
) -> None:
    post = await make.post(owner)
    await set_target(database, post, status="published", remote_id="sbx_1", next_attempt_at=None)
    await set_status(database, post, "published")
    emitted.clear()

    gone = (await api.delete(f"/posts/{post['id']}?cascade=true", key=owner.key)).json()

    assert gone["platformErrors"] == []
    [asked] = emitted
    assert [(removal.platform, removal.remote_id) for removal in asked.removals] == [("sandbox", "sbx_1")]


async def test_thirty_days_later_it_is_gone(api: Api, make: Make, owner: Login, database: Database) -> None:
    old, young = await make.post(owner), await make.post(owner)
    for post in (old, young):
        await api.delete(f"/posts/{post['id']}", key=owner.key)
    async with database.transaction() as db:
        past = "update post set purge_at = now() - interval '10 years' where id = $1"  # before what others left
        await db.execute(past, ids.decode("pst", old["id"]))
        assert await delete_expired(db, 100) >= 1
    assert [post["id"] for post in (await api.get("/posts/trash", key=owner.key)).json()["data"]] == [young["id"]]


async def test_deleting_a_profile_trashes_its_posts(api: Api, make: Make, owner: Login, database: Database) -> None:
    profile = await make.profile(owner)
    await make.account(owner, profile=profile["id"])
    waiting = await make.post(owner, profileId=profile["id"], scheduledAt=soon(days=1))
    draft = await make.post(owner, profileId=profile["id"], draft=True)
    other = await make.post(owner)
    before = await used(api, owner)

    gone = (await api.delete(f"/profiles/{profile['id']}", key=owner.key)).json()

    assert (gone["postsTrashed"], gone["postsCancelled"], gone["accountsDisconnected"]) == (2, 1, 1)
    assert {post["id"] for post in (await api.get("/posts/trash", key=owner.key)).json()["data"]} == {
        waiting["id"], draft["id"],
    }  # fmt: skip
    assert [post["id"] for post in (await api.get("/posts", key=owner.key)).json()["data"]] == [other["id"]]
    assert await used(api, owner) == before - 1


async def test_a_profile_that_publishes_this_moment_is_not_deleted(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    post = await make.post(owner)
    await set_target(database, post, status="publishing", next_attempt_at=None)
    refused = await api.delete(f"/profiles/{owner.profile}", key=owner.key)
    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")


async def test_what_waits_for_a_disconnected_account_fails_and_the_rest_goes_on(
    api: Api, make: Make, owner: Login, emitted: list[Any]
) -> None:
    second = await make.account(owner, username="second")
    both = await make.post(owner, scheduledAt=soon(days=1))
    only = await make.post(owner, targets=[{"accountId": second["id"]}], scheduledAt=soon(days=1))
    draft = await make.post(owner, draft=True)
    emitted.clear()

    gone = (await api.delete(f"/platforms/accounts/{second['id']}", key=owner.key)).json()

    assert gone["affectedPosts"] == 2
    by_id = {post["id"]: post for post in (await api.get("/posts", key=owner.key)).json()["data"]}
    assert by_id[both["id"]]["status"] == "scheduled"
    assert [target["status"] for target in by_id[both["id"]]["targets"]] == ["pending", "failed"]
    error = by_id[both["id"]]["targets"][1]["error"]
    assert (error["code"], error["category"], error["retryable"]) == ("account_disconnected", "account_issue", True)
    assert by_id[only["id"]]["status"] == "failed"
    assert by_id[draft["id"]]["status"] == "draft"
    posts = [event for event in emitted if getattr(event, "type", "").startswith("post.")]
    assert sorted((event.type, event.data.scope, event.data.post_id) for event in posts) == sorted(
        [
            ("post.failed", "target", both["id"]),
            ("post.failed", "target", only["id"]),
            ("post.failed", "post", only["id"]),
        ]
    )
