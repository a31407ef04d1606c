"""A smaller plan deletes nothing: the newest beyond its limits become read-only, and a larger plan gives them back."""

import asyncio
import dataclasses
from datetime import timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.blocked import until_blocked
from tests.helpers.contract import invited_email
from tests.helpers.factories import Login, Make
from tests.helpers.identity import PASSWORD
from tests.helpers.queue import process_until

from signalpost.context import AppContext
from signalpost.identity.actions import sign_in
from signalpost.kit import clock, ids
from signalpost.main import operations
from signalpost.plans import actions as plans
from signalpost.plans import queries, work


async def move(sold: AppContext, owner: Login, plan: str) -> None:
    async with sold.database.transaction() as db:
        await plans.change_plan(sold, db, owner.workspace_id, plan)


async def listed(shop: Api, owner: Login, path: str) -> list[dict[str, Any]]:
    answer = await shop.get(path, key=owner.key)
    assert answer.status_code == 200, answer.text
    return list(reversed(answer.json()["data"]))  # oldest first


def over(rows: list[dict[str, Any]]) -> list[bool]:
    return [row["overLimit"] for row in rows]


async def test_profiles_and_accounts_beyond_the_limit_are_read_only_until_the_plan_covers_them(
    sold: AppContext, shop: Api, make: Make
) -> None:
    owner = await make.owner(plan="pro")
    profiles = [owner.profile, *[(await make.profile(owner))["id"] for _ in range(3)]]
    for _ in range(5):
        await make.account(owner)
    before = await listed(shop, owner, "/profiles")

    await move(sold, owner, "free")
    smaller = await listed(shop, owner, "/profiles")
    assert [row["id"] for row in smaller] == [row["id"] for row in before]
    assert over(smaller) == [False, False, True, True]
    assert over(await listed(shop, owner, "/platforms/accounts/all")) == [False] * 4 + [True]
    refused = await shop.patch(f"/profiles/{profiles[3]}", json={"name": "New"}, key=owner.key)
    assert (refused.status_code, refused.json()["limit"]["name"]) == (402, "profiles")

    await move(sold, owner, "starter")
    assert over(await listed(shop, owner, "/profiles")) == [False] * 4
    assert over(await listed(shop, owner, "/platforms/accounts/all")) == [False] * 5
    assert (await shop.patch(f"/profiles/{profiles[3]}", json={"name": "New"}, key=owner.key)).status_code == 200


async def test_what_is_created_while_the_plan_becomes_smaller_is_looked_at_again(
    sold: AppContext, shop: Api, make: Make
) -> None:
    """Neither transaction sees the other: the creator knows the old plan, and the change does not know the creation."""
    owner = await make.owner(plan="pro")
    for _ in range(4):
        await make.account(owner)
    async with sold.database.transaction() as db:
        await plans.change_plan(sold, db, owner.workspace_id, "free")
        await make.account(owner)
    assert over(await listed(shop, owner, "/platforms/accounts/all")) == [False] * 5

    async with sold.database.connection() as db:
        query = "select payload, next_attempt_at > now() as waits from job where unique_key = $1"
        key = f"{plans.FIT_AFTER_JOB}/{ids.encode('wsp', owner.workspace_id)}"
        [(payload, waits)] = await db.fetch(query, key)
    [handler] = [job.handler for job in work.jobs(sold) if job.kind == plans.FIT_AFTER_JOB]
    assert waits
    await handler(_Lease(sold), payload)
    assert over(await listed(shop, owner, "/platforms/accounts/all")) == [False] * 4 + [True]


@pytest.mark.parametrize("table", ["account", "profile", "member"])
async def test_a_plan_takes_rows_in_the_order_of_all(sold: AppContext, shop: Api, make: Make, table: str) -> None:
    """In that of their ids, wherever they lie: else it and whoever locks several of them end in a deadlock."""
    owner = await make.owner(plan="pro")
    for _ in range(4):
        if table == "member":
            await make.member(owner, role="editor")
        elif table == "profile":
            await make.profile(owner)
    for _ in range(6 if table == "account" else 0):
        await make.account(owner)
    last = f"select id from {table} where workspace_id = $1 order by id desc limit 2"
    async with sold.database.transaction() as db:
        second, first = [row["id"] for row in await db.fetch(last, owner.workspace_id)]
    async with sold.database.transaction() as db:  # so that it lies behind the other one
        await db.execute(f"update {table} set over_limit = over_limit where id = $1", first)
    async with sold.database.transaction() as db:
        await db.execute(f"select from {table} where id = $1 for no key update", first)
        moving = asyncio.create_task(move(sold, owner, "free"))
        await until_blocked(sold.database, db)
        await db.execute(f"select from {table} where id = $1 for no key update nowait", second)
    await moving
    async with sold.database.connection() as db:
        assert await db.fetchval(f"select bool_and(over_limit) from {table} where id = any($1)", [first, second])


async def test_what_waits_for_the_plan_goes_out_after_an_upgrade(sold: AppContext, shop: Api, make: Make) -> None:
    """Held with the reason, and neither lost nor failed."""
    owner = await make.owner(plan="pro")
    first = [await make.account(owner) for _ in range(5)]
    post = await make.post(owner, platforms=None, targets=[{"accountId": first[4]["id"]}])
    target = ids.decode("tgt", post["targets"][0]["id"])
    await move(sold, owner, "free")

    async def stored(column: str) -> Any:
        async with sold.database.connection() as db:
            return await db.fetchval(f"select {column} from target where id = $1", target)

    async def is_held() -> bool:
        return bool(await stored("held_reason = 'plan'"))

    async def is_published() -> bool:
        return bool(await stored("status = 'published'"))

    await process_until(sold, shop, is_held)
    waiting = (await shop.get(f"/posts/{post['id']}", key=owner.key)).json()
    assert (waiting["status"], waiting["held"], waiting["heldReason"]) == ("queued", True, "plan")
    assert await is_held()

    await move(sold, owner, "starter")
    assert await stored("held_reason") is None
    await process_until(sold, shop, is_published)
    published = (await shop.get(f"/posts/{post['id']}", key=owner.key)).json()
    assert (published["status"], published["held"]) == ("published", False)


@pytest.mark.parametrize("what", ["account", "profile"])
async def test_posts_over_the_plan_say_so_long_before_they_are_due(
    sold: AppContext, shop: Api, make: Make, what: str
) -> None:
    """In the post, its status, its queue entry and the list; and no longer once the plan covers them again."""
    owner = await make.owner(plan="starter")
    profile = owner.profile if what == "account" else [await make.profile(owner) for _ in range(2)][1]["id"]
    accounts = [await make.account(owner, profile=profile) for _ in range(5 if what == "account" else 1)]
    soon = clock.wire(clock.now() + timedelta(days=3))
    fields = {"profileId": profile, "platforms": None, "targets": [{"accountId": accounts[-1]["id"]}]}
    post = await make.post(owner, scheduledAt=soon, **fields)
    draft = await make.draft(owner, **fields)

    async def seen() -> list[tuple[Any, ...]]:
        one, queue, status, later = [
            (await shop.get(path, key=owner.key)).json()
            for path in (
                f"/posts/{post['id']}", f"/queue/status/{post['id']}", f"/posts/{post['id']}/status",
                f"/posts/{draft['id']}",
            )
        ]  # fmt: skip
        listed_posts = (await shop.get("/posts", key=owner.key)).json()["data"]
        [same] = [each for each in listed_posts if each["id"] == post["id"]]
        states = [(each["held"], each["heldReason"]) for each in (one, same, queue, status)]
        codes = [[warning["code"] for warning in each["warnings"]] for each in (one, queue, later)]
        return [one["status"], *states, *codes]

    free = (False, None)
    assert await seen() == ["scheduled", free, free, free, free, [], [], []]
    await move(sold, owner, "free")
    held = (True, "plan")
    assert await seen() == ["scheduled", held, held, held, held, *[["plan_limit"]] * 3]
    assert "larger plan" in (await shop.get(f"/posts/{post['id']}", key=owner.key)).json()["warnings"][0]["remediation"]
    await move(sold, owner, "starter")
    assert await seen() == ["scheduled", free, free, free, free, [], [], []]


async def test_a_plan_set_by_a_command_with_other_settings_binds_at_once(
    context: AppContext, sold: AppContext, shop: Api, make: Make
) -> None:
    """In its shell plans are not sold, so it fits nothing; the engine of the service does, as soon as it is there."""
    owner = await make.owner(plan="pro")
    for _ in range(5):
        await make.account(owner)
    await move(context, owner, "free")
    async with sold.database.connection() as db:
        query = "select payload, next_attempt_at <= now() as is_due from job where unique_key = $1"
        [(payload, is_due)] = await db.fetch(
            query, f"{plans.FIT_AFTER_JOB}/{ids.encode('wsp', owner.workspace_id)}/now"
        )
    assert is_due
    [handler] = [job.handler for job in work.jobs(sold) if job.kind == plans.FIT_AFTER_JOB]
    await handler(_Lease(sold), payload)
    assert over(await listed(shop, owner, "/platforms/accounts/all")) == [False] * 4 + [True]


async def test_another_process_knows_the_new_plan_within_two_seconds(
    sold: AppContext, shop: Api, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a process remembers of a caller and of a profile is forgotten by then."""
    owner = await make.owner(plan="pro")
    accounts = [await make.account(owner) for _ in range(5)]
    body = {"profileId": owner.profile, "text": "Hello", "targets": [{"accountId": accounts[-1]["id"]}]}
    assert (await shop.post("/posts", json=body, key=owner.key)).status_code == 201
    await move(dataclasses.replace(sold, states={}), owner, "free")

    real = clock.monotonic
    monkeypatch.setattr(clock, "monotonic", lambda: real() + 2)
    refused = await shop.post("/posts", json=body | {"text": "Hello again"}, key=owner.key)
    assert (refused.status_code, refused.json()["limit"]["name"]) == (402, "accounts")
    assert (await shop.get("/auth/usage", key=owner.key)).json()["plan"] == "free"


async def test_webhooks_beyond_the_limit_stop_and_come_back(sold: AppContext, shop: Api, make: Make) -> None:
    """One that its owner paused stays paused; none can be enabled against the plan."""
    owner = await make.owner(plan="max")
    for _ in range(5):
        created = await shop.post("/webhooks", json={"url": "http://127.0.0.1:9/hook"}, key=owner.key)
        assert created.status_code == 201, created.text
    hooks = await listed(shop, owner, "/webhooks")
    await shop.patch(f"/webhooks/{hooks[4]['id']}", json={"active": False}, key=owner.key)

    await move(sold, owner, "pro")
    reasons = [(row["status"], row["disabledReason"]) for row in await listed(shop, owner, "/webhooks")]
    assert reasons == [("active", None)] * 3 + [("disabled", "plan_limit"), ("paused", None)]
    for index in (3, 4):
        refused = await shop.patch(f"/webhooks/{hooks[index]['id']}", json={"active": True}, key=owner.key)
        assert (refused.status_code, refused.json()["code"]) == (402, "plan_limit_reached")
    await move(sold, owner, "free")
    refused = await shop.patch(f"/webhooks/{hooks[0]['id']}", json={"active": True}, key=owner.key)
    assert (refused.status_code, refused.json()["code"]) == (402, "plan_feature_unavailable")

    await move(sold, owner, "max")
    assert [row["status"] for row in await listed(shop, owner, "/webhooks")] == ["active"] * 4 + ["paused"]


async def test_keys_beyond_the_limit_stop_working_and_come_back(sold: AppContext, shop: Api, make: Make) -> None:
    """The oldest ones are covered: what runs in production is older than what someone tried last."""
    owner = await make.owner(plan="pro")
    newer = await make.login(owner.user_id, owner.workspace_id, owner.email)

    async def works(key: str) -> bool:
        answer = await shop.get("/auth/me", key=key)
        assert answer.status_code == 200 or answer.json()["code"] == "key_revoked", answer.text
        return answer.status_code == 200

    assert [await works(key) for key in (owner.key, newer.key)] == [True, True]
    await move(sold, owner, "free")
    assert [await works(key) for key in (owner.key, newer.key)] == [True, False]
    await move(sold, owner, "pro")
    assert [await works(key) for key in (owner.key, newer.key)] == [True, True]


async def fit_all(context: AppContext, lease: Any) -> None:
    fitting = work.Fitting()
    while await fitting.run(context, lease) is not None:
        continue


async def test_what_fits_again_is_given_back_by_a_job(
    sold: AppContext, shop: Api, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After something else was deleted, and after the operator turned billing off."""
    other, owner = await make.owner(plan="pro"), await make.owner(plan="pro")
    for login in (owner, other):
        for _ in range(2):
            await make.profile(login)
        await move(sold, login, "free")
    rows = await listed(shop, owner, "/profiles")
    assert over(rows) == [False, False, True]
    assert (await shop.delete(f"/profiles/{rows[1]['id']}", key=owner.key)).status_code == 200

    monkeypatch.setattr(work, "FIT_BATCH", 1)  # also behind workspaces that stay over their limits
    await fit_all(sold, _Lease(sold))
    assert over(await listed(shop, owner, "/profiles")) == [False, False]
    assert over(await listed(shop, other, "/profiles")) == [False, False, True]
    free = dataclasses.replace(sold, settings=dataclasses.replace(sold.settings, billing_enabled=False))
    await fit_all(free, _Lease(sold))
    assert over(await listed(shop, other, "/profiles")) == [False] * 3
    async with sold.database.connection() as db:
        still = {row[0] for row in await queries.over_limit(db, after=None, limit=10_000)}
        assert {owner.workspace_id, other.workspace_id}.isdisjoint(still)


class _Lease:
    """The one thing of a lease that the job needs."""

    def __init__(self, context: AppContext) -> None:
        self.transaction = context.database.transaction


async def test_members_beyond_the_limit_act_as_viewers_until_the_plan_covers_them(
    sold: AppContext, shop: Api, make: Make
) -> None:
    """The owner and those who joined first stay what they are; what they act as is said where they ask."""
    owner = await make.owner(plan="pro")
    people = [await make.member(owner, role=role) for role in ("admin", "editor", "editor")]

    async with sold.database.transaction() as db:
        opened = [
            await sign_in.open_session(db, sold.keys, who.user_id, owner.workspace_id, "owner", "203.0.113.1")
            for who in (owner, *people)
        ]
    tokens = [session.access_token for session in opened]

    async def acting() -> list[str]:
        return [(await shop.get("/auth/me", key=token)).json()["role"] for token in tokens]

    async def listed_roles() -> list[tuple[str, bool]]:
        team = (await shop.get("/team", key=owner.key)).json()["data"]
        rows = {row["email"]: (row["role"], row["overLimit"]) for row in team}
        return [rows[person.email] for person in people if person.email in rows]

    await move(sold, owner, "starter")
    assert await acting() == ["owner", "admin", "viewer", "viewer"]
    assert await listed_roles() == [("admin", False), ("editor", True), ("editor", True)]
    refused = await shop.post("/posts", json={"text": "Hi"}, key=tokens[3])
    assert refused.status_code == 403

    team = (await shop.get("/team", key=owner.key)).json()["data"]
    first = next(row["id"] for row in team if row["email"] == people[0].email)
    assert (await shop.delete(f"/team/{first}", key=owner.key)).status_code == 204
    assert await listed_roles() == [("editor", False), ("editor", True)]

    await move(sold, owner, "free")
    assert await listed_roles() == [("editor", True), ("editor", True)]
    await move(sold, owner, "pro")
    assert await listed_roles() == [("editor", False), ("editor", False)]


async def test_an_invitation_that_is_accepted_after_a_downgrade_makes_a_viewer(
    sold: AppContext, shop: Api, make: Make
) -> None:
    owner = await make.owner(plan="pro")
    data = {"email": invited_email(), "role": "editor"}
    invited = (await shop.post("/team/invite", json=data, key=owner.key)).json()
    await move(sold, owner, "free")

    token = invited["inviteUrl"].rpartition("/")[2]
    joined = (await shop.post(f"/team/invites/{token}/accept", json={"password": PASSWORD})).json()

    assert (joined["member"]["role"], joined["member"]["overLimit"]) == ("editor", True)
    assert (await shop.get("/auth/me", key=joined["accessToken"])).json()["role"] == "viewer"


async def test_without_approvals_gates_are_open_and_what_waits_is_decided(
    sold: AppContext, shop: Api, make: Make
) -> None:
    """A workspace that loses approvals: no new post is held, and the owner lets out, or takes back, what was."""
    owner = await make.owner(plan="pro")
    editor = await make.member(owner, role="editor")
    await make.account(owner)
    gate = {"approvalRequired": True}
    assert (await shop.patch(f"/profiles/{owner.profile}", json=gate, key=owner.key)).status_code == 200
    soon = clock.wire(clock.now() + timedelta(days=3))

    async def publish() -> Any:
        return await make.post(owner, key=editor.key, scheduledAt=soon)

    released, taken_back = await publish(), await publish()
    assert [post["approval"]["state"] for post in (released, taken_back)] == ["pending", "pending"]
    await move(sold, owner, "free")
    await move(sold, owner, "starter")
    body = {"profileId": owner.profile, "text": "Not held", "platforms": ["sandbox"], "scheduledAt": soon}
    after = (await shop.post("/posts", json=body, key=editor.key)).json()
    assert (after["approval"]["state"], after["held"]) == ("not_required", False)

    approved = await shop.post(f"/posts/{released['id']}/approve", json={}, key=owner.key)
    assert (approved.status_code, approved.json()["approval"]["state"]) == (200, "approved"), approved.text
    cancelled = await shop.delete(f"/queue/cancel/{taken_back['id']}", key=owner.key)
    assert cancelled.status_code == 200, cancelled.text

    same = await shop.patch(f"/profiles/{owner.profile}", json=gate | {"description": "Ours"}, key=owner.key)
    assert (same.status_code, same.json()["approvalRequired"]) == (200, True), "nothing was switched on"
    assert (await shop.patch(f"/profiles/{owner.profile}", json={"approvalRequired": False}, key=owner.key)).is_success
    refused = await shop.patch(f"/profiles/{owner.profile}", json=gate, key=owner.key)
    assert (refused.status_code, refused.json()["limit"]["name"]) == (402, "approvals")


async def test_a_key_that_the_operator_makes_beyond_the_plan_comes_with_a_warning(
    context: AppContext, sold: AppContext, make: Make
) -> None:
    """It answers 401 at once: whoever made it should not have to find out."""
    owner = await make.owner(plan="free")  # has two keys, of which the plan covers one
    workspace = ids.encode("wsp", owner.workspace_id)
    made = await operations.create_key(sold, workspace, "one more", "live")
    assert "covers 1 API keys" in made["warning"]
    assert "warning" not in await operations.create_key(context, workspace, "not sold", "live")
