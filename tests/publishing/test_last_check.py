"""A frozen worker that wakes with a connection in its hands sends nothing once another may have taken the target."""

from typing import Any, cast

import pytest
from tests.helpers.http_servers import OK, answering, serve

from signalpost.engine.contract import LeaseLost
from signalpost.kit.http import Client
from signalpost.publishing.journal import RecordingHttp, TargetJournal


class Lease:
    """A lease that expires while the connection is opened."""

    expired = False

    def ensure_fresh(self) -> None:
        if self.expired:
            raise LeaseLost


def journal_of(lease: Lease, *, intent: Any) -> TargetJournal:
    journal = TargetJournal.__new__(TargetJournal)
    journal._lease, journal.intent = cast(Any, lease), intent
    journal._attempt = cast(Any, type("Attempt", (), {"unwritten": {}}))
    return journal


@pytest.mark.parametrize(("intent", "sent"), [("part:0", 0), (None, 1)])
async def test_the_lease_is_checked_right_before_the_bytes(intent: Any, sent: int) -> None:
    lease = Lease()

    async def lookup(_: str) -> list[str]:
        lease.expired = True
        return ["127.0.0.1"]

    async with serve(answering(OK)) as server, Client(["127.0.0.1"], lookup=lookup) as client:
        http = RecordingHttp(client, {}, journal_of(lease, intent=intent))
        address = server.url.replace("127.0.0.1", "network.example")
        if sent:
            await http.request("POST", address, json={})
        else:
            with pytest.raises(LeaseLost):
                await http.request("POST", address, json={})

    assert (server.accepted, len(server.requests)) == (1, sent)
