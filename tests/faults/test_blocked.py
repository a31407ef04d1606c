"""A network blocks an account, or its owner does, while posts wait: the right state, what to do, nothing lost."""

from datetime import timedelta
from typing import Any

import pytest
from tests.faults.hostile import HostileNetwork
from tests.faults.scene import Scene, Tenant, account_id

from signalpost import events
from signalpost.accounts.moves import UPKEEP
from signalpost.accounts.work import RECHECK, RECHECK_DUE
from signalpost.engine.contract import TickReport
from signalpost.main import wiring

_TAKEDOWN = {"error": "AccountTakedown", "message": "Account has been taken down"}
_SUSPENDED = {"error": "AccountSuspended", "message": "Account has been suspended"}
_DEACTIVATED = {"error": "AccountDeactivated", "message": "Account is deactivated"}
_REVOKED = {"error": "ExpiredToken", "message": "Token has been revoked"}
_DISABLED = {"error": "Your login is currently disabled"}
_REVOKED_TOKEN = {"error": "The access token was revoked"}
_WITHOUT_USER = {"error": "This method requires an authenticated user"}

Refusals = dict[str, tuple[int, Any]]
# What the network answers by then, what the account becomes, and what its owner reads of the network.
BLOCKS: dict[str, tuple[str, Refusals, str, str]] = {
    "taken down": ("bluesky", {"/xrpc/": (401, _TAKEDOWN)}, "restricted", "taken down"),
    "suspended": ("bluesky", {"/xrpc/": (401, _SUSPENDED)}, "restricted", "suspended"),
    "taken down, its tokens revoked": (
        "bluesky",
        {"refreshSession": (400, _REVOKED), "createSession": (401, _TAKEDOWN)},
        "restricted",
        "taken down",
    ),
    "deactivated by its owner": (
        "bluesky",
        {"repo.": (401, _DEACTIVATED), "getSession": (200, {"active": False, "status": "deactivated"})},
        "restricted",
        "deactivated",
    ),
    "disabled": ("mastodon", {"/api/v1/": (403, _DISABLED)}, "restricted", "currently disabled"),
    "shown as suspended": (
        "mastodon",
        {"/statuses": (403, _DISABLED), "verify_credentials": (200, {"id": "a", "username": "a", "suspended": True})},
        "restricted",
        "currently disabled",
    ),
    "revoked": ("mastodon", {"/api/v1/": (401, _REVOKED_TOKEN)}, "needs_reauth", "revoked"),
    "without its user": ("mastodon", {"/api/v1/": (422, _WITHOUT_USER)}, "needs_reauth", "authenticated user"),
}


@pytest.mark.parametrize("block", BLOCKS)
async def test_a_blocked_account_loses_nothing(scene: Scene, block: str) -> None:
    """Its access token is old, so that Bluesky's has to be renewed first."""
    platform, refusals, status, message = BLOCKS[block]
    async with HostileNetwork(access_seconds=1.0) as network:
        tenant = await scene.tenant()
        account = await (tenant.bluesky if platform == "bluesky" else tenant.mastodon)(network)
        post = await tenant.post(account, text="waiting")
        network.refuses = refusals
        await _tick(scene)

        target = await tenant.target(post)
        code = "account_restricted" if status == "restricted" else "auth_expired"
        assert (target["status"], target["error"]["code"]) == ("retrying", code)
        (warning,) = (await tenant.call("GET", f"/posts/{post}"))["warnings"]
        assert ("health?refresh=true" if status == "restricted" else "auth-url") in warning["remediation"]
        health = await _health(tenant, account)
        assert health["accountStatus"] == status
        (shown,) = (await tenant.call("GET", "/platforms/accounts"))["data"]
        assert (shown["status"], message in shown["statusReason"]) == (status, True), shown["statusReason"]
        assert network.made() == []

        network.refuses = {}
        assert (await _health(tenant, account))["accountStatus"] == "active"
        await scene.skip_wait()
        network.lookups = 0
        await _tick(scene)
        assert (await tenant.status(post))["status"] == "published"
        assert (network.public(), network.lookups) == (["waiting"], 0)
        assert await scene.value("status from account") == "active"


@pytest.mark.parametrize("block", ["suspended", "shown as suspended"])
async def test_a_blocked_account_is_not_connected(scene: Scene, network: HostileNetwork, block: str) -> None:
    platform, refusals, _, _ = BLOCKS[block]
    tenant, network.refuses = await scene.tenant(), refusals
    fields = {"identifier": "alice.test", "appPassword": "abcd-abcd-abcd-abcd", "service": network.url}
    if platform == "mastodon":
        fields = {"instanceUrl": network.url, "accessToken": "tok-alice"}
    body = {"profileId": tenant.login.profile, "fields": fields}
    refused = await tenant.call("POST", f"/platforms/{platform}/connect", 422, json=body)
    assert "suspended" in refused["errors"][0]["message"]


async def test_upkeep_goes_on_after_a_block(scene: Scene) -> None:
    """The token is due for renewal while the network blocks the account."""
    async with HostileNetwork() as network:
        tenant = await scene.tenant()
        account = await tenant.bluesky(network)
        network.refuses = {"/xrpc/": (401, _TAKEDOWN)}
        await scene.query("update account set upkeep_at = now() - interval '1 minute'")
        await scene.query("update job set next_attempt_at = now() where kind = $1", UPKEEP)
        await scene.query("update lane set next_due_at = now() where kind = 'job'")
        await _tick(scene)
        assert await scene.value("status from account where id = $1", account_id(account)) == "restricted"

        network.refuses = {}
        assert (await _health(tenant, account))["accountStatus"] == "active"
        await _tick(scene)
        due = "next_attempt_at from job where kind = $1 and next_attempt_at is not null"
        assert await scene.value(due, UPKEEP) is not None


async def test_an_account_returns_by_itself_when_its_network_lifts_the_block(scene: Scene) -> None:
    """Nobody looks at its health; its post waits, and the network is not asked about the account again and again."""
    async with HostileNetwork(access_seconds=1.0) as network:
        await wiring.prepare(scene.context)
        tenant = await scene.tenant()
        account = await tenant.bluesky(network)
        network.refuses = {"/xrpc/": (401, _TAKEDOWN)}
        post = await tenant.post(account, text="waiting")
        await _tick(scene)
        assert await scene.value("status from account") == "restricted"
        seen: list[Any] = []

        async def ready(_context: Any, _db: Any, emitted: Any) -> None:
            seen.extend(emitted)

        scene.context.subscribe(events.AccountReady, ready)
        checked = "count(*) from account where last_checked_at > now() - interval '5 minutes'"
        for hours, looks in ((0.5, 0), (0.7, 1), (0.2, 0), (1.1, 1)):
            reports = await _pass_hours(scene, hours)
            assert await scene.value(checked) == looks, reports
        assert (await scene.value("status from account"), seen) == ("restricted", [])

        network.refuses = {}
        await _pass_hours(scene, 1.1)
        assert await scene.value("status from account") == "active"
        assert len(seen) == 1
        await scene.skip_wait()
        await _tick(scene)
        assert (await tenant.status(post))["status"] == "published"


async def _pass_hours(scene: Scene, hours: float) -> list[TickReport]:
    """Have the account be restricted, and checked, that much longer ago; then run what is due, and what follows."""
    passed = "updated_at = updated_at - $1::interval, last_checked_at = last_checked_at - $1::interval"
    await scene.query(f"update account set {passed}", timedelta(hours=hours))
    reports = []
    for kind in (RECHECK_DUE, RECHECK):
        await scene.query("update job set next_attempt_at = now() where kind = $1", kind)
        await scene.query("update lane set next_due_at = now() where kind = 'job'")
        reports.append(await _tick(scene))
    return reports


async def _tick(scene: Scene) -> TickReport:
    assert scene.context.engine is not None
    return await scene.context.engine.tick(50)


async def _health(tenant: Tenant, account: str) -> Any:
    return await tenant.call("GET", f"/platforms/accounts/{account}/health?refresh=true")
