"""A thread that went out in part: whatever a user does then, no part is public twice, and none is forgotten."""

import asyncio

import pytest
from tests.faults import sabotage
from tests.faults.hostile import BUSY, REFUSES, Behaviour, HostileNetwork, slow
from tests.faults.scene import Scene, Tenant, sizes

PARTS = ("first", "second", "third")
SOME = (1, 2)


async def _thread(tenant: Tenant, account: str) -> str:
    first, *rest = PARTS
    return await tenant.post(account, text=first, thread=[{"text": text} for text in rest])


async def _stopped(scene: Scene, network: HostileNetwork, public: int, *, final: bool) -> tuple[Tenant, str, str]:
    """A thread of three with so many parts public; the next was refused, or (not final) is being tried again."""
    tenant = await scene.tenant()
    account = await tenant.mastodon(network, "alice")
    network.on(PARTS[public], REFUSES if final else BUSY)
    await scene.worker(sabotage.short_waits, sabotage.short_looks)
    post = await _thread(tenant, account)

    async def stopped() -> bool:
        target = (await tenant.status(post))["targets"][0]
        return bool(target["status"] == ("failed" if final else "retrying"))

    await scene.until(stopped, "stopped thread")
    assert network.public() == list(PARTS[:public])
    return tenant, account, post


@pytest.mark.parametrize("public", [0, *SOME])
@pytest.mark.parametrize("again", ["/posts/{}/retry", "/queue/submit/{}"], ids=["retry", "submit"])
async def test_a_corrected_part_continues_the_thread(
    scene: Scene, network: HostileNetwork, public: int, again: str
) -> None:
    """Edit the refused part and retry or submit, as the error tells the user to."""
    tenant, _, post = await _stopped(scene, network, public, final=True)
    corrected = [*PARTS[:public], "corrected", *PARTS[public + 1 :]]
    await tenant.call(
        "PATCH", f"/posts/{post}", json={"text": corrected[0], "thread": [{"text": text} for text in corrected[1:]]}
    )
    await tenant.call("POST", again.format(post), 201, json={})
    await tenant.ends(post, "published")

    assert network.public() == corrected
    assert [made.parent for made in network.made()] == [None, *[made.remote_id for made in network.made()[:-1]]]


@pytest.mark.parametrize("public", SOME)
async def test_a_public_part_cannot_be_changed(scene: Scene, network: HostileNetwork, public: int) -> None:
    tenant, _, post = await _stopped(scene, network, public, final=True)
    changed = ["changed" if index == public - 1 else text for index, text in enumerate(PARTS)]
    body = {"text": changed[0], "thread": [{"text": text} for text in changed[1:]]}
    problem = await tenant.call("PATCH", f"/posts/{post}", 409, json=body)

    assert problem["code"] == "invalid_state"
    assert str(public) in problem["detail"] or problem.get("errors"), problem
    network.on(PARTS[public], None)
    await tenant.call("POST", f"/posts/{post}/retry", 201, json={})
    await tenant.ends(post, "published")
    assert network.public() == list(PARTS)


@pytest.mark.parametrize("public", SOME)
async def test_a_cancelled_thread_tells_its_public_parts(scene: Scene, network: HostileNetwork, public: int) -> None:
    """It ends failed, never cancelled or draft, and names what is public."""
    tenant, _, post = await _stopped(scene, network, public, final=False)
    await tenant.call("DELETE", f"/queue/cancel/{post}", None)
    status = await tenant.ends(post)
    target = await tenant.target(post)

    assert (status["status"], target["status"]) == ("failed", "failed")
    assert target["url"]
    assert len(target["threadIds"]) == public - 1
    assert network.public() == list(PARTS[:public])
    await tenant.call("DELETE", f"/posts/{post}?cascade=true")
    await scene.until(lambda: network.public() == [], "removal of what was public")


async def test_a_cancelled_thread_of_which_nothing_is_public_is_a_draft(scene: Scene, network: HostileNetwork) -> None:
    tenant, _, post = await _stopped(scene, network, 0, final=False)
    cancelled = await tenant.call("DELETE", f"/queue/cancel/{post}", None)
    assert (await tenant.status(post))["status"] == "draft"
    assert cancelled["cancelledTargets"] == 1
    network.on(PARTS[0], None)
    await tenant.call("POST", f"/queue/submit/{post}", 201)
    await tenant.ends(post, "published")
    assert network.public() == list(PARTS)


@pytest.mark.parametrize("public", SOME)
async def test_what_was_removed_is_published_anew_by_a_retry(
    scene: Scene, network: HostileNetwork, public: int
) -> None:
    tenant, _, post = await _stopped(scene, network, public, final=True)
    await tenant.call("DELETE", f"/posts/{post}?cascade=true")
    await scene.until(lambda: network.public() == [], "removal of what was public")
    await tenant.call("POST", f"/posts/{post}/restore", None)

    async def told() -> bool:
        return (await tenant.target(post))["url"] is None

    await scene.until(told, "the removal told")
    network.on(PARTS[public], None)
    await tenant.call("POST", f"/posts/{post}/retry", 201, json={})
    await tenant.ends(post, "published")
    assert network.public() == list(PARTS)


@pytest.mark.parametrize("public", [0, *SOME])
async def test_a_disconnected_account_is_told_its_public_parts(
    scene: Scene, network: HostileNetwork, public: int
) -> None:
    """While a part is being tried again the account is disconnected; connected again, the thread goes on."""
    tenant, account, post = await _stopped(scene, network, public, final=False)
    affected = await tenant.call("DELETE", f"/platforms/accounts/{account}")
    target = await tenant.target(post)
    assert affected["affectedPosts"] == 1
    assert (target["status"], target["error"]["code"]) == ("failed", "account_disconnected")
    assert bool(target["url"]) == (public > 0)
    assert len(target["threadIds"]) == max(public - 1, 0)

    assert await tenant.mastodon(network, "alice") == account
    network.on(PARTS[public], None)
    await tenant.call("POST", f"/posts/{post}/retry", 201, json={})
    await tenant.ends(post, "published")
    assert network.public() == list(PARTS)


@pytest.mark.parametrize("public", [0, *SOME])
async def test_trash_with_cascade_removes_the_public_parts(scene: Scene, network: HostileNetwork, public: int) -> None:
    tenant, _, post = await _stopped(scene, network, public, final=True)
    await tenant.call("DELETE", f"/posts/{post}?cascade=true")
    await scene.until(lambda: network.public() == [], "removal of what was public")
    assert len(network.made()) == public


@pytest.mark.parametrize("public", [0, 1, 2])
@pytest.mark.parametrize("final", [True, False], ids=["failed", "retrying"])
async def test_a_restored_thread_goes_on(scene: Scene, network: HostileNetwork, public: int, final: bool) -> None:
    """Trash it without touching the network, restore it, and have it published: each part is public once."""
    tenant, _, post = await _stopped(scene, network, public, final=final)
    await tenant.call("DELETE", f"/posts/{post}")
    await tenant.call("POST", f"/posts/{post}/restore", None)
    network.on(PARTS[public], None)
    again = "retry" if (await tenant.status(post))["status"] == "failed" else None
    path = f"/posts/{post}/retry" if again else f"/queue/submit/{post}"
    await tenant.call("POST", path, 201, json={})
    await tenant.ends(post, "published")

    assert network.public() == list(PARTS)


@sizes("seconds", quick=0.4, heavy=2.0)
async def test_nothing_goes_out_after_a_disconnect(scene: Scene, network: HostileNetwork, seconds: float) -> None:
    """The account is disconnected while a thread goes out: what is called after the answer is nothing."""
    tenant = await scene.tenant()
    account = await tenant.mastodon(network, "alice")
    answered = asyncio.Event()
    network.on("", slow(seconds))
    network.on("second", Behaviour(seconds=seconds, waits_for=answered))
    await scene.worker(sabotage.short_waits)
    post = await _thread(tenant, account)
    await scene.until(lambda: network.posts, "first part")
    affected = await tenant.call("DELETE", f"/platforms/accounts/{account}")
    called = len(network.calls)
    answered.set()
    status = await tenant.ends(post)

    assert len(network.calls) <= called + 1, "at most the call whose intent was written before the answer"
    assert status["status"] == "failed"
    assert status["targets"][0]["error"]["code"] == "account_disconnected"
    assert affected["affectedPosts"] == 1
    assert (await tenant.target(post))["url"]
