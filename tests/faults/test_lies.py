"""A network answers each call with the worst bytes that it may send: nothing of ours holds the loop, nothing breaks."""

import itertools
from collections.abc import Callable
from functools import partial

import pytest
from tests.faults.hostile import HostileNetwork
from tests.faults.scene import Scene, Tenant, sizes
from tests.helpers.steps import Steps

from signalpost.kit.http.responses import JSON_BYTES_MAX
from signalpost.networks.connectors.bluesky.identity import DOCUMENT_BYTES_MAX
from signalpost.networks.connectors.mastodon import find

DIRECTORY = "GET /did:plc:"
SIZES = {"/statuses?": find.PAGE_BYTES_MAX, DIRECTORY: DOCUMENT_BYTES_MAX}
CALLS = {
    "mastodon": (
        "verify_credentials", "/api/v2/instance", "POST /api/v1/statuses", "/statuses?", "DELETE /api/v1/statuses",
        "/oauth/revoke",
    ),
    "bluesky": (
        "createSession", DIRECTORY, "refreshSession", "createRecord", "getRecord", "deleteRecord", "deleteSession",
    ),
}  # fmt: skip


Lie = Callable[[int], bytes]


def _full(piece: str, start: str = "", end: str = "") -> Lie:
    return lambda size: (start + piece * ((size - len(start) - len(end)) // len(piece.encode())) + end).encode()


LIES: dict[str, Lie] = {
    "lists": _full("[],", "[", "[]]"),
    "statuses": _full('{"id":"1","content":"<p>&#9<a b=<"},', "[", "{}]"),
    "too much": lambda size: b"eyJ." * (size // 2),
    "members": _full('"a":{},', "{", '"b":1}'),
    "numbers": _full("1e308,", '{"id":[', "1]}"),
    "letters": _full("a", '{"id":"', '","uri":"at://x/y/z","error":"x"}'),
    "tags": _full("<a b=", '[{"id":"1","created_at":"2026-01-01T00:00:00Z","content":"', '"}]'),
    "families": _full("\U0001f469\u200d", '{"error":"', '"}'),
    "deep": lambda size: b"[" * (size // 2) + b"]" * (size // 2),
    "nothing": lambda _size: b"",
    "no text": lambda size: b"\xff\x00" * (size // 2),
}


async def _live(scene: Scene, tenant: Tenant, network: HostileNetwork, platform: str, name: str) -> None:
    """Everything that can happen to an account: connect, publish, look, remove, check, disconnect."""
    assert scene.context.engine is not None
    lie = network.lie
    network.lie = scene.directory.lie = None
    network.knows_keys = lie is None or lie[0] != "/statuses?"  # otherwise it need not look
    connect, credentials = f"/platforms/{platform}/connect", _credentials(tenant, network, name)
    if lie and lie[0] in ("verify_credentials", "/api/v2/instance", "createSession", DIRECTORY):
        network.lie = scene.directory.lie = lie
        refused = await tenant.call("POST", connect, None, json=credentials)
        assert refused.get("code") != "internal_error", refused
        network.lie = scene.directory.lie = None
    connected = await tenant.call("POST", connect, 201, json=credentials)
    network.access_seconds, network.lie, scene.directory.lie = 3600.0, lie, lie
    if lie and lie[0] in ("/statuses?", "getRecord"):
        network.loses = 1.0  # so that it looks for the post
    post = await tenant.post(connected["id"], text=f"{name} @bob.test")
    for _ in range(2):
        await scene.context.engine.tick(50)
        await scene.skip_wait()
    network.loses = 0.0
    error = (await tenant.target(post))["error"] or {}
    assert error.get("code") != "internal_error", (lie and lie[0], error)
    account = f"/platforms/accounts/{connected['id']}"
    checked = await tenant.call("GET", f"{account}/health?refresh=true", None)
    assert checked.get("code") != "internal_error", checked
    await tenant.call("DELETE", f"/posts/{post}?cascade=true", None)
    await scene.context.engine.tick(50)
    assert (await tenant.call("DELETE", account))["status"] == "disconnected"


def _credentials(tenant: Tenant, network: HostileNetwork, name: str) -> dict[str, object]:
    fields = {"instanceUrl": network.url, "accessToken": f"tok-{name}"}
    if network.access_seconds < 3600:
        tenant.scene.directory.add(f"{name}.test", network.url)
        fields = {"identifier": f"{name}.test", "appPassword": "abcd-abcd-abcd-abcd", "service": network.url}
    return {"profileId": tenant.login.profile, "fields": fields}


@sizes("lies", quick=("lists", "statuses", "too much"), heavy=tuple(LIES))
@pytest.mark.parametrize("platform", CALLS)
async def test_no_answer_of_a_network_holds_the_loop(
    scene: Scene, steps: Steps, monkeypatch: pytest.MonkeyPatch, platform: str, lies: tuple[str, ...]
) -> None:
    monkeypatch.setattr(find, "TOO_EARLY_SECONDS", 0)
    tenant, unheard, names = await scene.tenant(), [], itertools.count()

    async def live(call: str, status: int, body: bytes) -> None:
        async with HostileNetwork() as network:  # another server each time: broken ones are left alone
            if platform == "bluesky":  # its access token has to be renewed at once
                network.access_seconds = 1.0
            network.lie = (call, status, body)
            await _live(scene, tenant, network, platform, f"a{next(names)}")
            told, scene.directory.lies = network.lies + scene.directory.lies, 0
            if not told:
                unheard.append((call, status, body[:20]))

    for call in CALLS[platform]:
        size = SIZES.get(call, JSON_BYTES_MAX)
        for number, lie in enumerate(lies):
            for status in (200, 400) if len(lies) > 3 else (200 + 200 * (number % 2),):
                await steps.during(partial(live, call, status, LIES[lie](size)))
                assert steps == [], (call, lie, status)
    assert scene.context.engine is not None
    await scene.context.engine.stop(5)
    assert unheard == [], f"calls that were never made: {unheard}"
