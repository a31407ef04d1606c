"""Every limit and feature of a plan, at every way in: what a plan does not cover is refused wherever it is asked for.

A table: a limit or a feature of `plans/limits.py` without a row here fails, so a new one brings its ways in. A way in
("door") makes what it needs before the plan is full, and returns the request that has to be refused then.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import httpx
import pytest
from tests.analytics import test_overview, test_post
from tests.captions import test_optimize
from tests.comments import test_retention
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.plans import test_gates

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.plans import actions as plans
from signalpost.plans import limits, work
from signalpost.plans.limits import Counted, Feature, Monthly

SOLD: Final = limits.PLANS[:-1]
SOON_AT = clock.now() + timedelta(days=30)
SOON = clock.wire(SOON_AT)

Knock = Callable[[str], Awaitable[httpx.Response]]
"""Sends the request with this credential."""
Door = Callable[..., Awaitable[Knock]]


@dataclass(frozen=True)
class House:
    """A workspace and who makes things in it beforehand; `shop` sells plans."""

    make: Make
    shop: Api
    owner: Login

    def send(self, method: str, path: str, **body: Any) -> Knock:
        """Return the request as something to be sent later."""
        return lambda bearer: self.shop.call(method, path, json=body, key=bearer)

    async def execute(self, sql: str, *values: Any) -> None:
        """Change rows of the workspace, which is $1."""
        async with self.make.context.database.transaction() as db:
            await db.execute(sql, self.owner.workspace_id, *values)


def text() -> str:
    return secrets.token_hex(8)


# Ways to something that a plan includes or not.


async def gate_of_a_new_profile(house: House) -> Knock:
    return house.send("POST", "/profiles", name=text(), approvalRequired=True)


async def gate_of_a_profile(house: House) -> Knock:
    return house.send("PATCH", f"/profiles/{house.owner.profile}", approvalRequired=True)


async def request_of_an_approval(house: House) -> Knock:
    draft = await house.make.draft(house.owner)
    return house.send("POST", f"/posts/{draft['id']}/request-approval")


async def link_for_approval(house: House) -> Knock:
    draft = await house.make.draft(house.owner)
    return house.send("POST", "/approval-links", postIds=[draft["id"]])


async def link_of_profiles(house: House, **rules: Any) -> Knock:
    child = await house.make.profile(house.owner)
    await house.execute("update profile set over_limit = false where workspace_id = $1")
    return house.send(
        "POST", "/profiles/links", parentProfileId=house.owner.profile, childProfileId=child["id"], rules=rules
    )


async def fan_out_to_children(house: House) -> Knock:
    child = await house.make.profile(house.owner)
    await house.make.account(house.owner, profile=child["id"])
    body = {"parentProfileId": house.owner.profile, "childProfileId": child["id"]}
    linked = await house.make.api.post("/profiles/links", json=body, key=house.owner.key)
    assert linked.status_code == 201, linked.text
    return house.send(
        "POST", "/posts/fanout", sourceProfileId=house.owner.profile, targets="children", text=text(), draft=True
    )


async def language_of_a_child(house: House) -> Knock:
    return await link_of_profiles(house, languageOverride="de")


async def branding_of_an_invitation(house: House) -> Knock:
    branding = {"name": "Acme", "color": "#112233"}
    return house.send(
        "POST", "/platform-invites", profileId=house.owner.profile, platforms=["sandbox"], branding=branding
    )


async def code_for_the_messenger(house: House) -> Knock:
    return house.send("POST", "/wa/link-code")


FEATURE_DOORS: Mapping[str, tuple[Door, ...]] = {
    limits.APPROVALS.name: (gate_of_a_new_profile, gate_of_a_profile, request_of_an_approval, link_for_approval),
    limits.PROFILE_LINKS.name: (link_of_profiles, fan_out_to_children),
    limits.LANGUAGE_OVERRIDE.name: (language_of_a_child,),
    limits.INVITE_BRANDING.name: (branding_of_an_invitation,),
    limits.MESSENGER_LINK.name: (code_for_the_messenger,),
}  # fmt: skip

# Ways to one more of what a plan counts.


def body_of(house: House, **when: Any) -> dict[str, Any]:
    return {"profileId": house.owner.profile, "text": text(), "platforms": ["sandbox"]} | when


async def draft_of(house: House) -> str:
    made = await house.make.draft(house.owner, text=text(), platforms=["sandbox"])
    return str(made["id"])


async def new_post(house: House, **when: Any) -> Knock:
    return house.send("POST", "/posts", **body_of(house, **when))


async def post_in_bulk(house: House, **when: Any) -> Knock:
    return house.send("POST", "/posts/bulk", posts=[body_of(house, **when)], draft=False)


async def post_as_csv(house: House, **when: Any) -> Knock:
    columns = body_of(house, **when) | {"platforms": "sandbox"}
    content = "\n".join((",".join(columns), ",".join(columns.values())))
    headers = {"Content-Type": "text/csv"}
    return lambda bearer: house.shop.post("/posts/bulk?draft=false", content=content, headers=headers, key=bearer)


async def fan_out(house: House, **when: Any) -> Knock:
    return house.send("POST", "/posts/fanout", targets=[{"profileId": house.owner.profile}], text=text(), **when)


async def change_of_a_draft(house: House, **when: Any) -> Knock:
    return house.send("PATCH", f"/posts/{await draft_of(house)}", **(when or {"publishMode": "now"}))


async def submission(house: House, **when: Any) -> Knock:
    return house.send("POST", f"/queue/submit/{await draft_of(house)}", **when)


async def approval(house: House, **when: Any) -> Knock:
    post_id = await draft_of(house)
    await house.execute(
        "update post set approval = jsonb_build_object('state', 'pending'), scheduled_at = $3::timestamptz"
        " where workspace_id = $1 and id = $2",
        ids.decode("pst", post_id), SOON_AT if when else None,
    )  # fmt: skip
    return house.send("POST", f"/posts/{post_id}/approve")


async def auto_schedule(house: House, **_when: Any) -> Knock:
    return house.send("POST", "/posts/auto-schedule", postIds=[await draft_of(house)], timezone="UTC")


async def restoration(house: House, **_when: Any) -> Knock:
    made = await house.make.post(house.owner, scheduledAt=SOON)
    trashed = await house.make.api.delete(f"/posts/{made['id']}", key=house.owner.key)
    assert trashed.status_code == 200, trashed.text
    return house.send("POST", f"/posts/{made['id']}/restore")


NEW_POSTS = (
    new_post, post_in_bulk, post_as_csv, fan_out, change_of_a_draft, submission, approval, auto_schedule, restoration,
)  # fmt: skip


async def profile(house: House) -> Knock:
    return house.send("POST", "/profiles", name=text())


async def connection(house: House) -> Knock:
    fields = {"username": text()}
    return house.send("POST", "/platforms/sandbox/connect", profileId=house.owner.profile, fields=fields)


async def connection_of_a_former_account(house: House) -> Knock:
    account = await house.make.account(house.owner)
    gone = await house.make.api.delete(f"/platforms/accounts/{account['id']}", key=house.owner.key)
    assert gone.status_code == 200, gone.text
    fields = {"username": account["username"]}
    return house.send("POST", "/platforms/sandbox/connect", profileId=house.owner.profile, fields=fields)


async def invitation_of_a_member(house: House) -> Knock:
    return house.send("POST", "/team/invite", email=f"{text()}@example.test", role="editor", sendEmail=False)


async def key(house: House) -> Knock:
    return house.send("POST", "/api-keys", name="one more")


async def webhook(house: House) -> Knock:
    return house.send("POST", "/webhooks", **test_gates.hook())


async def stopped_webhook(house: House) -> Knock:
    for _ in range(4):  # one more than any plan with a limit has; the newest is over it
        answer = await house.make.api.post("/webhooks", json=test_gates.hook(), key=house.owner.key)
        made = answer.json()
    await house.execute(
        "update webhook set status = 'disabled', disabled_reason = 'plan_limit' where workspace_id = $1 and id = $2",
        ids.decode("whk", made["id"]),
    )
    return house.send("PATCH", f"/webhooks/{made['id']}", active=True)


async def platform_invitation(house: House) -> Knock:
    return house.send("POST", "/platform-invites", profileId=house.owner.profile, platforms=["sandbox"])


async def feed(house: House) -> Knock:
    return house.send("POST", "/feeds", profileId=house.owner.profile, url=f"https://{text()}.example/feed")


FILE = {"fileName": "a.png", "contentType": "image/png", "size": 1_000}


async def upload(house: House) -> Knock:
    return lambda bearer: house.shop.post("/media/upload", files={"file": ("a.png", b"\x89PNG" * 9)}, key=bearer)


async def announcement(house: House) -> Knock:
    return house.send("POST", "/media/presign-upload", **FILE)


async def announcements(house: House) -> Knock:
    return house.send("POST", "/media/presign-upload/batch", files=[FILE])


_SCHEDULED = """
insert into post (id, workspace_id, profile_id, status, publish_mode, scheduled_at, timezone, created_by, source, mode)
select gen_random_uuid(), $1, p.id, 'scheduled', 'schedule', now() + interval '30 days', 'UTC', '{}', 'api', 'live'
from profile p cross join generate_series(1, $2) where p.workspace_id = $1 and p.is_default
"""
FILLED: Mapping[str, str] = {
    limits.PROFILES.name: "insert into profile (id, workspace_id, name, slug, timezone)"
    " select gen_random_uuid(), $1, 'full ' || n, 'full-' || n, 'UTC' from generate_series(1, $2) n",
    limits.ACCOUNTS.name: "insert into account (id, workspace_id, profile_id, platform, kind, remote_id, username,"
    " display_name, status, connected_via) select gen_random_uuid(), $1, p.id, 'sandbox', 'personal', 'full' || n,"
    " 'full' || n, 'full', 'active', 'sandbox' from profile p cross join generate_series(1, $2) n"
    " where p.workspace_id = $1 and p.is_default",
    limits.SCHEDULED_POSTS.name: _SCHEDULED,
    limits.MEMBERS.name: "insert into member (id, workspace_id, email, role, status, expires_at)"
    " select gen_random_uuid(), $1, n || '@full.test', 'viewer', 'invited', now() + interval '7 days'"
    " from generate_series(1, $2) n",
    limits.API_KEYS.name: "insert into api_key (id, workspace_id, key_id, secret_hmac, name, mode, permission, scopes,"
    " created_by) select gen_random_uuid(), $1, gen_random_uuid()::text, '', 'full', 'live', 'read', '{}', m.user_id"
    " from member m cross join generate_series(1, $2) where m.workspace_id = $1 and m.role = 'owner'",
    limits.WEBHOOKS.name: "insert into webhook (id, workspace_id, url, events, secret, created_by)"
    " select gen_random_uuid(), $1, 'https://full.test', '{}', '', '{}' from generate_series(1, $2)",
    limits.PLATFORM_INVITES.name: "insert into platform_invite (id, workspace_id, profile_id, platforms,"
    " max_connections, token_hash, mode, status, created_by, user_id, created_at, expires_at)"
    " select gen_random_uuid(), $1, p.id, '{sandbox}', 1, decode(md5(random()::text), 'hex'), 'live', 'pending', '{}',"
    " gen_random_uuid(), now(), now() + interval '7 days'"
    " from profile p cross join generate_series(1, $2) where p.workspace_id = $1 and p.is_default",
    limits.FEEDS.name: "insert into feed (id, workspace_id, profile_id, mode, url, template, include, exclude,"
    " publish_mode, daily_max, latest, state, scopes, user_id, created_by, created_at, updated_at)"
    " select gen_random_uuid(), $1, p.id, 'live', 'https://full.test/' || n, '{title}', '{}', '{}', 'draft', 1, 0,"
    " 'active', '{}', gen_random_uuid(), '{}', now(), now() from profile p cross join generate_series(1, $2) n"
    " where p.workspace_id = $1 and p.is_default",
    limits.STORAGE_BYTES.name: "insert into media (id, workspace_id, kind, file_name, mime_type, size_bytes, sha256,"
    " storage_path, status, created_by) select gen_random_uuid(), $1, 'image', 'a', 'image/png', $2, '',"
    " gen_random_uuid()::text, 'ready', '{}'",
}
"""SQL that makes $2 more of them in the workspace $1."""
_SPENT = "insert into usage (workspace_id, metric, period, stripe, used) values ($1, $2, $3, 7, $4)"

COUNTED_DOORS: Mapping[str, tuple[Door, ...]] = {
    limits.PROFILES.name: (profile,),
    limits.ACCOUNTS.name: (connection, connection_of_a_former_account),
    limits.POSTS.name: NEW_POSTS,
    limits.SCHEDULED_POSTS.name: NEW_POSTS,
    limits.MEMBERS.name: (invitation_of_a_member,),
    limits.API_KEYS.name: (key,),
    limits.WEBHOOKS.name: (webhook, stopped_webhook),
    limits.PLATFORM_INVITES.name: (platform_invitation,),
    limits.FEEDS.name: (feed,),
    limits.STORAGE_BYTES.name: (upload, announcement, announcements),
}

ELSEWHERE: Mapping[str, tuple[object, ...]] = {
    limits.BULK_ITEMS.name: (test_gates.test_what_a_plan_does_not_include_is_refused_by_name,),
    limits.FILE_BYTES.name: (test_gates.test_a_file_above_the_plans_size_is_refused,),
    limits.REQUESTS_PER_MINUTE.name: (test_gates.test_a_plan_sets_the_rate,),
    limits.WRITES_PER_MINUTE.name: (test_gates.test_a_plan_sets_the_rate,),
    limits.AI_CAPTIONS.name: (test_optimize.test_the_plan_counts_what_the_model_writes,),
    limits.ANALYTICS_DAYS.name: (
        test_overview.test_what_the_plan_does_not_show_is_clipped,
        test_post.test_history_is_clipped_by_the_plan_and_by_its_length,
    ),
    limits.DELIVERY_LOG_DAYS.name: (test_gates.test_the_log_of_deliveries_is_kept_as_long_as_the_plan_says,),
    limits.AUDIT_DAYS.name: (work,),
    limits.COMMENT_DAYS.name: (test_retention.test_comments_are_kept_as_long_as_the_plan_says,),
}  # fmt: skip
"""Limits that refuse no request for one more: where they are held instead."""


def test_every_limit_and_feature_has_its_ways_in() -> None:
    assert {*FEATURE_DOORS} == {feature.name for feature in limits.FEATURES}
    assert {*COUNTED_DOORS, *ELSEWHERE} == {limit.name for limit in limits.LIMITS}
    assert {*FILLED} == {limit.name for limit in limits.LIMITS if isinstance(limit, Counted)}
    assert all([*FEATURE_DOORS.values(), *COUNTED_DOORS.values(), *ELSEWHERE.values()])


FEATURE_CELLS = [
    pytest.param(feature, door, plan, id=f"{feature.name}-{door.__name__}-{plan}")
    for feature in limits.FEATURES
    for door in FEATURE_DOORS.get(feature.name, ())
    for plan in SOLD
]


@pytest.mark.parametrize(("feature", "door", "plan"), FEATURE_CELLS)
async def test_a_feature_is_asked_for_at_every_door(
    context: AppContext, shop: Api, make: Make, feature: Feature, door: Door, plan: str
) -> None:
    owner = await make.owner(plan=plan)
    knock = await door(House(make, shop, owner))
    [bearer] = await test_gates.sessions(context, owner, 1)
    answer = await knock(bearer)

    if feature.included_in(plan):
        assert answer.status_code in (200, 201), answer.text
        return
    assert (answer.status_code, answer.json()["code"]) == (402, "plan_feature_unavailable"), answer.text
    expected = {"name": feature.name, "used": 0, "max": 0, "plan": plan}
    if feature is limits.LANGUAGE_OVERRIDE and not limits.PROFILE_LINKS.included_in(plan):
        expected["name"] = "profileLinks"  # there is nothing to have rules about
    assert answer.json()["limit"] == expected


COUNTED_CELLS = [
    pytest.param(limit, door, plan, id=f"{limit.name}-{door.__name__}-{plan}")
    for limit in limits.LIMITS
    for door in COUNTED_DOORS.get(limit.name, ())
    for plan in SOLD
    if limit.of(plan) is not None
]


@pytest.mark.parametrize(("limit", "door", "plan"), COUNTED_CELLS)
async def test_a_full_plan_is_full_at_every_door(
    context: AppContext, shop: Api, make: Make, limit: Counted | Monthly, door: Door, plan: str
) -> None:
    owner = await make.owner(plan=plan)
    await make.account(owner)
    house = House(make, shop, owner)
    knock = await (door(house, scheduledAt=SOON) if limit is limits.SCHEDULED_POSTS else door(house))
    await _fill(house, limit, plan)
    [bearer] = await test_gates.sessions(context, owner, 1)
    answer = await knock(bearer)

    code = "plan_limit_reached" if limit.of(plan) else "plan_feature_unavailable"
    problem = answer.json()
    if answer.status_code == 201 and "skipped" in problem:  # it says of each post why not
        assert [post["code"] for post in problem["skipped"]] == [code]
        return
    assert (answer.status_code, problem["code"]) == (402, code), answer.text
    used = problem["limit"].pop("used")
    assert problem["limit"] == {"name": limit.name, "max": limit.of(plan), "plan": plan}
    assert used == limit.of(plan) or door is stopped_webhook


async def _fill(house: House, limit: Counted | Monthly, plan: str) -> None:
    maximum = limit.of(plan)
    assert maximum is not None
    if isinstance(limit, Monthly):
        month = plans.month_of(clock.actual())
        await house.execute("delete from usage where workspace_id = $1")
        await house.execute(_SPENT, limit.name, month, maximum)
        return
    if limit is limits.API_KEYS:  # those that the test has used so far
        await house.execute("update api_key set revoked_at = now() where workspace_id = $1")
    async with house.make.context.database.transaction() as db:
        used = await db.fetchval(limit.sql, house.owner.workspace_id)
    if used < maximum:
        await house.execute(FILLED[limit.name], maximum - used)
