from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.posts.test_update import soon

from signalpost.kit.db import Database


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="first")
    return login


def body(owner: Login, **fields: Any) -> dict[str, Any]:
    return {"profileId": owner.profile, "text": "By a member", "platforms": ["sandbox"]} | fields


async def test_a_contributor_writes_drafts_of_its_own(api: Api, make: Make, owner: Login) -> None:
    contributor = await make.member(owner, role="contributor")

    refused = await api.post("/posts", json=body(owner), key=contributor.key)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    draft = (await api.post("/posts", json=body(owner, draft=True), key=contributor.key)).json()
    assert draft["createdBy"]["name"]
    path = f"/posts/{draft['id']}"
    assert (await api.patch(path, json={"text": "Better"}, key=contributor.key)).status_code == 200
    assert (await api.patch(path, json={"publishMode": "now"}, key=contributor.key)).status_code == 403
    assert (await api.delete(path, key=contributor.key)).status_code == 200
    assert (await api.post(f"{path}/restore", key=contributor.key)).status_code == 201
    assert (await api.delete(f"{path}?permanent=true", key=contributor.key)).status_code == 403

    others = await make.post(owner, draft=True)
    for method, more in (("PATCH", {"json": {"text": "Mine"}}), ("DELETE", {})):
        assert (await api.call(method, f"/posts/{others['id']}", key=contributor.key, **more)).status_code == 403


@pytest.mark.parametrize("role", ["approver", "viewer"])
async def test_who_only_looks_cannot_write(api: Api, make: Make, owner: Login, role: str) -> None:
    member = await make.member(owner, role=role)
    post = await make.post(owner)
    assert (await api.get(f"/posts/{post['id']}", key=member.key)).status_code == 200
    assert (await api.post("/posts", json=body(owner, draft=True), key=member.key)).status_code == 403
    assert (await api.delete(f"/posts/{post['id']}", key=member.key)).status_code == 403


async def test_an_editor_deletes_for_good_only_its_own(api: Api, make: Make, owner: Login) -> None:
    editor = await make.member(owner, role="editor")
    others = await make.post(owner)
    own = await make.post(owner, key=editor.key)
    assert (await api.delete(f"/posts/{others['id']}?permanent=true", key=editor.key)).status_code == 403
    assert (await api.delete(f"/posts/{others['id']}?cascade=true", key=editor.key)).status_code == 403
    assert (await api.delete(f"/posts/{own['id']}?permanent=true", key=editor.key)).status_code == 200
    assert (await api.delete(f"/posts/{others['id']}", key=editor.key)).status_code == 200


async def test_a_key_without_the_publish_scope_writes_drafts(api: Api, make: Make, owner: Login) -> None:
    drafts = await make.login(owner.user_id, owner.workspace_id, owner.email, scopes=["posts:read", "posts:write"])
    refused = await api.post("/posts", json=body(owner), key=drafts.key)
    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope")
    assert (await api.post("/posts", json=body(owner, draft=True), key=drafts.key)).status_code == 201


async def test_a_draft_is_offered_and_approved(api: Api, make: Make, owner: Login, emitted: list[Any]) -> None:
    contributor = await make.member(owner, role="contributor")
    approver = await make.member(owner, role="approver")
    wish = body(owner, draft=True, scheduledAt=soon(days=1))
    draft = (await api.post("/posts", json=wish, key=contributor.key)).json()
    path = f"/posts/{draft['id']}"

    assert (await api.post(f"{path}/approve", key=approver.key)).status_code == 409
    asked = await api.post(f"{path}/request-approval", json={"note": "Please"}, key=contributor.key)
    assert (asked.status_code, asked.json()["approval"]["state"]) == (200, "pending")
    assert (await api.post(f"{path}/request-approval", key=contributor.key)).status_code == 409
    assert (await api.post(f"{path}/approve", key=contributor.key)).status_code == 403
    assert [event.type for event in emitted] == ["post.approval_requested"]

    approved = await api.post(f"{path}/approve", key=approver.key)
    approved_post = approved.json()
    assert (approved.status_code, approved_post["status"], approved_post["approval"]["state"]) == (
        200,
        "scheduled",
        "approved",
    )
    assert approved_post["approval"]["decidedBy"]["name"]
    assert [event.type for event in emitted] == ["post.approval_requested", "post.queued"]


async def test_changes_can_be_asked_for_and_the_draft_be_offered_again(api: Api, make: Make, owner: Login) -> None:
    contributor = await make.member(owner, role="contributor")
    draft = (await api.post("/posts", json=body(owner, draft=True), key=contributor.key)).json()
    path = f"/posts/{draft['id']}"
    await api.post(f"{path}/request-approval", key=contributor.key)

    wish = {"note": "Shorter", "changesRequested": True}
    refused = (await api.post(f"{path}/reject", json=wish, key=owner.key)).json()
    assert (refused["approval"]["state"], refused["approval"]["note"]) == ("changes_requested", "Shorter")
    assert (await api.post(f"{path}/request-approval", key=contributor.key)).json()["approval"]["state"] == "pending"
    assert (await api.post(f"{path}/reject", key=owner.key)).json()["approval"]["state"] == "rejected"


async def test_where_approval_is_required_a_post_waits_for_it(
    api: Api, make: Make, owner: Login, database: Database, emitted: list[Any]
) -> None:
    """A worker leaves held targets alone; nothing is spent and nothing is emitted before the decision."""
    profile = await make.profile(owner, approvalRequired=True)
    await make.account(owner, profile=profile["id"])
    editor = await make.member(owner, role="editor")
    wish = body(owner, profileId=profile["id"])
    emitted.clear()

    post = (await api.post("/posts", json=wish, key=editor.key)).json()

    assert (post["status"], post["approval"]["state"], post["queuedAt"]) == ("scheduled", "pending", None)
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json()["status"] == "scheduled"
    assert [event.type for event in emitted] == ["post.approval_requested"]
    approved = (await api.post(f"/posts/{post['id']}/approve", key=owner.key)).json()
    assert (approved["status"], approved["approval"]["state"]) == ("queued", "approved")
    assert [event.type for event in emitted] == ["post.approval_requested", "post.queued"]
    own = (await api.post("/posts", json=wish | {"text": "By the owner"}, key=owner.key)).json()
    assert (own["status"], own["approval"]["state"]) == ("queued", "approved")


async def test_an_edit_after_the_approval_needs_another_one(api: Api, make: Make, owner: Login) -> None:
    profile = await make.profile(owner, approvalRequired=True)
    await make.account(owner, profile=profile["id"])
    editor = await make.member(owner, role="editor")
    wish = body(owner, profileId=profile["id"], scheduledAt=soon(days=1))
    post = (await api.post("/posts", json=wish, key=editor.key)).json()
    await api.post(f"/posts/{post['id']}/approve", key=owner.key)

    edited = (await api.patch(f"/posts/{post['id']}", json={"text": "Sneaky"}, key=editor.key)).json()
    assert edited["approval"]["state"] == "pending"
