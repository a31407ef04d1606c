"""`GET /metrics` shows how busy an instance is, so it is not for everyone."""

import re
import socket
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from tests.counterparts.tools import free_port
from tests.helpers.api import check
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.kit.db import Database
from signalpost.main import app, metrics
from signalpost.web.app import Application

TOKEN = "metrics-token-of-the-tests-ä"


_applications: dict[str | None, Application] = {}


def application(context: AppContext, metrics_token: str | None) -> Application:
    """The application with this token; created once, since that takes a quarter of a second."""
    if metrics_token not in _applications:
        changed = replace(context, settings=replace(context.settings, metrics_token=metrics_token))
        _applications[metrics_token] = app.create(changed)
    return _applications[metrics_token]


async def get(
    context: AppContext, peer: str, headers: dict[str, str] | None = None, metrics_token: str | None = None
) -> httpx.Response:
    transport = httpx.ASGITransport(app=application(context, metrics_token), client=(peer, 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test") as client:
        encoded = {name: value.encode() for name, value in (headers or {}).items()}
        response = await client.get("/metrics", headers=encoded)
    check(response)
    return response


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
async def test_clients_on_the_same_machine_may_read_it(context: AppContext, peer: str) -> None:
    response = await get(context, peer)

    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain; version=")
    assert response.headers["cache-control"] == "no-store"
    assert "# TYPE signalpost_engine_items_claimed_total counter" in response.text
    assert "# TYPE signalpost_engine_lag_seconds histogram" in response.text


@pytest.mark.parametrize("peer", ["192.0.2.7", "2001:db8::1", "::ffff:192.0.2.7", "10.0.0.1", "unknown"])
async def test_for_everyone_else_there_is_nothing(context: AppContext, peer: str) -> None:
    response = await get(context, peer)

    assert response.status_code == 404
    assert response.json()["code"] == "not_found"


@pytest.mark.parametrize(
    "header",
    [{"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1"}, {"X-Real-IP": "127.0.0.1"}, {"Via": "1.1 x"}],
)
async def test_a_reverse_proxy_on_the_same_machine_is_not_the_client(
    context: AppContext, header: dict[str, str]
) -> None:
    """Otherwise the whole internet could read it through the proxy."""
    assert (await get(context, "127.0.0.1", header)).status_code == 404


async def test_whoever_has_the_token_may_read_it_from_anywhere(context: AppContext) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "X-Forwarded-For": "192.0.2.7"}

    assert (await get(context, "192.0.2.7", headers, metrics_token=TOKEN)).status_code == 200


@pytest.mark.parametrize("authorization", [None, "Bearer wrong", f"Basic {TOKEN}", "Bearer", f"Bearer {TOKEN}x"])
async def test_without_the_token_it_is_a_401(context: AppContext, authorization: str | None) -> None:
    headers = {"Authorization": authorization} if authorization else {}

    response = await get(context, "192.0.2.7", headers, metrics_token=TOKEN)

    assert response.status_code == 401
    assert response.headers["www-authenticate"] == "Bearer"
    assert TOKEN not in response.text


async def test_guessing_the_token_is_rate_limited(context: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.monotonic()  # every two seconds one more would be allowed
    monkeypatch.setattr(clock, "monotonic", lambda: now)
    transport = httpx.ASGITransport(app=app.create(context), client=("192.0.2.8", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test") as client:
        statuses = [(await client.get("/metrics")).status_code for _ in range(31)]

    assert statuses == [404] * 30 + [429]


async def test_another_method_is_refused(context: AppContext) -> None:
    transport = httpx.ASGITransport(app=app.create(context), client=("127.0.0.1", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test") as client:
        assert (await client.post("/metrics")).status_code == 405
        assert (await client.head("/metrics")).status_code == 200


async def test_a_process_without_the_api_serves_it_on_a_port_of_its_own() -> None:
    port = free_port()

    with metrics.own_port(port):
        async with httpx.AsyncClient(timeout=60) as client:
            response = await client.get(f"http://127.0.0.1:{port}/metrics")
            foreign = {"Host": f"rebind.example:{port}"}
            misdirected = await client.get(f"http://127.0.0.1:{port}/metrics", headers=foreign)

    assert (misdirected.status_code, "signalpost" in misdirected.text) == (421, False)
    assert response.status_code == 200
    assert "signalpost_engine_items_claimed" in response.text


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ({}, 401), ({"Authorization": "Bearer wrong"}, 401), ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Authorization": f"Bearer {TOKEN}"}, 200), ({"Authorization": f"Bearer {TOKEN}", "Host": "pod.example"}, 200),
    ],
)  # fmt: skip
async def test_from_another_machine_that_port_wants_the_token(header: dict[str, str], status: int) -> None:
    """An address of this machine that is not loopback stands for another machine."""
    port, address = free_port(), own_address()

    with metrics.own_port(port, "0.0.0.0", TOKEN):
        async with httpx.AsyncClient(timeout=60) as client:
            response = await client.get(
                f"http://{address}:{port}/metrics", headers={name: value.encode() for name, value in header.items()}
            )

    assert response.status_code == status
    assert ("signalpost_engine_items_claimed" in response.text) == (status == 200)


def own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent
        return str(probe.getsockname()[0])


async def test_accounts_and_outcomes_that_wait_are_counted(context: AppContext, make: Make, database: Database) -> None:
    """Of the whole installation. What waits for next week is not what the network is asked about."""

    async def read() -> dict[str, float]:
        page = (await get(context, "127.0.0.1")).text
        found = re.findall(r'^signalpost_(?:accounts\{status="(\w+)"\}|outcomes_waiting) (\S+)$', page, re.MULTILINE)
        return {status or "waiting": float(value) for status, value in found}

    before = await read()
    owner = await make.owner()
    first, second = [await make.account(owner) for _ in range(2)]
    post = await make.post(owner, scheduledAt=clock.wire(clock.now() + timedelta(days=7)))
    post_id = ids.decode("pst", post["id"])
    async with database.transaction() as db:
        await db.execute("update account set status = 'needs_reauth' where id = $1", ids.decode("acc", first["id"]))
        changed = await db.fetch(
            "update target set status = 'unknown', next_attempt_at = now() + interval '50 minutes'"
            " where post_id = $1 and account_id = $2 returning account_id",
            post_id,
            ids.decode("acc", second["id"]),
        )
        await db.execute(
            "update lane set next_due_at = now() + interval '50 minutes' where key = any($1)",
            [row[0] for row in changed],
        )
    after = await read()
    async with database.transaction() as db:
        await db.execute("update target set status = 'cancelled', next_attempt_at = null where post_id = $1", post_id)

    assert {name: after[name] - before[name] for name in after} == {
        "active": 1, "needs_reauth": 1, "expiring": 0, "restricted": 0, "paused": 0, "waiting": 1,
    }  # fmt: skip


async def test_the_guide_lists_every_metric_of_the_service(context: AppContext) -> None:
    page = (await get(context, "127.0.0.1")).text
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "monitor.md").read_text()

    assert set(re.findall(r"^# TYPE (signalpost_\w+)(?<!_created) ", page, re.MULTILINE)) == set(
        re.findall(r"^\| `(signalpost_\w+)`", guide, re.MULTILINE)
    )
