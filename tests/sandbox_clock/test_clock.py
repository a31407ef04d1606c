"""The clock of the sandbox: test posts go out as if it were later, and nothing else notices."""

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.sandbox import DAY, SECRET, WORK_ROUNDS_MAX, Sandbox

from signalpost.kit import clock, ids
from signalpost.main import app
from signalpost.main.app import open_context
from signalpost.settings import Settings


async def test_a_post_for_tomorrow_is_watched_going_out(sandbox: Sandbox) -> None:
    """With its events, which say that it went out at its time, as the post does."""
    hook = await sandbox.api.post("/webhooks", json={"url": "http://127.0.0.1:9/"}, key=sandbox.owner.test_key)
    post = await sandbox.post(after=DAY)
    await sandbox.work()
    before = await sandbox.read(post)
    assert before["status"] == "scheduled"

    moved = await sandbox.move(now=before["scheduledAt"])

    assert abs(datetime.fromisoformat(moved["now"]) - datetime.fromisoformat(before["scheduledAt"])).seconds == 0
    assert DAY - 60 < moved["aheadSeconds"] <= DAY
    await sandbox.work_until(post, "published")
    after = await sandbox.read(post)
    assert after["scheduledAt"] == before["scheduledAt"]
    scheduled_at, published_at = (datetime.fromisoformat(after[name]) for name in ("scheduledAt", "publishedAt"))
    assert scheduled_at <= published_at < scheduled_at + timedelta(seconds=60)
    [target] = after["targets"]
    assert target["publishedAt"] == after["publishedAt"]
    [listed] = (await sandbox.api.get("/posts", key=sandbox.owner.test_key)).json()["data"]
    assert [listed["publishedAt"], listed["targets"][0]["publishedAt"]] == [after["publishedAt"]] * 2
    assert await sandbox.value(TOLD, sandbox.owner.workspace_id) == [after["publishedAt"]] * 2
    deliveries = await sandbox.api.get(f"/webhooks/{hook.json()['id']}/deliveries", key=sandbox.owner.test_key)
    sent = [delivery["type"] for delivery in deliveries.json()["data"]]
    assert sorted(sent) == ["post.published", "post.published", "post.queued"]


TOLD = """
select array_agg(coalesce(data -> 'target' ->> 'publishedAt', data ->> 'publishedAt'))
from delivery, lateral (select convert_from(body, 'UTF8')::jsonb -> 'data' as data) d
where workspace_id = $1 and type = 'post.published'
"""
LIVE = """
select jsonb_build_object(
    'posts', (select jsonb_agg(p order by p.id) from post p where p.id = any($1)),
    'targets', (select jsonb_agg(t order by t.id) from target t where t.post_id = any($1)),
    'trash', (select jsonb_agg(p.purge_at order by p.id) from post p where p.workspace_id = $2),
    'keys', (select jsonb_agg((k.expires_at, k.revoked_at) order by id) from api_key k where k.workspace_id = $2),
    'media', (select jsonb_agg(m order by id) from media m where m.workspace_id = $2),
    'webhooks', (select jsonb_agg(w order by id) from webhook w where w.workspace_id = $2),
    'lanes', (select jsonb_agg((l.not_before, l.next_due_at) order by key) from lane l where l.key = any($3)))::text
"""


async def test_nothing_live_moves_and_nothing_of_others(sandbox: Sandbox, make: Make) -> None:
    """Not a live post on the very same account, not a test post of another workspace, nothing that expires."""
    api, owner = sandbox.api, sandbox.owner
    stranger = await make.owner()
    others = await make.account(stranger)
    tomorrow = await sandbox.later(DAY)
    live = await sandbox.post(scheduledAt=tomorrow, key=owner.key)
    foreign = (await make.post(stranger, key=stranger.test_key, scheduledAt=tomorrow))["id"]
    trashed = await sandbox.post(after=DAY)
    await api.delete(f"/posts/{trashed}", key=owner.test_key)
    expiring = {"name": "short", "mode": "test", "expiresAt": tomorrow}
    key = (await api.post("/api-keys", json=expiring, key=owner.key)).json()["key"]
    post = await sandbox.post(after=DAY)
    posts, lane = [ids.decode("pst", live), ids.decode("pst", foreign)], ids.decode("acc", others["id"])
    before = json.loads(await sandbox.value(LIVE, posts, owner.workspace_id, [lane]))
    assert None not in (before["posts"], before["targets"], before["trash"], before["lanes"])

    await sandbox.move(advanceSeconds=40 * DAY)
    await sandbox.work_until(post, "published")
    assert (await api.get("/posts", key=key)).status_code == 200
    await sandbox.end()
    await sandbox.work()

    assert json.loads(await sandbox.value(LIVE, posts, owner.workspace_id, [lane])) == before
    in_trash = (await api.get("/posts/trash", key=owner.test_key)).json()["data"]
    assert [post["id"] for post in in_trash] == [trashed]


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        ({"now": "9999-12-31T23:59:59Z"}, "/now", "out_of_range"),
        ({"now": "2101-01-01T00:00:00Z"}, "/now", "out_of_range"),
        ({"now": "2020-01-01T00:00:00Z"}, "/now", "out_of_range"),
        ({"now": "2027-01-01T00:00:00"}, "/now", "format"),
        ({"now": "tomorrow"}, "/now", "format"),
        ({"now": "2027-02-30T00:00:00Z"}, "/now", "format"),
        ({"advanceSeconds": 0}, "/advanceSeconds", "out_of_range"),
        ({"advanceSeconds": -60}, "/advanceSeconds", "out_of_range"),
        ({"advanceSeconds": 3_000_000_000}, "/advanceSeconds", "out_of_range"),
        ({"advanceSeconds": 10**30}, "/advanceSeconds", "out_of_range"),
        ({"advanceSeconds": True}, "/advanceSeconds", "type"),
        ({"advanceSeconds": 1, "now": "2027-01-01T00:00:00Z"}, "/advanceSeconds", "not_allowed"),
        ({}, "/now", "required"),
        ({"now": None}, "/now", "type"),
        ({"later": 1}, "/later", "unknown_field"),
    ],
)
async def test_a_clock_that_cannot_be_is_refused(sandbox: Sandbox, body: dict[str, Any], path: str, code: str) -> None:
    answer = await sandbox.api.post("/sandbox/clock", json=body, key=sandbox.owner.test_key)

    assert answer.status_code == 422, answer.text
    assert [(issue["path"], issue["code"]) for issue in answer.json()["errors"]] == [(path, code)]
    assert (await sandbox.clock())["aheadSeconds"] == 0


async def test_the_clock_does_not_go_back(sandbox: Sandbox) -> None:
    """What was published cannot be taken back; to return to the real time, the clock is deleted."""
    await sandbox.move(advanceSeconds=2 * DAY)
    for header in ({}, {"X-Test-Now": "2020-01-01T00:00:00Z"}):
        back = {"now": clock.wire(clock.now() + timedelta(days=1))}
        answer = await sandbox.api.post("/sandbox/clock", json=back, key=sandbox.owner.test_key, headers=header)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "out_of_range")
    assert round((await sandbox.clock())["aheadSeconds"]) == 2 * DAY

    for _ in range(2):
        await sandbox.end()
    assert (await sandbox.clock())["endsAt"] is None


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_only_a_test_key_of_the_whole_workspace_has_a_clock(sandbox: Sandbox, make: Make, method: str) -> None:
    owner = sandbox.owner
    limited = await make.login(
        owner.user_id, owner.workspace_id, owner.email, profile_ids=[ids.decode("prof", owner.profile)]
    )
    for key in (owner.key, limited.key, limited.test_key):
        body = {"json": {"advanceSeconds": 60}} if method == "POST" else {}
        answer = await sandbox.api.call(method, "/sandbox/clock", key=key, **body)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert (await sandbox.clock())["aheadSeconds"] == 0


async def test_a_jump_over_many_posts_publishes_them_in_order_and_none_late(sandbox: Sandbox) -> None:
    """It is as if the time had passed: nothing missed its window, though the jump is longer than that."""
    posts = {hours: await sandbox.post(after=hours * 3600) for hours in (72, 24, 48)}

    await sandbox.move(advanceSeconds=30 * DAY)
    shown = {hours: await sandbox.work_until(post, "published", "failed") for hours, post in posts.items()}

    assert {post["status"] for post in shown.values()} == {"published"}
    assert sorted(shown, key=lambda hours: str(shown[hours]["publishedAt"])) == [24, 48, 72]


async def test_a_retry_comes_nearer_with_the_clock(sandbox: Sandbox) -> None:
    """Two failures, a minute and five minutes to wait; and what was queued is shown to start after it was queued."""
    post = await sandbox.post(text="[[transient:2]] third time lucky")
    await sandbox.work_until(post, "publishing")
    for seconds, attempts in ((90, 2), (400, 3)):
        await sandbox.move(advanceSeconds=seconds)
        for _ in range(WORK_ROUNDS_MAX):
            await sandbox.work()
            if (await sandbox.read(post))["targets"][0]["attempts"] == attempts:
                break
    assert (await sandbox.work_until(post, "published"))["targets"][0]["attempts"] == 3


@pytest.mark.parametrize("live_waits", [False, True])
async def test_a_pause_of_the_account_ends_unless_live_posts_wait_there(sandbox: Sandbox, live_waits: bool) -> None:
    """A network's limit keeps a whole account back; the clock of a test does not lift it for live posts."""
    if live_waits:
        await sandbox.post(after=DAY, key=sandbox.owner.key)
    post = await sandbox.post(text="[[fail:rate_limited]]")
    paused = "select not_before > now() from lane where kind = 'target' and key = $1"
    lane = ids.decode("acc", sandbox.account)
    await sandbox.work_until(post, "publishing")
    assert await sandbox.value(paused, lane)

    await sandbox.move(advanceSeconds=120)

    assert bool(await sandbox.value(paused, lane)) is live_waits


@pytest.mark.parametrize("hours", [11, 14])
async def test_a_post_of_a_paused_account_is_late_by_the_clock(sandbox: Sandbox, hours: int) -> None:
    """The profile allows 12 hours: what was held for less is published then, which the post says."""
    path = f"/platforms/accounts/{sandbox.account}"
    on_time = await sandbox.post(after=300)
    await sandbox.api.patch(path, json={"status": "paused"}, key=sandbox.owner.test_key)
    for part in (1, hours - 1):
        await sandbox.move(advanceSeconds=part * 3600)
    await sandbox.api.patch(path, json={"status": "active"}, key=sandbox.owner.test_key)
    shown = await sandbox.work_until(on_time, "published", "failed")

    if hours < 12:
        late = datetime.fromisoformat(shown["publishedAt"]) - datetime.fromisoformat(shown["scheduledAt"])
        assert timedelta(hours=hours) - timedelta(seconds=360) < late < timedelta(hours=hours)
    else:
        assert shown["targets"][0]["error"]["code"] == "missed_window"


@pytest.mark.parametrize("approved", [True, False])
async def test_an_approval_is_waited_for_by_the_clock(sandbox: Sandbox, make: Make, approved: bool) -> None:
    """The first jump makes the post due; half a day later nobody has approved in time."""
    gate = {"approvalRequired": True}
    await sandbox.api.patch(f"/profiles/{sandbox.owner.profile}", json=gate, key=sandbox.owner.key)
    author = await make.member(sandbox.owner, role="editor")
    post = await sandbox.post(after=DAY, key=author.test_key)
    await sandbox.move(advanceSeconds=DAY + 60)
    await sandbox.work()
    held = await sandbox.read(post)
    assert (held["status"], held["heldReason"], held["approval"]["state"]) == ("queued", "approval", "pending")

    if approved:
        await sandbox.api.post(f"/posts/{post}/approve", key=sandbox.owner.test_key)
        await sandbox.work_until(post, "published")
    else:
        await sandbox.move(advanceSeconds=13 * 3600)
        shown = await sandbox.work_until(post, "failed")
        assert shown["targets"][0]["error"]["code"] == "missed_window"


async def test_what_is_scheduled_under_a_moved_clock_follows_it(sandbox: Sandbox) -> None:
    """New posts and edited ones, a moment later."""
    await sandbox.move(advanceSeconds=30 * DAY)
    new = await sandbox.post(after=1)
    edited = await sandbox.post(after=DAY)
    body = {"scheduledAt": await sandbox.later(1)}
    assert (await sandbox.api.patch(f"/posts/{edited}", json=body, key=sandbox.owner.test_key)).status_code == 200
    waiting = await sandbox.post(after=DAY)

    for post in (new, edited):
        await sandbox.work_until(post, "published")
    assert await sandbox.status(waiting) == "scheduled"


@pytest.mark.parametrize("ended", ["deleted", "by itself"])
async def test_after_the_clock_what_is_to_come_waits_for_its_time_again(sandbox: Sandbox, ended: str) -> None:
    first, second = await sandbox.post(after=DAY), await sandbox.post(after=3 * DAY)
    before = await sandbox.read(second)
    await sandbox.move(advanceSeconds=2 * DAY)
    assert (await sandbox.read(second))["targets"][0]["nextAttemptAt"] < before["scheduledAt"]
    published = await sandbox.work_until(first, "published")

    if ended == "deleted":
        await sandbox.end()
    else:
        await sandbox.value(
            "update sandbox_clock set ends_at = now() where workspace_id = $1", sandbox.owner.workspace_id
        )
        row = "select count(*) from job where workspace_id = $1"
        for _ in range(WORK_ROUNDS_MAX):
            await sandbox.work()
            if not await sandbox.value(row, sandbox.owner.workspace_id):
                break
            await asyncio.sleep(0.05)

    after = await sandbox.read(second)
    assert (after["status"], after["targets"][0]["nextAttemptAt"]) == ("scheduled", before["scheduledAt"])
    assert await sandbox.read(first) == published
    assert await sandbox.clock() | {"now": ""} == {"now": "", "aheadSeconds": 0, "endsAt": None}


async def test_two_processes_share_the_clock(sandbox: Sandbox, settings: Settings, dsn: str) -> None:
    """Moved in both at once, it has gone as far as both said, and a worker of either publishes what is due."""
    async with open_context(settings, dsn) as context, Api(app.create(context)) as second:
        body, key = {"advanceSeconds": DAY}, sandbox.owner.test_key
        post = await sandbox.post(after=2 * DAY - 60)
        moves = [api.post("/sandbox/clock", json=body, key=key) for api in (sandbox.api, second)]
        assert [answer.status_code for answer in await asyncio.gather(*moves)] == [201, 201]
        assert round((await second.get("/sandbox/clock", key=key)).json()["aheadSeconds"]) == 2 * DAY

        for _ in range(WORK_ROUNDS_MAX):
            assert (await second.post("/queue/process", headers=SECRET)).status_code == 200
            if await sandbox.status(post) == "published":
                break
        assert await sandbox.status(post) == "published"
        assert context.engine is not None
        await context.engine.stop(5)


async def test_an_earlier_batch_leaves_no_post_behind(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """More posts than one move takes: the job moves the others."""
    monkeypatch.setattr("signalpost.posts.change.retime.TARGETS_MAX", 1)
    monkeypatch.setattr("signalpost.posts.change.retime.BATCHES_MAX", 2)
    posts = [await sandbox.post(after=DAY + number) for number in range(5)]

    await sandbox.move(advanceSeconds=2 * DAY)

    for post in posts:
        await sandbox.work_until(post, "published")


async def test_all_retries_come_nearer_at_once_however_many(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have no scheduled time that they could be computed from again later."""
    monkeypatch.setattr("signalpost.posts.change.retime.TARGETS_MAX", 1)
    posts = [await sandbox.post(text=f"[[transient:1]] {number}") for number in range(3)]
    waiting = "select count(*) from target where workspace_id = $1 and next_attempt_at > now() + interval '30 s'"
    for post in posts:
        await sandbox.work_until(post, "publishing")
    while await sandbox.value(waiting, sandbox.owner.workspace_id) < len(posts):
        await sandbox.work()

    await sandbox.move(advanceSeconds=90)

    assert await sandbox.value(waiting, sandbox.owner.workspace_id) == 0


async def test_a_failed_post_that_is_submitted_for_later_keeps_to_the_new_time(sandbox: Sandbox) -> None:
    post = await sandbox.post(text="[[fail:content_rejected]]")
    await sandbox.work_until(post, "failed")
    later = await sandbox.later(5 * DAY)
    body = {"scheduledAt": later}
    answer = await sandbox.api.post(f"/queue/submit/{post}", json=body, key=sandbox.owner.test_key)
    assert answer.status_code == 201, answer.text

    await sandbox.move(advanceSeconds=DAY)
    await sandbox.work()

    assert ((shown := await sandbox.read(post))["status"], shown["scheduledAt"]) == ("scheduled", later)
    await sandbox.move(advanceSeconds=5 * DAY)
    await sandbox.work_until(post, "failed")


async def test_a_post_that_is_tried_again_starts_after_it_was_queued(sandbox: Sandbox) -> None:
    post = await sandbox.post(text="[[fail:content_rejected]]")
    await sandbox.work_until(post, "failed")
    assert (await sandbox.api.post(f"/posts/{post}/retry", key=sandbox.owner.test_key)).status_code == 201
    shown = await sandbox.work_until(post, "failed")
    assert shown["queuedAt"] <= shown["targets"][0]["startedAt"]


@pytest.mark.parametrize("headers", [{}, {"X-Test-Now": "2030-01-01T00:00:00Z"}])
async def test_of_two_equal_posts_at_once_one_is_accepted(sandbox: Sandbox, headers: dict[str, str]) -> None:
    """Also under a simulated time, by which the guard looks in a statement of its own."""
    body = {"profileId": sandbox.owner.profile, "text": f"Same {ids.new_id()}", "platforms": ["sandbox"]}
    requests = [sandbox.api.post("/posts", json=body, key=sandbox.owner.test_key, headers=headers) for _ in range(8)]
    answers = await asyncio.gather(*requests)
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 7]
