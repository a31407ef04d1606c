"""Spans of calls to other servers: host and port, and a traceparent for webhooks only."""

import pytest
from tests.helpers.http_servers import answering, response, serve
from tests.telemetry.recording import Recording

from signalpost.kit import tracing
from signalpost.kit.http import BadResponse, Client, Clients, NotSent

SECRET = "canary-of-the-address"


@pytest.mark.parametrize("propagates", [True, False])
async def test_only_a_client_that_propagates_sends_where_its_span_is(recording: Recording, propagates: bool) -> None:
    async with serve(answering(response(404, b"no"))) as server, Client(propagates=propagates) as client:
        with tracing.Recorded("attempt") as attempt:
            await client.request(
                "POST", f"{server.url}{SECRET}?key={SECRET}", headers={"X-Token": SECRET}, json={"text": SECRET},
                trusted=True,
            )  # fmt: skip
    (call,) = recording.spans("POST")
    head = server.requests[0].lower()

    assert attempt is not None
    assert call.parent is not None
    assert f"{call.parent.span_id:016x}" == attempt.span_id
    assert dict(call.attributes or {}) == {
        "http.request.method": "POST", "url.scheme": "http", "server.address": "127.0.0.1",
        "server.port": server.port, "http.response.status_code": 404, "error.type": "404",
    }  # fmt: skip
    assert SECRET not in call.to_json()
    header = f"traceparent: 00-{call.context.trace_id:032x}-{call.context.span_id:016x}-01".encode()
    assert (header in head) is propagates
    assert (b"traceparent" in head) is propagates
    assert b"x-token: canary" in head


async def test_of_all_clients_only_that_of_webhooks_propagates(recording: Recording) -> None:
    """Networks and others learn nothing of our traces."""
    sent = {}
    async with serve(answering(response(200))) as server, Clients.create() as clients:
        with tracing.Recorded("attempt"):
            for name, client in vars(clients).items():
                await client.request("GET", server.url, trusted=True)
                sent[name] = b"traceparent" in server.requests[-1].lower()

    assert [name for name, is_sent in sent.items() if is_sent] == ["webhooks"]
    assert len(sent) == len(recording.spans("GET")) > 5


async def test_a_download_and_a_failure_are_spans_too(recording: Recording) -> None:
    async def sink(_piece: bytes) -> None:
        pass

    async with serve(answering(response(200, b"file"), response(410))) as server, Client() as client:
        limits = {"bytes_max": 10, "timeout_seconds": 60.0, "trusted": True}
        with tracing.Recorded("job"):
            await client.download(f"{server.url}a", sink, **limits)
            with pytest.raises(BadResponse):
                await client.download(f"{server.url}b", sink, **limits)
            with pytest.raises(NotSent):
                await client.request("GET", "http://127.0.0.1:1/", trusted=True)
    found, gone, away = (dict(span.attributes or {}) for span in recording.spans("GET"))

    assert found["http.response.status_code"] == 200
    assert gone["error.type"] == "BadResponse"
    assert away["error.type"] == "NotSent"


async def test_a_call_of_nobody_is_not_recorded(recording: Recording) -> None:
    async with serve(answering(response(200))) as server, Client() as client:
        await client.request("GET", server.url, trusted=True)

    assert server.accepted == 1
    assert recording.all() == ()
