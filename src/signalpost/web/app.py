"""Serves endpoints: finds the caller, fills the inputs, commits before it answers, renders every error."""

import ipaddress
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

import asyncpg
import msgspec
from litestar import Litestar, Request
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from signalpost.kit import clock, db, ids, log, problems
from signalpost.web import idempotency, limits, validation
from signalpost.web.caller import PUBLIC, SIGNED_IN, Caller
from signalpost.web.inputs import Id, IfMatch, Mine, Segment, Tools, fingerprint, read_page
from signalpost.web.reply import Headers, Reply, problem_reply
from signalpost.web.routing import Endpoint, Raw

Authenticate = Callable[[str, str | None, str], Awaitable[Caller]]
"""(bearer, X-Workspace-Id or None, client address) -> Caller; raises what the caller shall see."""

PREFIXES = ("/api/v1", "/v1")
TRIES_MAX = 3  # of a transaction that lost a deadlock or a serialisation race
_encode = msgspec.json.Encoder().encode
_logger = log.get("web")


class TestModeOnlySandbox(problems.Problem, status=403):
    """A test key sees only accounts on the sandbox.

    Use a live key for live networks.
    """


@dataclass(kw_only=True)
class Web:
    """Everything the endpoints share."""

    tools: Tools
    authenticate: Authenticate
    base_url: str
    page_key: bytes
    limiter: limits.Limiter


class _Call:
    """One request under way: what it knows of its caller and the headers it will answer with."""

    __slots__ = ("address", "caller", "headers", "request")

    def __init__(self, request: Request[Any, Any, Any], address: str) -> None:
        self.request = request
        self.address = address
        self.caller: Caller | None = None
        self.headers: Headers = []


def client_address(scope: Any, trusted_proxies: int) -> str:
    """Return the address of the client: the peer, or what the outermost trusted proxy saw."""
    if trusted_proxies:
        forwarded = next((v for n, v in scope["headers"] if n == b"x-forwarded-for"), b"").decode("latin-1")
        hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
        if hops:
            return str(hops[-min(trusted_proxies, len(hops))])
    client = scope.get("client")
    return client[0] if client else "unknown"


def _address_bucket(address: str) -> str:
    # An IPv6 client owns its whole /64: counting single addresses would limit nobody.
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address


async def _read_body(request: Request[Any, Any, Any], bytes_max: int) -> bytes:
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > bytes_max:
        raise problems.PayloadTooLarge(f"The body is larger than {bytes_max} bytes.", limit={"max": bytes_max})
    body = b""
    receive = request.receive
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise problems.MalformedRequest("The connection ended before the whole body was sent.")
        body += message.get("body", b"")
        if len(body) > bytes_max:
            raise problems.PayloadTooLarge(f"The body is larger than {bytes_max} bytes.", limit={"max": bytes_max})
        if not message.get("more_body"):
            return body


def _check_media_types(endpoint: Endpoint, headers: Any, body: bytes) -> None:
    if body:
        given = headers.get("content-type", "application/json").partition(";")[0].strip().lower()
        if given not in endpoint.request_types and not (given.endswith("+json") and given.startswith("application/")):
            raise problems.UnsupportedMediaType(
                f"This operation reads {' or '.join(endpoint.request_types)}, not {given}."
            )
    accept = headers.get("accept", "")
    if accept and not re.search(r"json|\*/\*|application/\*|text/", accept):
        raise problems.NotAcceptable(f"This operation answers application/json, which {accept[:100]!r} leaves out.")


def _query_values(request: Request[Any, Any, Any]) -> dict[str, str]:
    raw = request.scope["query_string"]
    if not raw:
        return {}
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, max_num_fields=100, errors="strict")
    except (UnicodeDecodeError, ValueError) as error:
        raise problems.MalformedRequest("The query string cannot be read: it is percent-encoded UTF-8.") from error
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in values:
            raise problems.invalid(name, "not_unique", "This parameter is given twice.")
        values[name] = value
    return values


def _if_match(headers: Any) -> IfMatch:
    value = headers.get("if-match", "").strip()
    if not value or value == "*":
        return IfMatch(-1)
    found = re.fullmatch(r'(?:W/)?"v?(\d{1,9})"', value)
    if not found:
        raise problems.VersionConflict("If-Match holds no version of this resource. Send the ETag as it was answered.")
    return IfMatch(int(found[1]))


async def _identify(web: Web, endpoint: Endpoint, call: _Call) -> None:
    """Find the caller, take one token of its rate limit, check its scope."""
    if endpoint.scope == PUBLIC:
        if not endpoint.unlimited:
            name = _address_bucket(call.address)
            if endpoint.bucket == "login":
                call.headers = web.limiter.check(
                    f"login:{name}", "login", limits.LOGINS_PER_ADDRESS, limits.LOGIN_SECONDS
                )
            else:
                call.headers = web.limiter.check(f"address:{name}", "address", limits.PER_ADDRESS)
        return
    headers = call.request.headers
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    try:
        if scheme.lower() != "bearer" or not bearer:
            raise problems.Unauthenticated(headers={"WWW-Authenticate": "Bearer"})
        caller = await web.authenticate(bearer.strip(), headers.get("x-workspace-id"), call.address)
    except problems.Problem:
        call.headers = web.limiter.check(f"address:{_address_bucket(call.address)}", "address", limits.PER_ADDRESS)
        raise
    call.caller = caller
    writes = endpoint.writes
    call.headers = web.limiter.check(
        caller.credential + (":w" if writes else ""),
        "writes" if writes else "requests",
        caller.writes_per_minute if writes else caller.requests_per_minute,
    )
    if endpoint.scope != SIGNED_IN and endpoint.scope not in caller.scopes:
        if caller.auth == "api_key":
            raise problems.InsufficientScope(f"This API key lacks the scope {endpoint.scope}.")
        raise problems.Forbidden(f"The role {caller.role} does not include {endpoint.scope}.")


async def _path_values(endpoint: Endpoint, call: _Call, connection: db.Db | None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    given = call.request.path_params
    for wish in endpoint.path_inputs:
        text = str(given[wish.param])
        match wish.how:
            case Segment():
                if "\0" in text or len(text) > 200:
                    raise problems.NotFound
                values[wish.argument] = text
            case Id(prefix=prefix):
                if (found := ids.decode(prefix, text)) is None:
                    raise problems.NotFound
                values[wish.argument] = found
            case Mine(prefix=prefix, find=find):
                row_id = ids.decode(prefix, text)
                if row_id is None or connection is None or call.caller is None:
                    raise problems.NotFound
                row = await find(connection, call.caller, row_id)
                if row is None:
                    raise problems.NotFound
                values[wish.argument] = row
    return values


def _query_inputs(web: Web, endpoint: Endpoint, call: _Call) -> dict[str, Any]:
    given = _query_values(call.request)
    values: dict[str, Any] = {}
    paged = endpoint.has("page")
    limit, cursor = (given.pop("limit", None), given.pop("cursor", None)) if paged else (None, None)
    if endpoint.query is not None:
        values["query"] = validation.decode_query(endpoint.query, given)
    elif given:
        raise problems.ValidationFailed(
            errors=[problems.Issue(name, "unknown_field", "There is no such parameter here.") for name in given]
        )
    if paged:
        workspace = call.caller.workspace_id.hex if call.caller else ""
        filters = fingerprint([endpoint.path, workspace, given])
        page = read_page(web.page_key, filters, limit, cursor, endpoint.limit_default)
        values.update({argument: page for argument, kind in endpoint.arguments.items() if kind == "page"})
    return values


def _plain_inputs(web: Web, endpoint: Endpoint, call: _Call) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for argument, kind in endpoint.arguments.items():
        match kind:
            case "caller":
                values[argument] = call.caller
            case "tools":
                values[argument] = web.tools
            case "database":
                values[argument] = web.tools.database
            case "request":
                values[argument] = call.request
            case "if_match":
                values[argument] = _if_match(call.request.headers)
    return values


def _render(endpoint: Endpoint, value: Any) -> tuple[int, bytes, dict[str, str], bytes]:
    if isinstance(value, Raw):
        return value.status, value.body, value.headers, value.media_type.encode()
    if endpoint.status == 204:
        return 204, b"", {}, b""
    headers = {"etag": f'"{value.version}"'} if endpoint.etag else {}
    return endpoint.status, _encode(value), headers, b"application/json"


def _reply(call: _Call, status: int, body: bytes, headers: dict[str, str], media_type: bytes) -> Reply:
    extra = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    return Reply(status, body, [*call.headers, *extra], media_type)


async def _run(web: Web, endpoint: Endpoint, call: _Call, values: dict[str, Any], body: bytes) -> Reply:
    """Run the handler in its transaction, under its idempotency key if it has one."""
    key = call.request.headers.get("idempotency-key") if endpoint.method == "POST" else None
    if key is not None:
        idempotency.read_key(key)
    database = web.tools.database
    needs_row = any(isinstance(wish.how, Mine) for wish in endpoint.path_inputs)
    if endpoint.has("db"):
        for tries in range(TRIES_MAX):
            try:
                scope = database.transaction() if endpoint.writes else database.connection()
                async with scope as connection:
                    if key is None:
                        return await _answer(endpoint, call, values, connection)
                    return await _answer_once(web, endpoint, call, values, body, key, connection)
            except db.Undone:
                if tries == TRIES_MAX - 1:
                    raise problems.Unavailable(
                        "Too many changes at the same place at once.", headers={"Retry-After": "1"}
                    ) from None
    async with AsyncExitStack() as stack:
        connection_ = await stack.enter_async_context(database.connection()) if needs_row else None
        values = values | await _path_values(endpoint, call, connection_)
    if key is None:
        return _reply(call, *_render(endpoint, await endpoint.handler(**values)))
    return await _answer_reserved(web, endpoint, call, values, body, key)


async def _answer(endpoint: Endpoint, call: _Call, values: dict[str, Any], connection: db.Db) -> Reply:
    found = await _path_values(endpoint, call, connection) if endpoint.path_inputs else {}
    value = await endpoint.handler(**values, **found, db=connection)
    return _reply(call, *_render(endpoint, value))


def _credential(call: _Call) -> str:
    return call.caller.credential if call.caller else f"address:{call.address}"


def _replay(call: _Call, kept: idempotency.Kept) -> Reply:
    kept.headers["idempotent-replayed"] = "true"
    media_type = kept.headers.pop("content-type", "application/json")
    return _reply(call, kept.status, kept.body, kept.headers, media_type.encode())


def _keepable(reply: Reply) -> idempotency.Kept:
    own = {b"etag", b"location", b"content-type", b"retry-after"}
    headers = {name.decode(): value.decode("latin-1") for name, value in reply.headers if name in own}
    return idempotency.Kept(reply.status, reply.body, headers)


async def _answer_once(
    web: Web, endpoint: Endpoint, call: _Call, values: dict[str, Any], body: bytes, key: str, connection: db.Db
) -> Reply:
    """Answer in one transaction with the key: effect and stored answer are committed together."""
    print_ = idempotency.fingerprint(endpoint.method, call.request.scope["path"], body)
    if kept := await idempotency.claim(connection, _credential(call), key, print_):
        return _replay(call, kept)
    try:
        async with connection.transaction():  # a savepoint: a refusal undoes the effect and keeps the answer
            reply = await _answer(endpoint, call, values, connection)
    except problems.Problem as problem:
        if problem.status == 429 or problem.status >= 500:
            raise
        reply = problem_reply(problem, call.request.scope["path"], web.base_url, call.headers)
    await idempotency.keep(connection, _credential(call), key, _keepable(reply))
    return reply


async def _answer_reserved(
    web: Web, endpoint: Endpoint, call: _Call, values: dict[str, Any], body: bytes, key: str
) -> Reply:
    """Answer when the work cannot stand in one transaction (it talks to other servers): the key is taken first."""
    print_ = idempotency.fingerprint(endpoint.method, call.request.scope["path"], body)
    async with web.tools.database.transaction() as connection:
        kept = await idempotency.claim(connection, _credential(call), key, print_)
    if kept:
        return _replay(call, kept)
    stored = False
    try:
        try:
            reply = _reply(call, *_render(endpoint, await endpoint.handler(**values)))
        except problems.Problem as problem:
            if problem.status == 429 or problem.status >= 500:
                raise
            reply = problem_reply(problem, call.request.scope["path"], web.base_url, call.headers)
        async with web.tools.database.transaction() as connection:
            await idempotency.keep(connection, _credential(call), key, _keepable(reply))
        stored = True
        return reply
    finally:
        if not stored:
            async with web.tools.database.transaction() as connection:
                await idempotency.forget(connection, _credential(call), key)


def _test_now(call: _Call) -> datetime | None:
    """`X-Test-Now` of a request under a test key: the time that this request lives in."""
    value = call.request.headers.get("x-test-now")
    if not value or call.caller is None or call.caller.mode != "test":
        return None
    try:
        instant = msgspec.convert(value, datetime)
    except msgspec.ValidationError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise problems.invalid("X-Test-Now", "format", "X-Test-Now is an RFC 3339 time with an offset or Z.")
    return instant


async def _serve(web: Web, endpoint: Endpoint, call: _Call) -> Reply:
    await _identify(web, endpoint, call)
    streams = endpoint.has("request")
    body = b"" if streams or not endpoint.writes else await _read_body(call.request, endpoint.body_bytes_max)
    if not streams:
        _check_media_types(endpoint, call.request.headers, body)
    values = _plain_inputs(web, endpoint, call)
    values.update(_query_inputs(web, endpoint, call))
    if endpoint.decoder is not None:
        if body or not endpoint.body_optional:
            values["data"] = validation.decode_body(endpoint.decoder, body)
    elif body.strip() not in (b"", b"{}", b"null") and not streams:
        raise problems.invalid("", "not_allowed", "This operation takes no body.")
    if (instant := _test_now(call)) is not None:
        with clock.at(instant):
            return await _run(web, endpoint, call, values, body)
    return await _run(web, endpoint, call, values, body)


def _request_id(headers: Any) -> str:
    given = headers.get("x-request-id", "")
    return given if re.fullmatch(r"[A-Za-z0-9._-]{8,100}", given) else "req_" + secrets.token_hex(10)


async def _guarded(web: Web, call: _Call, path: str, work: Awaitable[Reply]) -> Reply:
    """Turn whatever is raised into a problem; faults of ours are logged and tell nothing."""
    try:
        return await work
    except problems.Problem as problem:
        answer = problem
    except db.Gone:
        _logger.warning("database.unreachable", path=path, exc_info=True)
        answer = problems.Unavailable("The database does not answer right now.", headers={"Retry-After": "2"})
    except (asyncpg.QueryCanceledError, TimeoutError):
        _logger.warning("request.timed_out", path=path, exc_info=True)
        answer = problems.Unavailable("This took too long and was given up.", headers={"Retry-After": "5"})
    except Exception:  # the last line of defence: one request fails, the service does not
        _logger.exception("request.failed", path=path)
        answer = problems.InternalError()
    return problem_reply(answer, path, web.base_url, call.headers)


def _handler(web: Web, endpoint: Endpoint) -> Callable[..., Awaitable[ASGIApp]]:
    trusted = web.tools.settings.trusted_proxies

    async def answer(request: Request[Any, Any, Any]) -> ASGIApp:
        started = perf_counter()
        current = _request_id(request.headers)
        token = log.request_id.set(current)
        call = _Call(request, client_address(request.scope, trusted))
        path = request.scope["path"]
        try:
            reply = await _guarded(web, call, path, _serve(web, endpoint, call))
            reply.headers.append((b"x-request-id", current.encode()))
            caller = call.caller
            _logger.info(
                "request.answered",
                method=endpoint.method,
                path=endpoint.path,
                status=reply.status,
                ms=round((perf_counter() - started) * 1000, 2),
                workspace=str(caller.workspace_id) if caller else None,
                credential=caller.credential if caller else None,
            )
        finally:
            log.request_id.reset(token)
        return reply

    return answer


def _unmatched(web: Web) -> Callable[[Request[Any, Any, Any], Exception], Any]:
    """Answer for what never reached an endpoint: unknown path, wrong method."""

    def render(request: Request[Any, Any, Any], error: Exception) -> Any:
        current = _request_id(request.headers)
        token = log.request_id.set(current)
        call = _Call(request, client_address(request.scope, web.tools.settings.trusted_proxies))
        path = request.scope["path"]
        try:
            problem: problems.Problem
            match error:
                case MethodNotAllowedException():
                    allow = (error.headers or {}).get("allow") or (error.headers or {}).get("Allow") or ""
                    problem = problems.MethodNotAllowed(headers={"Allow": allow} if allow else {})
                case NotFoundException():
                    problem = problems.NotFound(f"There is nothing at {path[:200]}.")
                case HTTPException(status_code=status) if status < 500:
                    problem = problems.MalformedRequest()
                case _:
                    _logger.error("request.failed", path=path, exc_info=error)
                    problem = problems.InternalError()
            try:
                name = f"address:{_address_bucket(call.address)}:unmatched"
                call.headers = web.limiter.check(name, "address", limits.PER_ADDRESS * 10)
            except problems.RateLimited as limited:
                problem = limited
            reply = problem_reply(problem, path, web.base_url, call.headers)
            reply.headers.append((b"x-request-id", current.encode()))
        finally:
            log.request_id.reset(token)
        return reply

    return render


def build(
    web: Web,
    endpoints: Iterable[Endpoint],
    *,
    pages: Sequence[Any] = (),
    on_startup: Sequence[Any] = (),
    on_shutdown: Sequence[Any] = (),
) -> Litestar:
    """Return the ASGI application that serves `endpoints` under both prefixes, and `pages` (Litestar handlers)."""
    handlers: list[Any] = []
    for endpoint in endpoints:
        path = re.sub(r"\{(\w+)\}", r"{\1:str}", endpoint.path)
        route = HTTPRouteHandler([prefix + path for prefix in PREFIXES], http_method=endpoint.method, status_code=200)
        handlers.append(route(_handler(web, endpoint)))
    return Litestar(
        route_handlers=[*handlers, *pages],
        exception_handlers={Exception: _unmatched(web), HTTPException: _unmatched(web)},
        on_startup=list(on_startup),
        on_shutdown=list(on_shutdown),
        openapi_config=None,
        request_max_body_size=None,
        debug=False,
    )
