"""Callers race with workers: what they were told is what the network has, whoever was first."""

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx
import pytest
from tests.faults import sabotage
from tests.faults.hostile import HANGS, HostileNetwork, slow
from tests.faults.scene import Scene, Tenant, account_id, post_id, sizes

from signalpost.kit import clock

SEED = 20261122
_ROWS = """
select p.id, p.status as post_status, p.text, p.deleted_at, t.status, t.next_attempt_at, t.held_reason,
    t.error ->> 'code' as code, (t.error ->> 'occurred_at')::timestamptz as failed_at, t.intent is not null as intended,
    exists (select from attempt a where a.target_id = t.id and a.outcome = 'crashed') as crashed
from target t join post p on p.id = t.post_id
"""
_OPEN = ("pending", "publishing", "retrying", "unknown", "processing")


@dataclass
class Story:
    """What one caller did with one post. `off_since`: when a cancel or a trash was acknowledged, while it holds."""

    post: str
    name: str
    text: str
    off_since: float | None = None
    history: list[Any] = field(default_factory=list)


async def _write_story(tenant: Tenant, chance: random.Random, account: str, name: str) -> Story:
    """Create a post that is due about now, then edit, cancel, reschedule, submit or trash it around that time."""
    body: dict[str, Any] = {"profileId": tenant.login.profile, "text": name, "targets": [{"accountId": account}]}
    if chance.random() < 0.8:
        body["scheduledAt"] = _soon(chance)
    story = Story((await tenant.call("POST", "/posts", 201, json=body))["id"], name, name)
    for number in range(chance.randrange(4)):
        await asyncio.sleep(chance.choice([0, 0.05, 0.3, 0.8, 1.2]))
        action = chance.choice(["edit", "edit", "cancel", "trash", "submit", "reschedule"])
        began = clock.now().timestamp()
        status = await _act(tenant, chance, story, action, f"{name}-v{number}")
        story.history.append((action, status))
        if action in ("cancel", "trash") and status == 200:
            story.off_since = clock.now().timestamp()
        if action in ("submit", "reschedule") and status < 300 and story.off_since and began >= story.off_since:
            story.off_since = None
        if action == "trash" and status == 200:
            break
    return story


async def _act(tenant: Tenant, chance: random.Random, story: Story, action: str, text: str) -> int:
    path = f"/posts/{story.post}"
    changes: dict[str, tuple[str, str, Any]] = {
        "edit": ("PATCH", path, {"text": text}),
        "reschedule": ("PATCH", path, {"scheduledAt": _soon(chance)}),
        "cancel": ("DELETE", f"/queue/cancel/{story.post}", None),
        "submit": ("POST", f"/queue/submit/{story.post}", None),
        "trash": ("DELETE", path, None),
    }
    method, where, body = changes[action]
    response = await tenant.scene.api.call(method, where, key=tenant.login.key, json=body)
    assert response.status_code < 500, (action, response.text)
    if action == "edit" and response.status_code == 200:
        story.text = text
    return response.status_code


def _soon(chance: random.Random) -> str:
    return clock.wire(clock.now() + timedelta(seconds=chance.uniform(0.2, 1.5)))


@sizes("size", quick=(6, 8, 3, 6), heavy=(120, 6, 40, 30))
async def test_edits_and_cancels_around_the_due_time(
    scene: Scene, network: HostileNetwork, size: tuple[int, int, int, int]
) -> None:
    """`size`: seconds, callers, kills, accounts. Nothing is public after an acknowledged cancel."""
    seconds, callers, kills, count = size
    network.on("", slow(0.03))
    tenant = await scene.tenant()
    accounts = [await tenant.mastodon(network, f"a{number}") for number in range(count)]
    workers = [await scene.worker(*_quick(seconds)) for _ in range(2)]
    stories: list[Story] = []
    end = clock.monotonic() + seconds

    async def call(caller: int) -> None:
        chance, number = random.Random(SEED + caller), 0
        while clock.monotonic() < end:
            stories.append(await _write_story(tenant, chance, chance.choice(accounts), f"t{caller}-{number}"))
            number += 1

    async def kill() -> None:
        chance = random.Random(SEED)
        for _ in range(kills):
            await asyncio.sleep(seconds / (kills + 1))
            index = chance.randrange(2)
            workers[index].kill()
            workers[index] = scene.start_worker(*_quick(seconds))

    await asyncio.gather(kill(), *(call(number) for number in range(callers)))
    await scene.all_done()
    rows = {row["id"]: row for row in await scene.query(_ROWS)}
    made = defaultdict(list)
    for post in network.made():
        made[post.text.partition("-v")[0]].append(post)
    wrong = [
        (fault, story) for story in stories for fault in _faults(story, rows[post_id(story.post)], made[story.name])
    ]
    assert wrong == []


def _quick(seconds: int) -> list[Any]:
    return [sabotage.short_waits] if seconds < 60 else []


def _faults(story: Story, row: Any, public: list[Any], disconnects: Sequence[tuple[float, float]] = ()) -> list[str]:
    """What is wrong at the end of a story."""
    ended = row["next_attempt_at"] is None
    checks = {
        "public twice": len(public) > 1,
        "public after an acknowledged cancel or trash": bool(
            story.off_since and public and public[-1].at > story.off_since + 0.05
        ),
        f"public, but {row['status']} {row['code']}": bool(public)
        and row["status"] != "published"
        and not _nobody_can_look(row, public, disconnects),
        "published, but not public": not public and row["status"] == "published",
        "another text": row["status"] == "published" and bool(public) and public[-1].text != row["text"],
        "forgotten": ended and row["status"] in _OPEN and row["post_status"] != "draft",
    }
    return [fault for fault, is_so in checks.items() if is_so]


def _nobody_can_look(row: Any, public: list[Any], disconnects: Sequence[tuple[float, float]]) -> bool:
    """Whether a worker died during the call, and the account was disconnected before the post could be looked for."""
    return (row["status"], row["code"], row["intended"], row["crashed"]) == (
        "failed",
        "outcome_unknown",
        True,
        True,
    ) and (any(public[-1].at <= done + 0.05 and began <= row["failed_at"].timestamp() for began, done in disconnects))


@sizes("size", quick=(5, 4, 2), heavy=(70, 5, 20))
async def test_accounts_and_profiles_change_meanwhile(
    scene: Scene, network: HostileNetwork, size: tuple[int, int, int]
) -> None:
    """`size`: seconds, callers, kills. Accounts are paused, disconnected and connected again, profiles deleted."""
    seconds, callers, kills = size
    network.on("", slow(0.05))
    tenant = await scene.tenant()
    workers = [await scene.worker(*_quick(seconds)) for _ in range(2)]
    posts: dict[str, str] = {}
    deleted: list[tuple[str, float]] = []
    disconnects: dict[str, list[tuple[float, float]]] = defaultdict(list)
    end = clock.monotonic() + seconds

    async def call(caller: int) -> None:
        chance, number = random.Random(SEED + caller), 0
        while clock.monotonic() < end:
            number += 1
            name = f"p{caller}-{number}"
            await _live(tenant, network, chance, name, posts, deleted, disconnects[name])

    async def kill() -> None:
        for number in range(kills):
            await asyncio.sleep(seconds / (kills + 1))
            workers[number % 2].kill()
            workers[number % 2] = scene.start_worker(*_quick(seconds))

    await asyncio.gather(kill(), *(call(number) for number in range(callers)))
    condition = "not exists (select from target where next_attempt_at is not null and held_reason is null)"
    await scene.until(lambda: scene.value(condition), "end of all posts that nothing holds")
    rows = {row["id"]: row for row in await scene.query(_ROWS)}
    made = network.made()
    assert network.doubles() == {}
    wrong = []
    for post, text in posts.items():
        public = [p for p in made if p.text == text]
        cuts = disconnects[text.rsplit("-", 2)[0]]
        wrong += [(fault, text) for fault in _faults(Story(post, text, text), rows[post_id(post)], public, cuts)]
    assert wrong == []
    assert not [p for name, at in deleted for p in made if p.text.startswith(name) and p.at > at + 0.05]


async def _live(  # noqa: C901 - a life has many turns
    tenant: Tenant, network: HostileNetwork, chance: random.Random, name: str, posts: dict[str, str],
    deleted: list[tuple[str, float]], disconnects: list[tuple[float, float]],
) -> None:  # fmt: skip
    """One profile with one account, from its creation to its end. `disconnects`: when each began and was done."""
    profile = (await tenant.call("POST", "/profiles", 201, json={"name": name}))["id"]

    async def connect() -> str:
        fields = {"instanceUrl": network.url, "accessToken": f"tok-{name}"}
        body = {"profileId": profile, "fields": fields}
        account: str = (await tenant.call("POST", "/platforms/mastodon/connect", 201, json=body))["id"]
        return account

    async def status(to: str) -> None:
        await tenant.call("PATCH", f"/platforms/accounts/{account}", None, json={"status": to})

    account = await connect()
    for number in range(chance.randrange(2, 5)):
        body = {"profileId": profile, "text": f"{name}-{number}-", "targets": [{"accountId": account}]}
        if chance.random() < 0.7:
            body["scheduledAt"] = _soon(chance)
        made = await tenant.call("POST", "/posts", None, json=body)
        if "id" in made:
            posts[made["id"]] = body["text"]
        await asyncio.sleep(chance.choice([0, 0.1, 0.4]))
        change = chance.choice(["paused", "active", "disconnect", "connect", "nothing"])
        if change in ("paused", "active"):
            await status(change)
        elif change == "disconnect":
            began = clock.now().timestamp()
            answer = await tenant.call("DELETE", f"/platforms/accounts/{account}", None)
            if answer.get("status") == "disconnected":
                disconnects.append((began, clock.now().timestamp()))
        elif change == "connect":
            account = await connect()
    await status("active")
    if chance.random() < 0.5:
        began = clock.now().timestamp()
        deletion = await tenant.scene.api.delete(f"/profiles/{profile}", key=tenant.login.key)
        assert deletion.status_code in (200, 409), deletion.text
        if deletion.status_code == 200:
            deleted.append((f"{name}-", clock.now().timestamp()))
            disconnects.append((began, deleted[-1][1]))


_WAITING = """
count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and clock_timestamp() - query_start > make_interval(secs => $1)
"""


async def test_a_profile_and_its_account_go_at_the_same_time(scene: Scene) -> None:
    """Deleting the profile waits for a lane while someone disconnects the account: in one order, so no deadlock."""
    tenant = await scene.tenant()
    profile = (await tenant.call("POST", "/profiles", 201, json={"name": "Gone"}))["id"]
    body = {"profileId": profile, "fields": {"username": "sand"}}
    account = (await tenant.call("POST", "/platforms/sandbox/connect", 201, json=body))["id"]
    post = {"profileId": profile, "text": "waits", "targets": [{"accountId": account}]}
    await tenant.call("POST", "/posts", 201, json=post | {"scheduledAt": clock.wire(clock.now() + timedelta(hours=1))})

    async def waiting(count: int, seconds: float) -> None:
        await scene.until(lambda: scene.value(f"(select {_WAITING}) = {count}", seconds), f"{count} that wait")

    async with scene.context.database.transaction() as db:
        await db.execute("select from lane where key = $1 for no key update", account_id(account))
        deleting = asyncio.create_task(tenant.call("DELETE", f"/profiles/{profile}", None))
        await waiting(1, 0)
        disconnecting = asyncio.create_task(tenant.call("DELETE", f"/platforms/accounts/{account}", None))
        await waiting(2, 1.5)  # past the one look for a deadlock that each makes

    deleted, disconnected = await asyncio.gather(deleting, disconnecting)
    assert deleted.get("accountsDisconnected") == 1, deleted
    assert disconnected.get("status") == "disconnected", disconnected


async def _create(client: httpx.AsyncClient, body: Any, headers: dict[str, str]) -> httpx.Response:
    """Create a post; on a slow machine some of many wait too long for the others, and are to come again."""
    while True:
        answer = await client.post("/posts", json=body, headers=headers)
        if answer.status_code != 503:
            return answer
        await asyncio.sleep(float(answer.headers["Retry-After"]))


@sizes("rounds", quick=2, heavy=10)
@pytest.mark.parametrize("kind", ["key", "content"])
async def test_fifty_twins_make_one_post(scene: Scene, kind: str, rounds: int) -> None:
    """Fifty equal requests at once, with one Idempotency-Key or without any: exactly one post."""
    tenant = await scene.tenant()
    box = await tenant.sandbox()
    server = await scene.serve()
    async with scene.client(server, tenant) as client:
        for number in range(rounds):
            body = {"profileId": tenant.login.profile, "text": f"{number}", "targets": [{"accountId": box}]}
            headers = {"Idempotency-Key": f"k{number}"} if kind == "key" else {}
            answers = await asyncio.gather(*(_create(client, body, headers) for _ in range(50)))
            codes = Counter(answer.status_code for answer in answers)
            assert codes[201] >= 1
            assert codes.keys() <= {201, 409}
            assert len({answer.json()["id"] for answer in answers if answer.status_code == 201}) == 1
        if kind == "key":
            other = await client.post("/posts", json=body | {"text": "other"}, headers=headers)
            assert other.status_code == 422
    assert await scene.value("count(*) from post") == rounds


@pytest.mark.alone
@sizes("size", quick=(20, 40, 8), heavy=(100, 150, 30))
async def test_many_calls_of_queue_process_at_once(
    scene: Scene, network: HostileNetwork, size: tuple[int, int, int]
) -> None:
    """`size`: calls, posts, accounts; no worker runs. A hanging network does not hold a call."""
    calls, posts, count = size
    network.on("", slow(0.02))
    network.on("hangs", HANGS)
    tenant = await scene.tenant()
    await tenant.late_policy()
    accounts = [await tenant.mastodon(network, f"a{number}") for number in range(count)]
    short = [sabotage.short_ticks] if calls < 100 else []
    server = await scene.serve(*short)
    headers = {"X-Queue-Secret": "queue-secret-of-the-tests"}

    async def process(client: httpx.AsyncClient, limit: int) -> Any:
        answer = await client.post("/queue/process", json={"limit": limit}, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async with scene.client(server) as client:
        for number in range(posts):
            await tenant.post(accounts[number % count], text=f"post {number}")
        began = clock.monotonic()
        reports = await asyncio.gather(*(process(client, 50) for _ in range(calls)))
        took = clock.monotonic() - began
        while await scene.value("exists (select from target where next_attempt_at is not null)"):
            await process(client, 50)
        assert sum(report["published"] for report in reports) <= posts
        assert len(network.public()) == posts
        assert network.doubles() == {}
        assert took < 30
        await tenant.post(accounts[0], text="hangs")
        began = clock.monotonic()
        await process(client, 5)
        assert clock.monotonic() - began < 30, "as long as the network hangs"
