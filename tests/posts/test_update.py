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
    return (datetime.now(UTC) + timedelta(**delta)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


async def patch(
    api: Api, owner: Login, post: dict[str, Any], *, version: int | None = None, **fields: Any
) -> httpx.Response:
    headers = {} if version is None else {"If-Match": f'"{version}"'}
    return await api.patch(f"/posts/{post['id']}", json=fields, key=owner.key, headers=headers)


async def set_target(database: Database, post: dict[str, Any], **fields: Any) -> None:
    """Put the first target where only a worker could have brought it."""
    assignments = ", ".join(f"{name} = ${n}" for n, name in enumerate(fields, 2))
    async with database.transaction() as db:
        target_id = ids.decode("tgt", post["targets"][0]["id"])
        await db.execute(f"update target set {assignments} where id = $1", target_id, *fields.values())


async def set_status(database: Database, post: dict[str, Any], status: str) -> None:
    async with database.transaction() as db:
        await db.execute("update post set status = $2 where id = $1", ids.decode("pst", post["id"]), status)


async def used(api: Api, owner: Login) -> int:
    spent: int = (await api.get("/auth/usage", key=owner.key)).json()["usage"]["posts"]
    return spent


async def test_an_edit_changes_the_post_and_its_place_in_the_queue(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    post = await make.post(owner, scheduledAt=soon(days=2))
    at = soon(days=1)

    edited = await patch(api, owner, post, text="New", scheduledAt=at, title="T", tags=["x"], notes="n")

    edited_post = edited.json()
    assert edited.status_code == 200, edited.text
    assert edited.headers["etag"] == '"2"'
    assert (edited_post["text"], edited_post["title"], edited_post["tags"], edited_post["version"]) == (
        "New",
        "T",
        ["x"],
        2,
    )
    assert edited_post["scheduledAt"] == edited_post["targets"][0]["nextAttemptAt"] == at
    assert edited_post["targets"][0]["id"] == post["targets"][0]["id"]
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json() == edited_post
    async with database.connection() as db:
        lane = await db.fetchval(
            "select next_due_at from lane where kind = 'target' and key = $1",
            ids.decode("acc", post["targets"][0]["accountId"]),
        )
    assert lane <= datetime.fromisoformat(at)


async def test_history_says_who_changed_what(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, text="Old", scheduledAt=soon(days=2))
    await patch(api, owner, post, text="New")

    log = (await api.get(f"/posts/{post['id']}/audit", key=owner.key)).json()["data"]

    assert [entry["action"] for entry in log] == ["updated", "queued", "created"]
    assert log[0]["changes"] == [{"field": "text", "from": "Old", "to": "New"}]
    assert log[0]["actor"]["type"] == "api_key"
    assert log[0]["requestId"]


async def test_an_edit_of_an_older_version_is_refused(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, draft=True)
    assert (await patch(api, owner, post, version=1, text="A")).status_code == 200
    refused = await patch(api, owner, post, version=1, text="B")
    assert (refused.status_code, refused.json()["code"]) == (412, "version_conflict")
    assert (await patch(api, owner, post, version=1, notes="B")).status_code == 412
    assert (await patch(api, owner, post, version=2, text="B")).status_code == 200
    assert (await api.delete(f"/posts/{post['id']}", key=owner.key, headers={"If-Match": '"1"'})).status_code == 412


async def test_a_draft_is_scheduled_and_goes_back_and_pays_once(
    api: Api, make: Make, owner: Login, emitted: list[Any]
) -> None:
    post = await make.post(owner, draft=True)
    before = await used(api, owner)

    scheduled = (await patch(api, owner, post, scheduledAt=soon(days=1))).json()
    assert (scheduled["status"], scheduled["publishMode"]) == ("scheduled", "schedule")
    assert await used(api, owner) == before + 1
    moved = (await patch(api, owner, post, scheduledAt=soon(days=3))).json()
    assert moved["queuedAt"] == scheduled["queuedAt"]
    draft = (await patch(api, owner, post, scheduledAt=None)).json()
    assert (draft["status"], draft["scheduledAt"], draft["queuedAt"]) == ("draft", None, None)
    assert draft["targets"][0]["nextAttemptAt"] is None
    assert await used(api, owner) == before
    assert (await patch(api, owner, post, publishMode="now")).json()["status"] == "queued"
    assert [event.type for event in emitted] == ["post.queued", "post.queued"]


async def test_a_draft_may_keep_a_wish_for_a_time(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, draft=True)
    wished = (await patch(api, owner, post, scheduledAt=soon(days=1), publishMode="draft")).json()
    assert wished["status"] == "draft"
    assert wished["scheduledAt"]
    assert (await patch(api, owner, post, text="Still")).json()["scheduledAt"] == wished["scheduledAt"]


async def test_a_draft_may_lose_its_last_account(api: Api, make: Make, owner: Login) -> None:
    """What is written is saved as it is; what goes out needs an account."""
    post = await make.post(owner, draft=True)
    edited = await patch(api, owner, post, targets=[])
    assert (edited.status_code, edited.json()["targets"], edited.json()["text"]) == (200, [], post["text"])
    refused = await patch(api, owner, post, publishMode="now")
    assert [(issue["path"], issue["code"]) for issue in refused.json()["errors"]] == [("/platforms", "required")]
    waiting = await make.post(owner, scheduledAt=soon(days=1))
    refused = await patch(api, owner, waiting, targets=[])
    assert [(issue["path"], issue["code"]) for issue in refused.json()["errors"]] == [("/platforms", "required")]


async def test_an_edit_obeys_what_networks_take(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, scheduledAt=soon(days=1))
    refused = await patch(api, owner, post, text="x" * 5_001)
    assert refused.json()["code"] == "preflight_failed"
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json() == post


async def test_a_time_that_passed_meanwhile_does_not_hinder_other_edits(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """A queued post that nobody took yet has a time in the past; its text can still be corrected."""
    post = await make.post(owner, scheduledAt=soon(days=1))
    async with database.transaction() as db:
        past = datetime.now(UTC) - timedelta(hours=1)
        await db.execute("update post set scheduled_at = $2 where id = $1", ids.decode("pst", post["id"]), past)
    await set_target(database, post, due_at=past, next_attempt_at=past)
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json()["status"] == "queued"

    edited = await patch(api, owner, post, text="Corrected")

    assert (edited.status_code, edited.json()["status"]) == (200, "queued")


async def test_accounts_can_be_exchanged_until_it_goes_out(api: Api, make: Make, owner: Login) -> None:
    second = await make.account(owner, username="second")
    post = await make.post(owner, targets=[{"accountId": second["id"], "text": "Own"}], scheduledAt=soon(days=1))

    edited = (await patch(api, owner, post, platforms=["sandbox"])).json()
    assert [(target["username"], target["text"]) for target in edited["targets"]] == [("first", None), ("second", None)]
    assert edited["targets"][1]["id"] == post["targets"][0]["id"]

    edited = (await patch(api, owner, post, targets=[{"accountId": edited["targets"][0]["accountId"]}])).json()
    assert [target["username"] for target in edited["targets"]] == ["first"]
    refused = await patch(api, owner, post, platforms=["sandbox"], targets=[{"accountId": second["id"]}])
    assert refused.status_code == 422


async def test_another_content_gets_another_key_at_the_network(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """Networks that recognise a repeat would otherwise answer with the post of the old text."""
    post = await make.post(owner, scheduledAt=soon(days=1))

    async def key() -> str:
        async with database.connection() as db:
            status: str = await db.fetchval(
                "select dedupe_key from target where id = $1", ids.decode("tgt", post["targets"][0]["id"])
            )
            return status

    first = await key()
    await patch(api, owner, post, scheduledAt=soon(days=2))
    assert await key() == first
    await patch(api, owner, post, text="Another")
    assert await key() != first


@pytest.mark.parametrize("status", ["publishing", "processing", "unknown", "published"])
async def test_what_is_on_its_way_keeps_its_content(
    api: Api, make: Make, owner: Login, database: Database, status: str
) -> None:
    """The worker moves the target in the transaction before the call: from then on an edit would be a lie."""
    post = await make.post(owner)
    await set_target(database, post, status=status, next_attempt_at=None)

    refused = await patch(api, owner, post, text="Too late")
    assert (refused.status_code, refused.json()["code"]) == (409, "invalid_state")


async def test_an_edit_and_a_worker_never_both_win(api: Api, make: Make, owner: Login, database: Database) -> None:
    """A worker holds the lane while it moves the target: the edit waits, then sees that it came too late."""
    post = await make.post(owner)
    target_id = ids.decode("tgt", post["targets"][0]["id"])
    account_id = ids.decode("acc", post["targets"][0]["accountId"])
    async with database.transaction() as db:
        await db.execute("select from lane where kind = 'target' and key = $1 for update", account_id)
        await db.execute("update target set status = 'publishing', next_attempt_at = null where id = $1", target_id)
        edit = asyncio.create_task(patch(api, owner, post, text="Too late"))
        trash = asyncio.create_task(api.delete(f"/posts/{post['id']}", key=owner.key))
        await asyncio.sleep(0.2)
        assert not edit.done()
        assert not trash.done()
        await db.execute("update post set status = 'publishing' where id = $1", ids.decode("pst", post["id"]))
    assert [(await edit).status_code, (await trash).status_code] == [409, 409]
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json()["text"] == post["text"]


async def test_of_edits_at_the_same_moment_each_sees_the_one_before(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, scheduledAt=soon(days=1))
    edits = [patch(api, owner, post, title=f"T{n}") for n in range(4)] + [patch(api, owner, post, tags=["x"])]
    assert {response.status_code for response in await asyncio.gather(*edits)} == {200}
    body = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()
    assert (body["version"], body["tags"]) == (6, ["x"])


async def test_labels_stay_editable_whatever_happened(api: Api, make: Make, owner: Login, database: Database) -> None:
    post = await make.post(owner)
    await set_target(database, post, status="published", next_attempt_at=None)
    await set_status(database, post, "published")

    edited = await patch(api, owner, post, tags=["b"], notes=None, campaign="c", externalId="late")
    assert edited.status_code == 200
    assert (edited.json()["tags"], edited.json()["campaign"], edited.json()["externalId"]) == (["b"], "c", "late")
    assert (await patch(api, owner, post, tags=[], text="x")).status_code == 409


async def test_a_failed_post_can_be_corrected_but_is_sent_again_by_retry_only(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    post = await make.post(owner)
    await set_target(database, post, status="failed", next_attempt_at=None, due_at=None, attempts=1)
    await set_status(database, post, "failed")

    edited = await patch(api, owner, post, text="Corrected")
    assert (edited.status_code, edited.json()["status"]) == (200, "failed")
    assert edited.json()["targets"][0]["status"] == "failed"
    assert (await patch(api, owner, post, scheduledAt=soon(days=1))).status_code == 409


async def test_an_edit_into_a_twin_is_refused(api: Api, make: Make, owner: Login) -> None:
    await make.post(owner, text="Taken", externalId="e1")
    post = await make.post(owner, scheduledAt=soon(days=1))
    assert (await patch(api, owner, post, text="Taken")).json()["code"] == "duplicate_content"
    assert (await patch(api, owner, post, externalId="e1")).json()["code"] == "external_id_conflict"
    assert (await patch(api, owner, post, text="Taken", allowDuplicate=True)).status_code == 200


async def test_null_clears_what_may_be_empty(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner, draft=True, title="T", link="https://example.com", firstComment="f", campaign="c")
    cleared = (await patch(api, owner, post, title=None, link=None, firstComment=None, campaign=None)).json()
    assert (cleared["title"], cleared["link"], cleared["firstComment"], cleared["campaign"]) == (None,) * 4
    assert (await patch(api, owner, post, text=None)).status_code == 422


async def test_an_empty_edit_changes_nothing_but_is_fine(api: Api, make: Make, owner: Login) -> None:
    post = await make.post(owner)
    assert (await patch(api, owner, post)).status_code == 200
