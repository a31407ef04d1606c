"""A post that cannot be published says so wherever it is shown, with the reason and what to do."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_update import set_target, soon

from signalpost.kit import ids
from signalpost.kit.db import Database

TROUBLES = {
    "needs_reauth": ("auth_expired", "has to be connected again"),
    "restricted": ("account_restricted", "does not let the account"),
    "paused": ("account_paused", "is paused"),
}


@pytest.fixture
async def owner(make: Make) -> Login:
    return await make.owner()


async def broken_account(make: Make, owner: Login, database: Database, status: str) -> dict[str, Any]:
    account = await make.account(owner, username="broken")
    await set_account(database, account["id"], status)
    return account


async def set_account(database: Database, account_id: str, status: str) -> None:
    async with database.transaction() as db:
        await db.execute("update account set status = $2 where id = $1", ids.decode("acc", account_id), status)


async def shown(api: Api, owner: Login, post_id: str) -> list[dict[str, Any]]:
    """The post, the post in its list, its status and its queue entry."""
    post, status, entry = [
        (await api.get(path, key=owner.key)).json()
        for path in (f"/posts/{post_id}", f"/posts/{post_id}/status", f"/queue/status/{post_id}")
    ]
    listed = (await api.get("/posts", key=owner.key)).json()["data"]
    return [post, next(other for other in listed if other["id"] == post_id), status, entry]


@pytest.mark.parametrize("account_status", TROUBLES)
@pytest.mark.parametrize("later", [False, True])
async def test_a_post_says_that_its_account_cannot_publish(
    api: Api, make: Make, owner: Login, database: Database, account_status: str, *, later: bool
) -> None:
    code, words = TROUBLES[account_status]
    account = await broken_account(make, owner, database, account_status)
    fields = {"scheduledAt": soon(days=1)} if later else {}
    post = await make.post(owner, **fields)

    assert post["status"] == ("scheduled" if later else "queued")
    [warning] = post["warnings"]
    assert (warning["code"], warning["accountId"], warning["platform"]) == (code, account["id"], "sandbox")
    assert words in warning["message"]
    assert account["id"] in warning["remediation"]
    assert warning["path"] == "/targets/0/accountId"
    for view in [post, *await shown(api, owner, post["id"])]:
        assert (view["held"], view["heldReason"], view["heldUntil"]) == (True, "account", None)
        assert words in view["heldMessage"]
        assert view.get("warnings", [warning]) == [warning]

    await set_account(database, account["id"], "active")
    for view in await shown(api, owner, post["id"]):
        assert (view["held"], view["heldReason"], view["heldMessage"]) == (False, None, None)
        assert view.get("warnings", []) == []


@pytest.mark.parametrize("account_status", TROUBLES)
async def test_validate_and_drafts_warn_too(
    api: Api, make: Make, owner: Login, database: Database, account_status: str
) -> None:
    """A draft is not held: nobody waits for it."""
    code, _ = TROUBLES[account_status]
    account = await broken_account(make, owner, database, account_status)
    body = {"profileId": owner.profile, "text": "hello", "targets": [{"accountId": account["id"]}]}
    checked = (await api.post("/posts/validate", json=body, key=owner.key)).json()
    assert (checked["valid"], [warning["code"] for warning in checked["warnings"]]) == (True, [code])
    draft = (await api.post("/posts", json=body | {"draft": True}, key=owner.key)).json()
    assert (draft["held"], [warning["code"] for warning in draft["warnings"]]) == (False, [code])
    submitted = (await api.post(f"/queue/submit/{draft['id']}", key=owner.key)).json()
    assert (submitted["held"], [warning["code"] for warning in submitted["warnings"]]) == (True, [code])


async def test_a_network_that_asks_to_wait_is_told_with_the_time(
    api: Api, make: Make, owner: Login, database: Database
) -> None:
    """The rest of the account waits; other posts of it that are not due yet do not."""
    account = await make.account(owner, username="busy")
    post, later = await make.post(owner), await make.post(owner, scheduledAt=soon(days=1))
    until = datetime.now(UTC).replace(microsecond=0) + timedelta(minutes=9)
    async with database.transaction() as db:
        await db.execute(
            "update lane set not_before = $2, owner = null where kind = 'target' and key = $1",
            ids.decode("acc", account["id"]), until,
        )  # fmt: skip
    for view in await shown(api, owner, post["id"]):
        assert (view["held"], view["heldReason"]) == (True, "network")
        assert datetime.fromisoformat(view["heldUntil"]) == until
        assert "sandbox asked the account busy to wait" in view["heldMessage"]
    assert [view["held"] for view in await shown(api, owner, later["id"])] == [False] * 4


@pytest.mark.parametrize("reason", ["plan", "account"])
async def test_a_held_post_for_now_is_queued(
    api: Api, make: Make, owner: Login, database: Database, reason: str
) -> None:
    """What a worker noted, also after it has put off its next look."""
    await make.account(owner)
    post = await make.post(owner)
    await set_target(database, post, held_reason=reason, next_attempt_at=datetime.now(UTC) + timedelta(minutes=10))
    for view in (await shown(api, owner, post["id"]))[:3]:
        assert (view["status"], view["held"], view["heldReason"]) == ("queued", True, reason)


async def test_several_holds_are_told_in_words(api: Api, make: Make, owner: Login, database: Database) -> None:
    for name in ("one", "two", "three", "four", "five"):
        account = await make.account(owner, username=name)
        await set_account(database, account["id"], "paused")
    post = await make.post(owner)
    assert post["heldMessage"] == (
        "The account one on sandbox is paused. The account two on sandbox is paused."
        " The account three on sandbox is paused. 2 more targets wait too."
    )
    assert len(post["warnings"]) == 5


async def test_what_is_over_or_in_the_trash_is_not_held(api: Api, make: Make, owner: Login, database: Database) -> None:
    account = await make.account(owner)
    published, trashed = await make.post(owner), await make.post(owner, text="other")
    await set_target(database, published, status="published", next_attempt_at=None)
    await api.delete(f"/posts/{trashed['id']}", key=owner.key)
    await set_account(database, account["id"], "needs_reauth")
    listed = (await api.get("/posts", key=owner.key)).json()["data"]
    listed += (await api.get("/posts/trash", key=owner.key)).json()["data"]
    assert [(post["held"], post["warnings"]) for post in listed] == [(False, [])] * 2
