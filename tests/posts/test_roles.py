import secrets
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


async def test_a_contributor_writes_and_changes_what_is_its_own(api: Api, make: Make, owner: Login) -> None:
    contributor = await make.member(owner, role="contributor")

    draft = (await api.post("/posts", json=body(owner, draft=True), key=contributor.key)).json()
    assert draft["createdBy"]["name"]
    path = f"/posts/{draft['id']}"
    assert (await api.patch(path, json={"text": "Better"}, key=contributor.key)).status_code == 200
    assert (await api.delete(path, key=contributor.key)).status_code == 200
    assert (await api.post(f"{path}/restore", key=contributor.key)).status_code == 201
    assert (await api.delete(f"{path}?permanent=true", key=contributor.key)).status_code == 403

    others = await make.post(owner, draft=True)
    for method, more in (("PATCH", {"json": {"text": "Mine"}}), ("DELETE", {})):
        assert (await api.call(method, f"/posts/{others['id']}", key=contributor.key, **more)).status_code == 403
    assert (await api.post(f"/queue/submit/{others['id']}", key=contributor.key)).status_code == 403


WAYS = ("create", "schedule", "slot", "series", "bulk", "csv", "fanout", "submit", "update", "auto-schedule")
AT_A_TIME = {"schedule", "slot", "series", "auto-schedule"}


async def _publish(api: Api, owner: Login, key: str, way: str) -> Any:
    """Have a post published in one of the ways; return it as it is then."""
    wish, text = body(owner), secrets.token_hex(8)
    match way:
        case "create" | "schedule" | "slot" | "series":
            at = {"scheduledAt": soon(days=1)}
            when: dict[str, Any] = {
                "create": {}, "schedule": at, "slot": {"publishMode": "slot"},
                "series": at | {"recurrence": {"rrule": "FREQ=DAILY;COUNT=3"}},
            }[way]  # fmt: skip
            answer = await api.post("/posts", json=wish | when, key=key)
        case "bulk":
            answer = await api.post("/posts/bulk", json={"posts": [wish], "draft": False}, key=key)
        case "csv":
            rows = f"profileId,text,platforms\n{owner.profile},{text},sandbox"
            headers = {"Content-Type": "text/csv"}
            answer = await api.post("/posts/bulk?draft=false", content=rows, headers=headers, key=key)
        case "fanout":
            targets = [{"profileId": owner.profile}]
            answer = await api.post("/posts/fanout", json={"text": text, "targets": targets}, key=key)
        case _:
            draft = (await api.post("/posts", json=wish | {"draft": True}, key=key)).json()
            if way == "submit":
                answer = await api.post(f"/queue/submit/{draft['id']}", key=key)
            elif way == "auto-schedule":
                answer = await api.post("/posts/auto-schedule", json={"postIds": [draft["id"]]}, key=key)
            else:
                answer = await api.patch(f"/posts/{draft['id']}", json={"publishMode": "now"}, key=key)
    if answer.status_code >= 400:
        return answer
    made = answer.json()
    made = (made.get("posts") or made.get("created") or made.get("scheduled") or [made])[0]
    post_id = made.get("postId") or made.get("id")
    return (await api.get(f"/posts/{post_id}", key=key)).json()


async def test_a_contributor_schedules_only_its_own_drafts(api: Api, make: Make, owner: Login) -> None:
    contributor = await make.member(owner, role="contributor")
    others = await make.draft(owner)
    answer = await api.post("/posts/auto-schedule", json={"postIds": [others["id"]]}, key=contributor.key)
    assert [skipped["code"] for skipped in answer.json()["skipped"]] == ["forbidden"], answer.text


async def _spent(database: Database, owner: Login) -> int:
    used = "select coalesce(sum(used), 0)::int from usage where workspace_id = $1 and metric = 'posts'"
    async with database.connection() as db:
        return int(await db.fetchval(used, owner.workspace_id))


@pytest.mark.parametrize("way", WAYS)
async def test_what_a_contributor_publishes_waits_for_an_approval(
    api: Api, make: Make, owner: Login, database: Database, way: str
) -> None:
    """On any profile, as an editor's does where the profile wants it; nothing is spent before the decision."""
    contributor = await make.member(owner, role="contributor")
    queue = {"profileId": owner.profile, "name": "Daily", "slots": [{"time": "09:00"}]}
    assert (await api.post("/queues", json=queue, key=owner.key)).status_code == 201

    post = await _publish(api, owner, contributor.key, way)
    expected = "scheduled" if way in AT_A_TIME else "queued"
    seen = (post["status"], post["approval"]["state"], post["held"], post["heldReason"])
    assert seen == (expected, "pending", True, "approval")
    assert (bool(post["scheduledAt"]), post["queuedAt"]) == (expected == "scheduled", None)
    assert await _spent(database, owner) == 0

    changed = await api.patch(f"/posts/{post['id']}", json={"text": "Better"}, key=contributor.key)
    assert (changed.status_code, changed.json()["approval"]["state"]) == (200, "pending")
    approved = await api.post(f"/posts/{post['id']}/approve", key=owner.key)
    assert (approved.status_code, approved.json()["held"]) == (200, False)
    refused = await api.delete(f"/queue/cancel/{post['id']}", key=contributor.key)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert await _spent(database, owner) == 1


async def test_a_contributor_takes_back_what_nobody_approved(api: Api, make: Make, owner: Login) -> None:
    contributor = await make.member(owner, role="contributor")
    post = (await api.post("/posts", json=body(owner), key=contributor.key)).json()
    cancelled = await api.delete(f"/queue/cancel/{post['id']}", key=contributor.key)
    assert cancelled.status_code == 200, cancelled.text
    again = await api.post(f"/queue/submit/{post['id']}", key=contributor.key)
    assert (again.status_code, again.json().get("heldReason")) == (201, "approval"), again.text
    rejected = await api.post(f"/posts/{post['id']}/reject", json={"changesRequested": True}, key=owner.key)
    assert rejected.status_code == 200, rejected.text
    better = await api.patch(f"/posts/{post['id']}", json={"text": "Better"}, key=contributor.key)
    assert (better.status_code, better.json()["approval"]["state"]) == (200, "pending"), better.text


@pytest.mark.parametrize("way", WAYS)
async def test_without_approvals_in_the_plan_a_contributor_makes_drafts(shop: Api, make: Make, way: str) -> None:
    owner = await make.owner(plan="starter")
    await make.account(owner)
    contributor = await make.member(owner, role="contributor")
    refused = await _publish(shop, owner, contributor.key, way)

    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden"), refused.text
    assert "draft" in refused.json()["remediation"]


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

    assert (post["status"], post["approval"]["state"], post["queuedAt"]) == ("queued", "pending", None)
    assert (await api.get(f"/posts/{post['id']}", key=owner.key)).json()["status"] == "queued"
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
