"""`POST /mcp`: one message of the protocol, answered with one JSON document. There are no sessions and no streams."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from signalpost.context import AppContext
from signalpost.kit import problems
from signalpost.mcp import methods, protocol
from signalpost.mcp.api import OperationResponse, Send
from signalpost.mcp.methods import PATH
from signalpost.mcp.protocol import INVALID_REQUEST, PARSE_ERROR, Message, Refusal
from signalpost.mcp.tools import Call
from signalpost.web.app import route_of
from signalpost.web.caller import SIGNED_IN, Caller
from signalpost.web.request import Request
from signalpost.web.response import PROBLEM_HEADER, Response
from signalpost.web.router import Route
from signalpost.web.routing import Endpoint, RawResponse, Routes
from signalpost.web.serve import Web

Serve = Callable[[Request], Awaitable[Response]]
"""Serves a request to an operation of the API."""
_PASSED: Final = (
    b"authorization", b"host", b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-proto", b"x-real-ip",
    b"x-workspace-id", b"x-test-now", b"user-agent",
)  # fmt: skip
"""Of a message, the headers that its operations get too: whose it is, and where it comes from."""
_ONE_MESSAGE: Final = "A body is one message: an object, not a list."


def route(
    web: Web, endpoints: Iterable[Endpoint], serve: Serve, *, challenge: Callable[[str], bytes] | None = None
) -> Route:
    """Return the route of the protocol, which calls operations of the API by `serve`.

    `challenge`: from our address to the `WWW-Authenticate` by which an assistant finds out how a person signs it in.
    """
    operations = {endpoint.name: endpoint for endpoint in endpoints}
    routes = Routes("MCP")

    @routes.post(PATH, scope=SIGNED_IN, status=200, history="nothing", hidden=True)
    async def call_mcp(request: Request, context: AppContext, caller: Caller, data: Message) -> RawResponse:
        """Answer a message of the Model Context Protocol."""
        _require_key(caller)
        call = Call(context=context, caller=caller, operations=operations, send=_sender(request, serve))
        return await _answered(request, call, data)

    [endpoint] = routes
    served = route_of(web, endpoint)

    async def respond(request: Request) -> Response:
        if not _is_own_origin(request, web.base_url):
            refusal = Refusal(INVALID_REQUEST, "Pages of other sites may not call this service.")
            return Response(403, protocol.error(refusal), [])
        response = await served.handler(request)
        if response.status == 401 and challenge is not None:
            return _challenging(response, challenge(web.base_url))
        return _in_the_envelope(response)

    return msgspec.structs.replace(served, handler=respond)


def _challenging(response: Response, challenge: bytes) -> Response:
    """Return a refusal with what follows the word Bearer in it already, and where to read how to sign in."""
    sent = next((value for name, value in response.headers if name.lower() == b"www-authenticate"), b"Bearer")
    others = [pair for pair in response.headers if pair[0].lower() != b"www-authenticate"]
    error = sent.removeprefix(b"Bearer").strip()
    response.headers = [*others, (b"www-authenticate", challenge + (b", " + error if error else b""))]
    return response


def _require_key(caller: Caller) -> None:
    """Ensure that an API key calls: its scopes say what an assistant may do, and a person ends it at any time.

    Raises:
        Unauthenticated: a session calls.
    """
    if caller.auth != "api_key":
        detail = "Assistants use an API key with the scopes that they need, never the session of a person."
        raise problems.Unauthenticated(detail, headers={"WWW-Authenticate": "Bearer"})


def _is_own_origin(request: Request, base_url: str) -> bool:
    """Whether no page of another site sends the message: not one of a browser, or of the service itself."""
    origin = request.headers.get("origin")
    if origin is None:
        return True
    return origin.partition("://")[2] in (request.headers.get("host"), urlsplit(base_url).netloc)


async def _answered(request: Request, call: Call, message: Message) -> RawResponse:
    try:
        modern = protocol.is_modern(message, request.headers.get)
        if message.id is msgspec.UNSET:
            return RawResponse(b"", "application/json", 202)
        value = await methods.answer(call, message, modern=modern)
    except (Refusal, problems.Problem) as error:  # a problem of our own, before an operation was called
        refusal = error if isinstance(error, Refusal) else Refusal(protocol.INVALID_PARAMS, error.detail)
        return RawResponse(protocol.error(refusal, message), "application/json", refusal.status)
    server = methods.server_info(call)
    return RawResponse(protocol.result(message, value, modern=modern, server=server), "application/json")


def _in_the_envelope(response: Response) -> Response:
    """Return what says that a body is not a message as a JSON-RPC error; other refusals stay problems of HTTP."""
    if response.status not in (400, 422) or PROBLEM_HEADER not in response.headers:
        return response
    assert isinstance(response.body, bytes)  # noqa: S101 - a problem is never streamed
    problem = msgspec.json.decode(response.body)
    unread = problem["code"] == problems.MalformedRequest.code
    message = " ".join([f"{issue['path'] or _ONE_MESSAGE} {issue['message']}" for issue in problem.get("errors", ())])
    refusal = Refusal(PARSE_ERROR if unread else INVALID_REQUEST, message or problem["detail"], data=problem)
    dropped = (b"content-type", b"content-length")
    return Response(400, protocol.error(refusal), [pair for pair in response.headers if pair[0] not in dropped])


def _sender(outer: Request, serve: Serve) -> Send:
    """Return what sends requests as the sender of this one."""

    async def send(
        method: str, target: str, body: Any = None, *, idempotency_key: str | None = None
    ) -> OperationResponse:
        path, _, query = target.partition("?")
        content = b"" if body is None else msgspec.json.encode(body, order="sorted")  # a repeat has the same bytes
        headers = [pair for pair in outer.scope["headers"] if pair[0] in _PASSED]
        headers += [(b"x-request-id", outer.id.encode()), (b"accept", b"application/json")]
        if body is not None:
            headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(content))]
        if idempotency_key is not None:
            headers.append((b"idempotency-key", idempotency_key.encode()))

        async def receive() -> Any:
            return {"type": "http.request", "body": content, "more_body": False}

        scope = outer.scope | {"method": method, "path": path, "query_string": query.encode(), "headers": headers}
        response = await serve(Request(scope, receive))
        assert isinstance(response.body, bytes)  # noqa: S101 - no tool calls an operation that streams
        return OperationResponse(response.status, msgspec.json.decode(response.body))

    return send
