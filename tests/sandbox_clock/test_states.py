"""Every state of an account, of a target and of a post is reached in the sandbox, by its words, and left again."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, get_args

from tests.helpers.sandbox import DAY, WORK_ROUNDS_MAX, Sandbox

from signalpost.accounts.states import State
from signalpost.kit import ids
from signalpost.posts.states import PostStatus, TargetStatus


class Walk:
    """What a workspace's account and posts were seen to be."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox, self.api, self.key = sandbox, sandbox.api, sandbox.owner.test_key
        self.accounts: set[str] = set()
        self.posts: set[str] = set()
        self.targets: set[str] = set()

    async def account(self) -> str:
        listed = await self.api.get("/platforms/accounts?includeDisconnected=true", key=self.key)
        status = next(row["status"] for row in listed.json()["data"] if row["id"] == self.sandbox.account)
        self.accounts.add(status)
        return str(status)

    async def post(self, post: str) -> dict[str, Any]:
        shown = await self.sandbox.read(post)
        self.posts.add(shown["status"])
        self.targets |= {target["status"] for target in shown["targets"]}
        return shown

    async def until(self, read: Callable[[], Awaitable[Any]], *wanted: Any) -> None:
        """Work until what is read is one of these."""
        for _ in range(WORK_ROUNDS_MAX):
            if (found := await read()) in wanted:
                return
            await self.sandbox.work()
            await asyncio.sleep(0.05)
        raise AssertionError((found, wanted))

    async def target_until(self, post: str, *wanted: str) -> None:
        async def status() -> str:
            return str((await self.post(post))["targets"][0]["status"])

        await self.until(status, *wanted)

    async def look(self, post: str, *wanted: str) -> None:
        """Have the network be asked for a post whose outcome is unknown, at most as often as it ever is."""
        for _ in range(4):
            attempts = "select count(*) from attempt where post_id = $1 and finished_at is not null"
            before = await self.sandbox.value(attempts, ids.decode("pst", post))
            await self.sandbox.move(advanceSeconds=3_700)
            await self.until(partial(self._has_more, attempts, post, before), True)
            if (await self.post(post))["targets"][0]["status"] in wanted:
                return
        raise AssertionError(await self.post(post))

    async def _has_more(self, count: str, post: str, before: int) -> bool:
        return bool(await self.sandbox.value(count, ids.decode("pst", post)) > before)

    async def connect(self, **fields: str) -> None:
        username = await self.sandbox.value(
            "select username from account where id = $1", ids.decode("acc", self.sandbox.account)
        )
        body = {"profileId": self.sandbox.owner.profile, "fields": {"username": username} | fields}
        answer = await self.api.post("/platforms/sandbox/connect", json=body, key=self.key)
        assert (answer.status_code, answer.json()["id"]) == (201, self.sandbox.account), answer.text

    async def patch_account(self, **fields: Any) -> None:
        answer = await self.api.patch(f"/platforms/accounts/{self.sandbox.account}", json=fields, key=self.key)
        assert answer.status_code == 200, answer.text

    async def health(self) -> str:
        path = f"/platforms/accounts/{self.sandbox.account}/health?refresh=true"
        return str((await self.api.get(path, key=self.key)).json()["status"])

    async def act(self, method: str, path: str, status: int, **options: Any) -> None:
        answer = await self.api.call(method, path, key=self.key, **options)
        assert answer.status_code == status, answer.text


async def test_every_state_of_an_account(sandbox: Sandbox) -> None:
    """And whatever waits for the account goes out when it is ready again, one word after the other."""
    walk = Walk(sandbox)
    await walk.until(walk.account, "active")

    dead, behind = await sandbox.post(text="[[fail:auth_expired]]"), await sandbox.post(text="behind it")
    await walk.until(walk.account, "needs_reauth")
    assert await walk.health() == "error", "a check does not make an expired token good"
    assert await walk.account() == "needs_reauth"
    await walk.connect()
    await walk.until(walk.account, "active")
    for post in (dead, behind):
        await walk.target_until(post, "published")

    blocked = await sandbox.post(text="[[fail:account_restricted]]")
    await walk.until(walk.account, "restricted")
    assert await walk.health() == "healthy"
    await walk.until(walk.account, "active")
    await walk.target_until(blocked, "published")

    await walk.patch_account(status="paused")
    waiting = await sandbox.post(text="when it is resumed")
    await sandbox.work()
    assert (await walk.account(), (await walk.post(waiting))["heldReason"]) == ("paused", "account")
    await walk.patch_account(status="active")
    await walk.target_until(waiting, "published")

    await walk.connect(tokenSeconds="2")
    await walk.until(walk.account, "expiring")
    await walk.until(walk.account, "needs_reauth")
    await walk.connect(tokenSeconds=str(30 * DAY))
    await walk.until(walk.account, "active")

    await walk.act("DELETE", f"/platforms/accounts/{sandbox.account}", 200)
    await walk.until(walk.account, "disconnected")
    await walk.connect()
    await walk.until(walk.account, "active")
    assert walk.accounts == set(get_args(State))


async def test_every_state_of_a_target_and_a_post(sandbox: Sandbox) -> None:
    """Except `publishing` of a target, in which the sandbox stays for no time."""
    walk = Walk(sandbox)

    post = await sandbox.post(after=DAY, text="[[transient:1]] and then well")
    assert (await walk.post(post))["status"] == "scheduled"
    await walk.act("DELETE", f"/queue/cancel/{post}", 200)
    shown = await walk.post(post)
    assert (shown["status"], shown["targets"][0]["status"]) == ("draft", "cancelled")
    await walk.act("POST", f"/queue/submit/{post}", 201, json={"scheduledAt": None})
    await sandbox.move(advanceSeconds=DAY)
    await walk.target_until(post, "retrying")
    await sandbox.move(advanceSeconds=120)
    await walk.target_until(post, "published")
    await walk.act("DELETE", f"/posts/{post}?cascade=true", 200)
    removed = "select status from target where post_id = $1"
    await walk.until(lambda: sandbox.value(removed, ids.decode("pst", post)), "removed")
    walk.targets.add("removed")

    slow = await sandbox.post(text="[[slow:300]]")
    await walk.target_until(slow, "processing")
    await walk.target_until(slow, "published")

    for marker, wanted in (
        ("timeout", ["published"]),
        ("timeout:lost", ["retrying", "published"]),
        ("timeout:forever", ["failed"]),
    ):
        lost = await sandbox.post(text=f"[[{marker}]]")
        await walk.target_until(lost, "unknown")
        await walk.look(lost, *wanted)
    await walk.act("POST", f"/posts/{lost}/retry", 201, json={"includeUnknown": True})
    assert (await walk.post(lost))["status"] == "queued"
    await walk.target_until(lost, "unknown")

    other = await sandbox.make.account(sandbox.owner)
    targets = [{"accountId": sandbox.account}, {"accountId": other["id"], "text": "[[fail:content_rejected]]"}]
    half = (await sandbox.make.post(sandbox.owner, key=walk.key, targets=targets))["id"]
    await sandbox.work_until(half, "partial")
    await walk.post(half)
    assert walk.targets == set(get_args(TargetStatus)) - {"publishing"}
    assert walk.posts == set(get_args(PostStatus))


async def test_a_test_post_breaks_no_account_that_live_posts_use(sandbox: Sandbox) -> None:
    """Neither with its words nor with a token that expires."""
    walk = Walk(sandbox)
    await _live_until_published(sandbox, await sandbox.post(text="live", key=sandbox.owner.key))
    for code in ("auth_expired", "account_restricted"):
        shown = await sandbox.work_until(await sandbox.post(text=f"[[fail:{code}]]"), "failed")
        assert shown["targets"][0]["error"]["code"] == code
        assert await walk.account() == "active"
    body = {"profileId": sandbox.owner.profile, "fields": {"username": "other", "tokenSeconds": "1"}}
    made = await sandbox.api.post("/platforms/sandbox/connect", json=body, key=sandbox.owner.test_key)
    assert made.status_code == 201
    sandbox.account = made.json()["id"]
    await sandbox.post(text="waits", key=sandbox.owner.key, scheduledAt=await sandbox.later(DAY))
    again = await sandbox.api.post("/platforms/sandbox/connect", json=body, key=sandbox.owner.test_key)
    assert (again.status_code, again.json()["code"]) == (403, "test_mode_only_sandbox")


async def test_a_test_key_repairs_an_account_that_live_posts_wait_for(sandbox: Sandbox) -> None:
    walk = Walk(sandbox)
    await sandbox.post(text="[[fail:auth_expired]]")
    await walk.until(walk.account, "needs_reauth")
    waiting = await sandbox.post(text="live", key=sandbox.owner.key)
    await walk.connect()
    await walk.until(walk.account, "active")
    await _live_until_published(sandbox, waiting)


async def _live_until_published(sandbox: Sandbox, post: str) -> None:
    async def status() -> str:
        return str((await sandbox.api.get(f"/posts/{post}", key=sandbox.owner.key)).json()["status"])

    await Walk(sandbox).until(status, "published")
