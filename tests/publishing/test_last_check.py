"""A frozen worker that wakes with a connection in its hands sends nothing once another may have taken the target."""

import asyncio
from typing import Any, cast

import pytest
from tests.helpers.http_servers import OK, Connection, answering, serve

from signalpost.engine.clock import boottime
from signalpost.engine.contract import LeaseLost
from signalpost.engine.lease import LaneLease
from signalpost.engine.position import Position
from signalpost.kit import ids
from signalpost.kit.http import Client
from signalpost.publishing.journal import RecordingHttp, TargetJournal
from signalpost.publishing.work import TargetSource


def lease_of(seconds: float) -> LaneLease:
    """A lease that may be relied on for so long, unless it is renewed; the real one ends a second later."""
    row: Any = {"key": ids.new_id(), "fence": 1, "tenant_id": None, "workspace_id": None, "platform": None}
    lease = LaneLease(cast(Any, TargetSource), cast(Any, None), row, ids.new_id(), 0, Position())
    lease.fresh_until = boottime() + seconds + 1
    return lease


def journal_of(lease: LaneLease, *, intent: Any) -> TargetJournal:
    journal = TargetJournal.__new__(TargetJournal)
    journal._lease, journal.intent, journal.tokens = cast(Any, lease), intent, None
    journal._attempt = cast(Any, type("Attempt", (), {"unwritten": {}}))
    return journal


@pytest.mark.parametrize(("intent", "sent"), [("part:0", 0), (None, 1)])
async def test_the_lease_is_checked_right_before_the_bytes(intent: Any, sent: int) -> None:
    """It expires while the connection is opened."""
    lease = lease_of(10)

    async def lookup(_: str) -> list[str]:
        lease.fresh_until = 0
        return ["127.0.0.1"]

    async with serve(answering(OK)) as server, Client(["127.0.0.1"], lookup=lookup) as client:
        http = RecordingHttp(client, journal_of(lease, intent=intent))
        address = server.url.replace("127.0.0.1", "network.example")
        if sent:
            await http.request("POST", address, json={})
        else:
            with pytest.raises(LeaseLost):
                await http.request("POST", address, json={})

    assert (server.accepted, len(server.requests)) == (1, sent)


async def answer_late(connection: Connection) -> None:
    await connection.request()
    await asyncio.sleep(1.3)
    await connection.send(OK)


@pytest.mark.parametrize("renewed", [True, False])
async def test_a_call_that_may_create_something_ends_before_the_lease(renewed: bool) -> None:
    """A server that takes longer than what is left: the call goes on only if the lease is renewed meanwhile."""
    lease = lease_of(1.0)
    expires_at = lease.fresh_until
    async with serve(answer_late) as server, Client(["127.0.0.1"]) as client:
        http = RecordingHttp(client, journal_of(lease, intent="part:0"))
        call = asyncio.create_task(http.request("POST", server.url, json={}))
        if renewed:
            await asyncio.sleep(0)
            lease.fresh_until += 10
            assert (await call).status == 200
        else:
            with pytest.raises(LeaseLost):
                await call
            assert boottime() < expires_at


async def test_a_call_that_creates_nothing_needs_no_lease() -> None:
    async with serve(answer_late) as server, Client(["127.0.0.1"]) as client:
        http = RecordingHttp(client, journal_of(lease_of(0.1), intent=None))
        assert (await http.request("GET", server.url)).status == 200
