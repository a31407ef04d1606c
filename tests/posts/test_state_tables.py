"""What may be done to a post in each of its states, row by row: change, trash, restore, submit, cancel, retry."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.contract import upload
from tests.helpers.factories import Login, Make
from tests.posts.test_update import patch, set_status, set_target, soon

from signalpost.kit import ids
from signalpost.kit.db import Database
from signalpost.posts.change.trash import delete_expired

STATES = ("draft", "scheduled", "queued", "publishing", "published", "partial", "failed")


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


async def post_in(state: str, make: Make, owner: Login, database: Database) -> dict[str, Any]:
    """A post in this state, with one target; of a partial one, a second target failed."""
    if state == "draft":
        return await make.draft(owner)
    if state == "scheduled":
        return await make.post(owner, scheduledAt=soon(days=1))
    if state == "partial":
        await make.account(owner, username="second")
    post = await make.post(owner)
    if state == "queued":
        return post
    ended: dict[str, Any] = {"next_attempt_at": None, "started_at": datetime.now(UTC), "attempts": 1}
    status = {"partial": "published"}.get(state, state)
    await set_target(database, post, status=status, remote_id="sbx_1" if status == "published" else None, **ended)
    if state == "partial":
        second = post | {"targets": post["targets"][1:]}
        await set_target(database, second, status="failed", **ended)
    await set_status(database, post, state)
    return post


@pytest.mark.parametrize(
    ("state", "text", "others"),
    [
        ("draft", 200, 200),
        ("scheduled", 200, 200),
        ("queued", 200, 200),
        ("failed", 200, 409),  # it is corrected, and then retried or submitted
        ("publishing", 409, 409),
        ("published", 409, 409),
        ("partial", 409, 409),
    ],
)
async def test_what_may_be_changed(
    api: Api, make: Make, owner: Login, database: Database, state: str, text: int, others: int
) -> None:
    """Labels always; times and accounts until it is attempted."""
    post = await post_in(state, make, owner, database)
    account = {"accountId": post["targets"][0]["accountId"], "text": "Own"} if post["targets"] else None
    changes: list[tuple[dict[str, Any], int]] = [
        ({"text": "Another"}, text),
        ({"targets": [account]} if account else {"platforms": ["sandbox"]}, others),
        ({"scheduledAt": soon(days=2)}, others),
        ({"tags": ["a"], "notes": "n", "campaign": "c", "externalId": post["id"]}, 200),
    ]
    for fields, status in changes:
        answer = await patch(api, owner, post, **fields)
        assert answer.status_code == status, (fields, answer.text)
        if status == 409:
            assert answer.json()["code"] == "invalid_state"


@pytest.mark.parametrize(
    ("state", "trashed", "restored"),
    [
        ("draft", 200, "draft"),
        ("scheduled", 200, "scheduled"),
        ("queued", 200, "draft"),  # its time has passed
        ("publishing", 409, None),
        ("published", 200, "published"),
        ("partial", 200, "partial"),
        ("failed", 200, "failed"),
    ],
)
async def test_trash_and_restore(
    api: Api, make: Make, owner: Login, database: Database, state: str, trashed: int, restored: str | None
) -> None:
    post = await post_in(state, make, owner, database)
    first = await api.delete(f"/posts/{post['id']}", key=owner.key)
    assert first.status_code == trashed, first.text
    if restored is None:
        return
    assert (await api.delete(f"/posts/{post['id']}", key=owner.key)).json() == first.json()

    back = await api.post(f"/posts/{post['id']}/restore", key=owner.key)

    assert (back.status_code, back.json()["status"]) == (201, restored)
    waiting = {"pending"} if restored in ("draft", "scheduled") else set()
    assert {target["status"] for target in back.json()["targets"]} <= waiting | {"published", "failed"}


@pytest.mark.parametrize(
    ("state", "submit", "cancel", "retry"),
    [
        ("draft", 201, 409, 409),
        ("scheduled", 201, 200, 409),
        ("queued", 409, 200, 409),
        ("publishing", 409, 409, 409),
        ("published", 409, 409, 409),
        ("partial", 409, 409, 201),
        ("failed", 201, 409, 201),
    ],
)
async def test_what_the_queue_does_with_it(
    api: Api, make: Make, owner: Login, database: Database, state: str, submit: int, cancel: int, retry: int
) -> None:
    for method, path, status in (
        ("DELETE", "/queue/cancel/{}", cancel),
        ("POST", "/posts/{}/retry", retry),
        ("POST", "/queue/submit/{}", submit),
    ):
        post = await post_in(state, make, owner, database)
        if state == "draft":
            answer = await patch(api, owner, post, platforms=["sandbox"])
            assert answer.status_code == 200
        changed = (
            await patch(api, owner, post, allowDuplicate=True) if state in ("draft", "scheduled", "failed") else None
        )
        assert changed is None or changed.status_code == 200
        answer = await api.call(method, path.format(post["id"]), key=owner.key)
        assert answer.status_code == status, (path, answer.text)
        if status == 409:
            assert answer.json()["code"] == ("nothing_to_retry" if "retry" in path else "invalid_state")
        else:
            after = (await api.get(f"/posts/{post['id']}", key=owner.key)).json()["status"]
            assert after == {"cancel": "draft"}.get(path.split("/")[2], "publishing" if state == "partial" else after)


@pytest.mark.parametrize(
    ("text", "thread", "files", "kind"),
    [("Hi", [], 0, "text"), ("Hi", [], 1, "media"), ("Hi", [], 2, "carousel"), ("Hi", [{"text": "More"}], 1, "thread")],
)
async def test_validate_says_what_it_would_be(
    api: Api, make: Make, owner: Login, text: str, thread: list[dict[str, str]], files: int, kind: str
) -> None:
    media = [{"mediaId": await upload(api, owner)} for _ in range(files)]
    body = {"profileId": owner.profile, "platforms": ["sandbox"], "text": text, "thread": thread, "media": media}

    checked = (await api.post("/posts/validate", json=body, key=owner.key)).json()

    assert checked["valid"], checked
    [target] = checked["targets"]
    assert (target["type"], target["textLength"], target["limit"], target["derivedMedia"]) == (kind, 2, 5_000, [])


@pytest.mark.parametrize(("media", "length"), [(False, 2), (True, 2 + 2 + 21)])
async def test_validate_counts_what_is_sent(
    api: Api, make: Make, owner: Login, database: Database, media: bool, length: int
) -> None:
    """Bluesky shows a link as a card; beside a file it stands in the text."""
    account = await make.account(owner, username="blue")
    async with database.transaction() as db:
        await db.execute("update account set platform = 'bluesky' where id = $1", ids.decode("acc", account["id"]))
    body: dict[str, Any] = {
        "profileId": owner.profile, "platforms": ["bluesky"], "text": "Hi", "link": "https://example.com/a",
    }  # fmt: skip
    if media:
        body["media"] = [{"mediaId": await upload(api, owner)}]

    [target] = (await api.post("/posts/validate", json=body, key=owner.key)).json()["targets"]

    assert target["textLength"] == length


@pytest.mark.parametrize("days", [29, 31])
async def test_the_trash_is_emptied_after_thirty_days(
    api: Api, make: Make, owner: Login, database: Database, days: int
) -> None:
    """The moment is that of the trash, whatever the request's clock."""
    post = await make.post(owner, scheduledAt=soon(days=300))
    await api.delete(f"/posts/{post['id']}", key=owner.key)
    async with database.transaction() as db:
        past = timedelta(days=days)
        change = "update post set deleted_at = deleted_at - $2::interval, purge_at = purge_at - $2 where id = $1"
        await db.execute(change, ids.decode("pst", post["id"]), past)
        await delete_expired(db, 1_000)

    back = await api.post(f"/posts/{post['id']}/restore", key=owner.key)

    assert back.status_code == (201 if days < 30 else 404)
