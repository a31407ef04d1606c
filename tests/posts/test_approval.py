"""Nobody lets out what they have not read: a decision is about one version, and an edit asks for it anew."""

import asyncio
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_roles import body
from tests.posts.test_update import soon

from signalpost.kit import ids

READ, SNEAKED = "Happy holidays!", "Our product kills bees."


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


@pytest.fixture
async def contributor(make: Make, owner: Login) -> Login:
    return await make.member(owner, role="contributor")


@pytest.fixture
async def path(api: Api, owner: Login, contributor: Login) -> str:
    """The path of a draft that a contributor has offered."""
    draft = (await api.post("/posts", json=body(owner, text=READ, draft=True), key=contributor.key)).json()
    path = f"/posts/{draft['id']}"
    assert (await api.post(f"{path}/request-approval", key=contributor.key)).status_code == 200
    return path


@pytest.mark.parametrize("decision", ["approve", "reject"])
@pytest.mark.parametrize("way", ["etag", "version", "bare", "body"])
async def test_a_decision_on_what_was_read_is_refused_after_an_edit(
    api: Api, owner: Login, contributor: Login, path: str, decision: str, way: str
) -> None:
    async def decide() -> Any:
        read = await api.get(path, key=owner.key)
        version = read.json()["version"]
        headers = {"etag": read.headers["etag"], "version": f'"{version}"', "bare": str(version)}
        sent = {"json": {"version": version}} if way == "body" else {"headers": {"If-Match": headers[way]}}
        return lambda: api.post(f"{path}/{decision}", key=owner.key, **sent)

    stale = await decide()
    await api.patch(path, json={"text": SNEAKED}, key=contributor.key)

    refused = await stale()
    assert (refused.status_code, refused.json()["code"]) == (412, "version_conflict")
    post = (await api.get(path, key=owner.key)).json()
    assert (post["status"], post["approval"]["state"]) == ("draft", "pending")
    decided = await (await decide())()
    assert (decided.status_code, decided.headers["etag"]) == (200, f'"{decided.json()["version"]}"')


async def test_an_edit_while_approval_is_pending_requests_it_again(
    api: Api, owner: Login, contributor: Login, path: str, emitted: list[Any]
) -> None:
    first = (await api.get(path, key=owner.key)).json()["approval"]

    edited = (await api.patch(path, json={"text": SNEAKED}, key=contributor.key)).json()

    assert edited["approval"]["state"] == "pending"
    assert edited["approval"]["requestedAt"] > first["requestedAt"]
    assert [warning["code"] for warning in edited["warnings"]] == ["approval.requested_again"]
    assert [(event.type, event.data.version) for event in emitted] == [("post.approval_requested", edited["version"])]
    history = (await api.get(f"{path}/audit", key=owner.key)).json()["data"]
    assert [entry["action"] for entry in history] == ["approval_requested", "updated", "approval_requested", "created"]
    approved = (await api.post(f"{path}/approve", json={"version": edited["version"]}, key=owner.key)).json()
    assert (approved["text"], approved["warnings"]) == (SNEAKED, [])


async def test_an_update_that_changes_no_content_requests_nothing(
    api: Api, owner: Login, contributor: Login, path: str, emitted: list[Any]
) -> None:
    before = (await api.get(path, key=owner.key)).json()["approval"]
    for change in ({"text": READ}, {"tags": ["seen"], "notes": "for the approver"}):
        answer = (await api.patch(path, json=change, key=contributor.key)).json()
        assert (answer["approval"], answer["warnings"]) == (before, [])
    assert emitted == []


async def test_an_approval_and_an_edit_at_the_same_time_never_publish_the_edit(
    api: Api, owner: Login, contributor: Login, path: str
) -> None:
    """Also without a version: an approval is about the post as it was when the request came in."""
    approved, _ = await asyncio.gather(
        api.post(f"{path}/approve", key=owner.key),
        api.patch(path, json={"text": SNEAKED}, key=contributor.key),
    )
    post = (await api.get(path, key=owner.key)).json()
    if approved.status_code == 200:
        assert approved.json()["text"] in (READ, SNEAKED)
        assert post["text"] == approved.json()["text"]
    else:
        assert (approved.status_code, post["approval"]["state"]) == (412, "pending")


async def test_where_approval_is_required_a_post_is_told_to_approvers(
    api: Api, make: Make, owner: Login, emitted: list[Any]
) -> None:
    profile = await make.profile(owner, approvalRequired=True)
    await make.account(owner, profile=profile["id"])
    editor = await make.member(owner, role="editor")
    emitted.clear()

    wish = body(owner, profileId=profile["id"], scheduledAt=soon(days=1))
    post = (await api.post("/posts", json=wish, key=editor.key)).json()

    assert [event.type for event in emitted] == ["post.approval_requested"]
    await api.post(f"/posts/{post['id']}/approve", key=owner.key)
    edited = (await api.patch(f"/posts/{post['id']}", json={"text": "Later"}, key=editor.key)).json()
    assert (edited["approval"]["state"], [w["code"] for w in edited["warnings"]]) == ("pending", ["approval_required"])
    assert [event.type for event in emitted] == ["post.approval_requested", "post.queued", "post.approval_requested"]


async def test_a_failed_post_that_is_corrected_needs_approval_again(
    api: Api, make: Make, owner: Login, database: Any
) -> None:
    """Its old approval was of the old text; a retry publishes the new one."""
    profile = await make.profile(owner, approvalRequired=True)
    await make.account(owner, profile=profile["id"])
    editor = await make.member(owner, role="editor")
    post = (await api.post("/posts", json=body(owner, profileId=profile["id"]), key=editor.key)).json()
    await api.post(f"/posts/{post['id']}/approve", key=owner.key)
    post_id = ids.decode("pst", post["id"])
    async with database.transaction() as db:
        failed = "update target set status = 'failed', next_attempt_at = null, attempts = 1 where post_id = $1"
        await db.execute(failed, post_id)
        await db.execute("update post set status = 'failed' where id = $1", post_id)

    corrected = (await api.patch(f"/posts/{post['id']}", json={"text": SNEAKED}, key=editor.key)).json()

    assert (corrected["status"], corrected["approval"]["state"]) == ("failed", "pending")
    retried = await api.post(f"/posts/{post['id']}/retry", key=editor.key)
    assert retried.json()["approval"]["state"] == "pending"
    async with database.connection() as db:
        retried = "select held_reason from target where post_id = $1 and status = 'pending'"
        assert await db.fetchval(retried, post_id) == "approval"


async def test_of_many_writers_with_one_version_one_succeeds(api: Api, owner: Login) -> None:
    post = (await api.post("/posts", json=body(owner, draft=True), key=owner.key)).json()
    path, headers = f"/posts/{post['id']}", {"If-Match": '"1"'}
    for change in ("text", "notes"):
        headers = {"If-Match": f'"{(await api.get(path, key=owner.key)).json()["version"]}"'}
        answers = await asyncio.gather(
            *(api.patch(path, json={change: f"Writer {n}"}, key=owner.key, headers=headers) for n in range(6))
        )
        assert sorted(answer.status_code for answer in answers) == [200, *[412] * 5]
