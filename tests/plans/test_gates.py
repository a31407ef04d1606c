"""Each limit of a plan, through the API: of fifty requests for the last unit one succeeds; the others leave nothing."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, cast

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.mail import InTest

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.identity.actions import sign_in
from signalpost.kit import clock, ids
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.webhooks import work as webhooks_work

SOON = clock.wire(clock.now() + timedelta(days=30))
AT_ONCE = 50
Fill = Callable[[Make, Login], Awaitable[None]]


async def nothing(make: Make, owner: Login) -> None:
    """The last unit is left already."""


async def three_accounts(make: Make, owner: Login) -> None:
    for _ in range(3):
        await make.account(owner)


async def most_of_a_month(make: Make, owner: Login) -> None:
    await make.account(owner)
    month = plans.month_of(clock.actual())
    async with make.context.database.transaction() as db:
        await db.execute("insert into usage values ($1, 'posts', $2, 7, 29)", owner.workspace_id, month)


async def nine_scheduled(make: Make, owner: Login) -> None:
    await make.account(owner)
    for _ in range(9):
        await make.post(owner, scheduledAt=SOON)


async def two_webhooks(make: Make, owner: Login) -> None:
    for _ in range(2):
        created = await make.api.post("/webhooks", json=hook(), key=owner.key)
        assert created.status_code == 201, created.text


async def no_keys(make: Make, owner: Login) -> None:
    async with make.context.database.transaction() as db:
        await db.execute("update api_key set revoked_at = now() where workspace_id = $1", owner.workspace_id)


def hook() -> dict[str, Any]:
    """A webhook on a host of its own: their number for one host is bounded too."""
    return {"url": f"http://127.0.0.{secrets.randbelow(250) + 2}:9/{secrets.token_hex(4)}"}


def post(owner: Login, **fields: Any) -> dict[str, Any]:
    return {"profileId": owner.profile, "text": secrets.token_hex(8), "platforms": ["sandbox"]} | fields


RACES: dict[str, tuple[str, Fill, str, Callable[[Login], dict[str, Any]]]] = {
    "profiles": ("free", nothing, "/profiles", lambda _: {"name": secrets.token_hex(6)}),
    "accounts": (
        "free", three_accounts, "/platforms/sandbox/connect",
        lambda owner: {"profileId": owner.profile, "fields": {"username": secrets.token_hex(6)}},
    ),
    "posts": ("free", most_of_a_month, "/posts", post),
    "scheduledPosts": ("free", nine_scheduled, "/posts", lambda owner: post(owner, scheduledAt=SOON)),
    "apiKeys": ("free", no_keys, "/api-keys", lambda _: {"name": "one more"}),
    "members": (
        "starter", nothing, "/team/invite",
        lambda _: {"email": f"{secrets.token_hex(6)}@example.test", "role": "editor", "sendEmail": False},
    ),
    "webhooks": ("pro", two_webhooks, "/webhooks", lambda _: hook()),
    "platformInvites": (
        "free", nothing, "/platform-invites", lambda owner: {"profileId": owner.profile, "platforms": ["sandbox"]},
    ),
}  # fmt: skip


async def sessions(context: AppContext, owner: Login, count: int) -> list[str]:
    """Sessions of the owner: each has a rate limit of its own."""
    opened = []
    async with context.database.transaction() as db:
        for _ in range(count):
            session = await sign_in.open_session(
                db, context.keys, owner.user_id, owner.workspace_id, "owner", "192.0.2.1"
            )
            opened.append(session.access_token)
    return opened


@pytest.mark.parametrize("name", RACES)
async def test_of_fifty_requests_for_the_last_unit_one_succeeds(
    context: AppContext, shop: Api, make: Make, name: str
) -> None:
    plan, fill, path, body = RACES[name]
    owner = await make.owner(plan=plan)
    await fill(make, owner)
    bearers = await sessions(context, owner, AT_ONCE)
    # As many at once as there are connections: who waits for one longer than five seconds is told to come later.
    places = asyncio.Semaphore(context.database.pool.size)

    async def ask(bearer: str) -> httpx.Response:
        async with places:
            return await shop.post(path, json=body(owner), key=bearer)

    answers = await asyncio.gather(*map(ask, bearers))

    assert Counter(answer.status_code for answer in answers) == {201: 1, 402: AT_ONCE - 1}
    maximum = next(limit for limit in limits.LIMITS if limit.name == name).of(plan)
    for answer in answers:
        if answer.status_code == 402:
            assert answer.json()["code"] == "plan_limit_reached"
            assert answer.json()["limit"] == {"name": name, "used": maximum, "max": maximum, "plan": plan}
    usage = (await shop.get("/auth/usage", key=bearers[0])).json()
    assert (usage["plan"], usage["usage"][name], usage["limits"][name]) == (plan, maximum, maximum)
    if path == "/posts":
        expected = {"posts": 1, "scheduledPosts": 10}[name]
        listed = (await shop.get("/posts?limit=100", key=bearers[0])).json()["data"]
        assert len(listed) == expected


def links(owner: Login, child: str, **rules: Any) -> dict[str, Any]:
    return {"parentProfileId": owner.profile, "childProfileId": child, "rules": rules}


GATES: dict[str, tuple[str, str, int, str, str, Callable[[Login, str], dict[str, Any]]]] = {
    "links between profiles": ("free", "profileLinks", 402, "plan_feature_unavailable", "/profiles/links", links),
    "another language for a child": (
        "starter", "languageOverride", 402, "plan_feature_unavailable", "/profiles/links",
        lambda owner, child: links(owner, child, languageOverride="de"),
    ),
    "webhooks": (
        "starter", "webhooks", 402, "plan_feature_unavailable", "/webhooks",
        lambda _owner, _child: {"url": "http://127.0.0.1:9/hook"},
    ),
    "branding": (
        "starter", "inviteBranding", 402, "plan_feature_unavailable", "/platform-invites",
        lambda owner, _: {"profileId": owner.profile, "platforms": ["sandbox"], "branding": {"name": "Acme"}},
    ),
    "posts of one request": (
        "free", "bulkItems", 422, "too_many_items", "/posts/bulk",
        lambda owner, _: {"posts": [post(owner, platforms=[], draft=True)] * 6},
    ),
    "storage": (
        "free", "storageBytes", 402, "plan_limit_reached", "/media/presign-upload/batch",
        lambda _owner, _child: {"files": [{"fileName": "a.mp4", "contentType": "video/mp4", "size": 450_000_000}] * 3},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", GATES)
async def test_what_a_plan_does_not_include_is_refused_by_name(
    context: AppContext, shop: Api, make: Make, what: str
) -> None:
    plan, name, status, code, path, body = GATES[what]
    owner = await make.owner(plan=plan)
    child = await make.profile(owner)
    [bearer] = await sessions(context, owner, 1)
    refused: httpx.Response = await shop.post(path, json=body(owner, child["id"]), key=bearer)

    assert (refused.status_code, refused.json()["code"]) == (status, code), refused.text
    limit = refused.json()["limit"]
    assert (limit["name"], limit["plan"]) == (name, plan)


async def test_webhooks_are_none_none_three_and_any_number(context: AppContext, shop: Api, make: Make) -> None:
    """Free and Starter have none, the fourth of Pro is refused, Max has no limit of the plan."""
    created: dict[str, list[int]] = {}
    names: set[str] = set()
    for plan in ("free", "starter", "pro", "max"):
        owner = await make.owner(plan=plan)
        [bearer] = await sessions(context, owner, 1)
        answers = [await shop.post("/webhooks", json=hook(), key=bearer) for _ in range(5)]
        created[plan] = [answer.status_code for answer in answers]
        names |= {f"{plan} {answer.json()['code']}" for answer in answers if answer.status_code == 402}

    assert created == {
        "free": [402] * 5, "starter": [402] * 5, "pro": [201] * 3 + [402] * 2, "max": [201] * 5,
    }  # fmt: skip
    assert names == {
        "free plan_feature_unavailable", "starter plan_feature_unavailable", "pro plan_limit_reached",
    }  # fmt: skip


async def test_a_file_above_the_plans_size_is_refused(context: AppContext, shop: Api, make: Make) -> None:
    owner = await make.owner(plan="free")
    [bearer] = await sessions(context, owner, 1)
    data = {"fileName": "a.mp4", "contentType": "video/mp4", "size": 500_000_001}
    refused = await shop.post("/media/presign-upload", json=data, key=bearer)

    assert (refused.status_code, refused.json()["code"]) == (413, "payload_too_large")


async def test_approvals_need_a_plan_that_has_them(context: AppContext, shop: Api, make: Make) -> None:
    owner = await make.owner(plan="starter")
    draft = await make.draft(owner)
    [bearer] = await sessions(context, owner, 1)
    refused = await shop.post(f"/posts/{draft['id']}/request-approval", json={}, key=bearer)

    assert (refused.status_code, refused.json()["limit"]["name"]) == (402, "approvals")


async def test_a_plan_sets_the_rate(context: AppContext, shop: Api, make: Make) -> None:
    """Ten writes a minute on the free plan; the eleventh is refused before it does anything."""
    owner = await make.owner(plan="free")
    [bearer] = await sessions(context, owner, 1)
    codes, begun = list[int](), clock.monotonic()
    while 429 not in codes:
        codes.append((await shop.post("/posts/validate", json=post(owner), key=bearer)).status_code)
    come_back = int((clock.monotonic() - begun) * 10 / 60)

    assert set(codes[:-1]) == {200}
    assert len(codes) in range(11, 12 + come_back)


_AGED = """
insert into delivery (id, workspace_id, webhook_id, event_id, type, body, state, created_at)
select gen_random_uuid(), workspace_id, webhook_id, event_id, type, body, 'delivered', now() - make_interval(days => n)
from delivery cross join unnest($2::int[]) n where webhook_id = $1
"""
_AGES = "select (extract(epoch from now() - created_at) / 86400)::int from delivery where webhook_id = $1 order by 1"


@pytest.mark.parametrize(("plan", "kept"), [("pro", [0, 13]), ("max", [0, 13, 15, 29]), ("off", [0, 13, 15, 29])])
async def test_the_log_of_deliveries_is_kept_as_long_as_the_plan_says(
    context: AppContext, sold: AppContext, shop: Api, make: Make, plan: str, kept: list[int]
) -> None:
    """Where no plans are sold (`off`), for the 30 days of `SIGNALPOST_DELIVERY_LOG_DAYS`."""
    owner = await make.owner(plan="max" if plan == "off" else plan)
    [bearer] = await sessions(context, owner, 1)
    created = (await shop.post("/webhooks", json=hook(), key=bearer)).json()
    webhook_id = ids.decode("whk", created["id"])
    assert (await shop.post(f"/webhooks/{created['id']}/test", json={}, key=bearer)).status_code in (200, 201, 202)
    async with context.database.transaction() as db:
        await db.execute(_AGED, webhook_id, [13, 15, 29, 31])
    jobs = {job.kind: job for job in webhooks_work.jobs(context if plan == "off" else sold)}
    await jobs[webhooks_work.PURGE_JOB].handler(cast("Lease", InTest(context.database)), {})

    async with context.database.connection() as db:
        assert [row[0] for row in await db.fetch(_AGES, webhook_id)] == kept


async def test_a_self_hosted_workspace_has_no_gate(api: Api, make: Make) -> None:
    """SIGNALPOST_BILLING_ENABLED=false: whatever plan was once bought."""
    owner = await make.owner(plan="free")
    for _ in range(3):
        await make.profile(owner)
    created = await api.post("/webhooks", json={"url": "http://127.0.0.1:9/hook"}, key=owner.key)
    usage = (await api.get("/auth/usage", key=owner.key)).json()

    assert created.status_code == 201
    assert (usage["plan"], set(usage["limits"].values())) == ("self_hosted", {None})
