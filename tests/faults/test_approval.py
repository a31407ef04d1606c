"""A post that nobody approves does not wait for ever, and one that is approved goes out at its time."""

from datetime import timedelta
from typing import Any

import pytest
from tests.faults.hostile import HostileNetwork
from tests.faults.scene import Scene, Tenant, post_id

from signalpost.kit import clock

_PASS = """
update target set due_at = due_at - $2::interval, next_attempt_at = next_attempt_at - $2::interval where post_id = $1
"""


@pytest.fixture
async def editor(scene: Scene) -> tuple[Tenant, Tenant]:
    """An editor, whose posts wait for approval, and the owner, who decides. The window is a minute."""
    owner = await scene.tenant()
    policy = {"toleranceMinutes": 0, "minGapSeconds": 0}
    body = {"approvalRequired": True, "latePolicy": policy}
    await owner.call("PATCH", f"/profiles/{owner.login.profile}", json=body)
    login = await scene.make.member(owner.login, role="editor")
    login.profile = owner.login.profile
    return Tenant(scene, login), owner


async def _held(scene: Scene, post: str) -> Any:
    rows = await scene.query(
        "select status, held_reason, next_attempt_at from target where post_id = $1", post_id(post)
    )
    return rows[0]


@pytest.mark.parametrize("way", ["scheduled", "now", "offered again", "restored"])
async def test_a_post_that_nobody_approves_ends_with_its_window(
    scene: Scene, network: HostileNetwork, editor: tuple[Tenant, Tenant], way: str
) -> None:
    """Nothing else happens on its account: its lane wakes by itself."""
    writer, owner = editor
    account = await owner.mastodon(network)
    await scene.worker()
    soon = clock.wire(clock.now() + timedelta(seconds=1.5))
    fields = {} if way == "now" else {"scheduledAt": soon}
    post = await writer.post(account, text="never approved", **fields)
    if way == "offered again":
        await owner.call("POST", f"/posts/{post}/reject", json={"note": "shorter", "changesRequested": True})
        again = clock.wire(clock.now() + timedelta(seconds=1.5))
        await writer.call("PATCH", f"/posts/{post}", json={"text": "short", "scheduledAt": again})
    if way == "restored":
        await owner.call("DELETE", f"/posts/{post}")
        await owner.call("POST", f"/posts/{post}/restore", None)
        if (await owner.status(post))["status"] == "draft":
            return  # its time came first
    assert await scene.value("exists (select from lane where kind = 'target' and next_due_at is not null)")
    looked = "next_attempt_at > due_at + interval '2 s' from target where post_id = $1"
    await scene.until(lambda: scene.value(looked, post_id(post)), "a look at the due post")

    # The window of a minute passes: the worker looks again at its end by itself, which the test does not wait for.
    row = await _held(scene, post)
    assert (row["status"], row["held_reason"]) == ("pending", "approval")
    assert row["next_attempt_at"] <= clock.now() + timedelta(seconds=61)
    await scene.query(_PASS, post_id(post), timedelta(minutes=2))
    await scene.query("update lane set next_due_at = now() where kind = 'target'")
    status = await owner.ends(post)
    assert status["targets"][0]["error"]["code"] == "missed_window"
    assert network.calls == []


async def test_a_late_approval_within_the_window_publishes(
    scene: Scene, network: HostileNetwork, editor: tuple[Tenant, Tenant]
) -> None:
    writer, owner = editor
    account = await owner.mastodon(network)
    await scene.worker()
    post = await writer.post(
        account, text="approved late", scheduledAt=clock.wire(clock.now() + timedelta(seconds=1.5))
    )
    looked = "next_attempt_at > due_at + interval '2 s' from target where post_id = $1"
    await scene.until(lambda: scene.value(looked, post_id(post)), "a look at the due post")
    assert network.calls == []
    await owner.call("POST", f"/posts/{post}/approve")
    await owner.ends(post, "published")
    assert network.public() == ["approved late"]


async def test_an_early_approval_publishes_in_time(
    scene: Scene, network: HostileNetwork, editor: tuple[Tenant, Tenant]
) -> None:
    writer, owner = editor
    account = await owner.mastodon(network)
    await scene.worker()
    at = clock.now() + timedelta(seconds=3)
    post = await writer.post(account, text="approved", scheduledAt=clock.wire(at))
    await owner.call("POST", f"/posts/{post}/approve")
    await owner.ends(post, "published")
    assert at.timestamp() - 0.01 <= network.posts[0].at < at.timestamp() + 60, "its window is a minute"
