"""A network, or what stands before it, refuses a post. Nothing was created: the next try is the first one again."""

from typing import Any

import pytest
from tests.faults.hostile import HostileNetwork
from tests.faults.scene import Scene, Tenant

_BLOCKED = b"<html><body>Request blocked. Ray ID: 8a1</body></html>"
_BUSY = {"error": "There was a temporary problem serving your request, please try again"}
REFUSALS: dict[str, tuple[str, tuple[int, Any]]] = {
    "mastodon": ("POST /api/v1/statuses", (422, {"error": "Validation failed: Text can't be blank"})),
    "bluesky": ("createRecord", (400, {"error": "InvalidRequest", "message": "Invalid record"})),
}


async def _tick(scene: Scene) -> None:
    assert scene.context.engine is not None
    await scene.context.engine.tick(50)


async def _account(tenant: Tenant, network: HostileNetwork, platform: str = "mastodon") -> str:
    return await (tenant.bluesky if platform == "bluesky" else tenant.mastodon)(network)


@pytest.mark.parametrize("platform", REFUSALS)
async def test_a_refused_post_is_published_by_a_retry_at_once(
    scene: Scene, network: HostileNetwork, platform: str
) -> None:
    """Nobody has to find out first what became of the refused call."""
    call, refusal = REFUSALS[platform]
    tenant = await scene.tenant()
    account = await _account(tenant, network, platform)
    network.refuses = {call: refusal}
    post = await tenant.post(account, text="refused")
    await _tick(scene)
    assert (await tenant.target(post))["error"]["code"] == "content_rejected"

    network.refuses, network.lookups = {}, 0
    await tenant.call("POST", f"/posts/{post}/retry", 201)
    await _tick(scene)
    assert (await tenant.status(post))["status"] == "published"
    assert (network.public(), network.lookups) == (["refused"], 0)


async def test_a_server_that_declines_again_and_again_leaves_no_doubt(scene: Scene, network: HostileNetwork) -> None:
    """Each answer says that nothing was created, so no try is of unknown outcome."""
    tenant = await scene.tenant()
    post = await tenant.post(await _account(tenant, network), text="declined")
    network.refuses = {"POST /api/v1/statuses": (503, _BUSY)}
    for _ in range(3):
        await _tick(scene)
        target = await tenant.target(post)
        assert (target["status"], target["error"]["code"]) == ("retrying", "platform_unavailable")
        await scene.skip_wait()

    network.refuses = {}
    await _tick(scene)
    assert (network.public(), network.lookups) == (["declined"], 0)


async def test_a_firewall_says_nothing_of_the_account(scene: Scene, network: HostileNetwork) -> None:
    """Its page may even stand in for the answer to a post that was created, so that is looked for."""
    tenant = await scene.tenant()
    account = await _account(tenant, network)
    network.lie = ("/api/v1/", 403, _BLOCKED)
    post = await tenant.post(account, text="behind a firewall")
    await _tick(scene)
    health = await tenant.call("GET", f"/platforms/accounts/{account}/health?refresh=true")
    assert (health["accountStatus"], health["issues"][0]["code"]) == ("active", "check_failed")
    target = await tenant.target(post)
    assert (target["status"], target["error"]["code"]) == ("unknown", "outcome_unknown")
    assert "firewall" in target["error"]["message"]

    fields = {"instanceUrl": network.url, "accessToken": "tok-bob"}
    body = {"profileId": tenant.login.profile, "fields": fields}
    refused = await tenant.call("POST", "/platforms/mastodon/connect", 502, json=body)
    assert refused["code"] == "platform_error"
