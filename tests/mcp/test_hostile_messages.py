"""What a client may send that is no message, not its own, or too much: each is refused in the words of the protocol."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from tests.mcp.conftest import Place

from signalpost.context import AppContext
from signalpost.identity.actions import sign_in

MODERN = "2026-07-28"
META = {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
DISCOVER = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": META}


def modern(method: str, *, name: str | None = None, **changed: str | None) -> dict[str, str | None]:
    """The headers of a message of the newest revision; None: it is missing."""
    named = {} if name is None else {"Mcp-Name": name}
    return {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, **named} | {
        header.replace("_", "-"): value for header, value in changed.items()
    }


class Case(NamedTuple):
    """What is sent, and the status and the JSON-RPC error that answer it; 0: none."""

    body: Any
    status: int
    code: int
    headers: dict[str, str | None] = {}  # noqa: RUF012 - of a named tuple, never changed


def called(name: str, arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


CASES = {
    "it is answered": Case(PING, 200, 0),
    "a notification": Case({"jsonrpc": "2.0", "method": "notifications/initialized"}, 202, 0),
    "no JSON": Case(b"{", 400, -32700),
    "nothing": Case(b"", 400, -32700),
    "bytes": Case(b"\xff\xfe\x00", 400, -32700),
    "deep": Case(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 50_000, 400, -32700),
    "a batch": Case([PING, PING], 400, -32600),
    "a response": Case({"jsonrpc": "2.0", "id": 1, "result": {}}, 400, -32600),
    "another version of JSON-RPC": Case(PING | {"jsonrpc": "1.0"}, 400, -32600),
    "an id that is null": Case(PING | {"id": None}, 400, -32600),
    "an id that is huge": Case(PING | {"id": 10**400}, 400, -32600),
    "an id that is long": Case(PING | {"id": "x" * 201}, 400, -32600),
    "an id that is a list": Case(PING | {"id": [1]}, 400, -32600),
    "a method twice": Case(b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', 400, -32600),
    "a long method": Case(PING | {"method": "x" * 101}, 400, -32600),
    "an unknown method": Case(PING | {"method": "tools/destroy"}, 200, -32601),
    "an unknown method of the newest revision": Case(
        DISCOVER | {"method": "tools/destroy"}, 404, -32601, modern("tools/destroy")
    ),
    "a handshake in the newest revision": Case(DISCOVER | {"method": "initialize"}, 404, -32601, modern("initialize")),
    "the newest revision": Case(DISCOVER, 200, 0, modern("server/discover")),
    "no header of the newest revision": Case(DISCOVER, 400, -32020),
    "another method in the header": Case(DISCOVER, 400, -32020, modern("tools/list")),
    "another revision in the header": Case(
        DISCOVER, 400, -32020, modern("server/discover", MCP_Protocol_Version="2025-11-25")
    ),
    "another name in the header": Case(
        called("find_posts", {}) | {"params": {"name": "find_posts", **META}}, 400, -32020,
        modern("tools/call", name="list_accounts"),
    ),
    "a name that is no base64": Case(
        called("find_posts", {}) | {"params": {"name": "find_posts", **META}}, 400, -32020,
        modern("tools/call", name="=?base64?!?="),
    ),
    "a name in base64": Case(
        called("find_posts", {}) | {"params": {"name": "find_posts", **META}}, 200, 0,
        modern("tools/call", name="=?base64?ZmluZF9wb3N0cw==?="),
    ),
    "no parameters of the newest revision": Case(PING, 400, -32602, {"MCP-Protocol-Version": MODERN}),
    "an unknown revision": Case(PING, 400, -32022, {"MCP-Protocol-Version": "1900-01-01"}),
    "an unknown revision in the parameters": Case(
        DISCOVER | {"params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}}, 400, -32022,
        {"MCP-Protocol-Version": "2099-01-01"},
    ),
    "no capabilities of the client": Case(
        DISCOVER | {"params": {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}}}, 400, -32602,
        modern("server/discover"),
    ),
    "an unknown tool": Case(called("delete_everything", {}), 200, -32602),
    "a tool that is a number": Case(called(7, {}), 200, -32602),  # type: ignore[arg-type]
    "arguments that are a list": Case(called("find_posts", [1]), 200, -32602),
    "an unknown prompt": Case(PING | {"method": "prompts/get", "params": {"name": "x"}}, 200, -32602),
    "a resource elsewhere": Case(
        PING | {"method": "resources/read", "params": {"uri": "file:///etc/passwd"}}, 200, -32002
    ),
    "a resource that is another path": Case(
        PING | {"method": "resources/read", "params": {"uri": "signalpost://posts/../api-keys"}}, 200, -32002
    ),
    "a resource that is another operation": Case(
        PING | {"method": "resources/read", "params": {"uri": "signalpost://posts/trash"}}, 200, -32002
    ),
    "a cursor of nobody": Case(PING | {"method": "resources/list", "params": {"cursor": "x"}}, 200, -32602),
    "a cursor that is a list": Case(PING | {"method": "resources/list", "params": {"cursor": []}}, 200, -32602),
    "a page of another site": Case(PING, 403, -32600, {"Origin": "https://evil.example"}),
    "a page without an origin": Case(PING, 403, -32600, {"Origin": "null"}),
    "everything is accepted": Case(PING, 200, 0, {"Accept": "*/*"}),
    "nothing is said to be accepted": Case(PING, 200, 0, {"Accept": None}),
}  # fmt: skip
REFUSED_BY_HTTP = {
    "no key": (PING, 401, {"Authorization": None}),
    "a key of nobody": (PING, 401, {"Authorization": "Bearer sp_live_x"}),
    "another type": (PING, 415, {"Content-Type": "text/plain"}),
    "only pictures are accepted": (PING, 406, {"Accept": "image/png"}),
    "too much": (b" " * 2_000_001, 413, {}),
}


@pytest.fixture(scope="module")
def http(place: Place) -> Iterator[httpx.Client]:
    headers = {
        "Authorization": f"Bearer {place.owner.key}", "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }  # fmt: skip
    with httpx.Client(base_url=place.url, headers=headers, timeout=300) as client:
        yield client


def sent(http: httpx.Client, body: Any, headers: dict[str, str | None]) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = http.build_request("POST", "/mcp", content=content)
    for name, value in headers.items():
        if value is None:
            request.headers.pop(name, None)
        else:
            request.headers[name] = value
    return http.send(request)


async def test_each_message_is_answered_in_the_words_of_the_protocol(place: Place, http: httpx.Client) -> None:
    for name, case in CASES.items():
        answer = await asyncio.to_thread(sent, http, case.body, case.headers)
        document = answer.json() if answer.content else {}
        error = document.get("error", {})
        assert (answer.status_code, error.get("code", 0)) == (case.status, case.code), (name, answer.text)
        assert not error or error["message"], name
        if case.code == -32022:
            assert MODERN in error["data"]["supported"], name


async def test_http_refuses_what_is_not_for_the_protocol(place: Place, http: httpx.Client) -> None:
    for name, (body, status, headers) in REFUSED_BY_HTTP.items():
        answer = await asyncio.to_thread(sent, http, body, headers)
        assert answer.status_code == status, (name, answer.text)
        assert answer.json()["status"] == status, name
    for method in ("GET", "DELETE", "PUT"):
        answer = await asyncio.to_thread(http.request, method, "/mcp")
        assert (answer.status_code, answer.headers["allow"]) == (405, "OPTIONS, POST"), method


async def test_a_session_is_no_key_and_a_message_counts(place: Place, context: AppContext, http: httpx.Client) -> None:
    async with context.database.transaction() as db:
        signed_in = await sign_in.sign_in(
            context, db, place.owner.user_id, "203.0.113.7", "login", second_factor=True
        )  # fmt: skip
    session = await asyncio.to_thread(sent, http, PING, {"Authorization": f"Bearer {signed_in.access_token}"})
    assert session.status_code == 401
    assert "API key" in session.json()["detail"]

    counted = await asyncio.to_thread(sent, http, PING, {"X-Request-Id": "mcp-request-1"})
    assert counted.headers["x-request-id"] == "mcp-request-1"
    assert "ratelimit" in counted.headers
