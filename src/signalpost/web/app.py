"""The ASGI application: serves every endpoint under both prefixes, renders errors and logs requests.

No framework stands below it: decision 0131.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from time import perf_counter
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from msgspec import Struct

from signalpost.context import requested_url
from signalpost.kit import clock, db, ids, log, problems, tracing
from signalpost.kit.loop_watch import Watched
from signalpost.kit.patience import Patience, patience
from signalpost.kit.tenant import across, tenant
from signalpost.kit.writes import Writes
from signalpost.web import limits, metrics
from signalpost.web.caller import Caller
from signalpost.web.render import raw_response
from signalpost.web.request import (
    Call,
    ForeignHost,
    Request,
    accepts_html,
    address_bucket,
    client_address,
    is_misdirected,
    media_type_of,
    navigates,
    require_short_target,
    require_valid_host,
    url_of,
)
from signalpost.web.response import PROBLEM_HEADER, Response, compressed, indented, problem_response
from signalpost.web.router import API_PREFIX, Handler, Route, Router
from signalpost.web.routing import Endpoint
from signalpost.web.serve import Web, serve
from signalpost.web.served import Served
from signalpost.web.session_cookie import HEADER

PREFIXES = (API_PREFIX, "/v1")
CELL_PREFIX = "/cells/{cell}" + API_PREFIX
"""Of what has a cell in its path; whose name stands there matters only to a router before this process."""
_HOST_CHARACTERS_MAX = 100
ProblemPage = Callable[[Response], Response]
_logger = log.get("web")


class Application:
    """The ASGI application."""

    def __init__(self, web: Web, routes: Sequence[Route], problem_page: ProblemPage | None) -> None:
        self._web = web
        self._problem_page = problem_page
        self.router = Router(routes, reference=lambda: f"{web.base_url}/docs")

    async def __call__(self, scope: Any, receive: Callable[[], Awaitable[Any]], send: Any) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            raise NotImplementedError(f"ASGI {scope['type']} is not served")
        request = Request(scope, receive)
        id_token, tenant_token = log.request_id.set(request.id), tenant.set(None)
        across_token = across.set(False)  # sees no rows of tenants until its caller is known
        settings = self._web.context.settings
        misdirected = is_misdirected(request, settings.base_url, settings.trusted_proxies)
        url_token = requested_url.set(None if misdirected else self._requested_url(request))
        address_token = log.client_address.set(None)
        agent_token = log.user_agent.set(request.headers.raw(b"user-agent"))
        patience_token = patience.set(Patience())
        try:
            try:
                response = self._for_reader(request, await self._respond(request, misdirected=misdirected))
            finally:
                patience.reset(patience_token)
            # A body that is made while it is sent works for the same tenant.
            await response.send(send, request.id, head=scope["method"] == "HEAD")
        finally:
            log.request_id.reset(id_token)
            tenant.reset(tenant_token)
            across.reset(across_token)
            requested_url.reset(url_token)
            log.client_address.reset(address_token)
            log.user_agent.reset(agent_token)

    async def _respond(self, request: Request, *, misdirected: bool) -> Response:
        try:
            require_valid_host(request)
            if misdirected:
                return _unmatched(self._web, request, _foreign_host(request))
            require_short_target(request)
            return await self.router.match(request).handler(request)
        except problems.Problem as problem:
            return _unmatched(self._web, request, problem)
        except Exception:  # of a page; the last line of defence: one request fails, the service does not
            _logger.exception("request.failed", path=request.shown_path)
            return _unmatched(self._web, request, problems.InternalError())

    def _for_reader(self, request: Request, response: Response) -> Response:
        """Return what a person would read: to a browser a problem as a page, to curl JSON with line breaks.

        The console, which may stand behind a slow line, gets JSON compressed. No other site can have a browser send its
        header, so nobody can learn a secret from how long a compressed answer with their own words in it is.
        """
        is_problem = response.status >= 400 and PROBLEM_HEADER in response.headers
        if is_problem and self._problem_page is not None and navigates(request):
            return self._problem_page(response)
        headers = request.headers
        if headers.raw(b"user-agent").startswith(b"curl/"):
            return indented(response)
        is_compressible = HEADER in headers and "gzip" in headers.get("accept-encoding", "")
        return compressed(response) if is_compressible else response

    def _requested_url(self, request: Request) -> str | None:
        settings = self._web.context.settings
        if settings.base_url:
            return None
        forwarded = request.headers.get("x-forwarded-proto", "") if settings.trusted_proxies else ""
        return url_of(request.headers.get("host", ""), forwarded)


def _foreign_host(request: Request) -> ForeignHost:
    return ForeignHost(f"This service is not {request.headers.get('host', '')[:_HOST_CHARACTERS_MAX]}.")


def _unmatched(web: Web, request: Request, problem: problems.Problem) -> Response:
    """Render a problem of a request that reached no endpoint; there is a limit by address on those too."""
    address = address_bucket(client_address(request.scope, web.context.settings.trusted_proxies))
    headers: list[tuple[bytes, bytes]] = []
    try:
        headers = web.limiter.check(f"address:{address}:unmatched", "address", limits.PER_ADDRESS * 10)
    except problems.RateLimited as limited:
        problem = limited
    return problem_response(problem, request.shown_path, web.base_url, headers)


def _problem(error: Exception, path: str, writes: Writes) -> problems.Problem:
    """Return the problem that the client receives. Errors of our own are logged, and it receives nothing of them."""
    match error:
        case problems.Problem():
            return error
        case asyncpg.QueryCanceledError() | TimeoutError():
            _logger.warning("request.timed_out", path=path, exc_info=error)
            return problems.Unavailable("The operation took too long and was cancelled.", headers={"Retry-After": "5"})
        case _ if db.is_down(error):
            if writes.problem is None:  # it is logged once, when it begins
                _logger.warning("database.unreachable", path=path, error=str(error) or repr(error))
            detail = writes.problem or "The database is not available right now."
            return problems.Unavailable(detail, headers={"Retry-After": "2"})
        case _ if problems.is_disk_full(error):
            _logger.error("disk.full", path=path, error=str(error))
            return problems.disk_full()
        case _ if isinstance(error, db.RETRYABLE):  # in a transaction of an action; `serve` retries its own
            _logger.warning("request.rolled_back", path=path, exc_info=error)
            return problems.Unavailable("Too many concurrent changes to the same data.", headers={"Retry-After": "1"})
    _logger.error("request.failed", path=path, exc_info=error)
    return problems.InternalError()


class _Coded(Struct):
    code: str | None = None


_read_code = msgspec.json.Decoder(_Coded).decode


def _served(endpoint: Endpoint, call: Call, caller: Caller, response: Response, seconds: float) -> Served:
    """Return what is known of a request; the code of a problem also if it was stored under an Idempotency-Key."""
    request, code = call.request, None
    if response.status >= 400 and PROBLEM_HEADER in response.headers and isinstance(response.body, bytes):
        code = _read_code(response.body).code
    return Served(
        caller, endpoint.name, request.scope["method"], request.shown_path, response.status, code, clock.timestamp(),
        seconds, request.id, address_bucket(call.address),
    )  # fmt: skip


@lru_cache(maxsize=4_096)
def _credential(credential: str) -> str:
    """Return an API key by its id, as the API shows it; a session has no such id."""
    kind, _, number = credential.partition(":")
    return ids.encode("key", UUID(number)) if kind == "key" else credential


def _handler(web: Web, endpoint: Endpoint) -> Handler:
    trusted = web.context.settings.trusted_proxies
    level = "debug" if endpoint.cached_seconds else "info"
    name = f"{endpoint.method} {endpoint.path}"

    async def respond(request: Request) -> Response:
        started = perf_counter()
        call = Call(request, client_address(request.scope, trusted))
        log.client_address.set(call.address)
        try:
            work = serve(web, endpoint, call)
            response = await (work if endpoint.cached_seconds else Watched(work, name))
        except Exception as error:  # noqa: BLE001 - the last line of defence: one request fails, the service does not
            problem = _problem(error, request.shown_path, web.context.database.writes)
            if endpoint.problem_page is not None and accepts_html(request):
                response = raw_response(call, await endpoint.problem_page(web.context, problem))
            else:
                response = problem_response(problem, request.shown_path, web.base_url, call.headers)
        seconds, caller = perf_counter() - started, call.caller
        metrics.observe(endpoint.name, endpoint.method, response.status, seconds)
        if caller is not None and web.report is not None:
            web.report(_served(endpoint, call, caller, response, seconds))
        if _logger.writes(level):
            _logger.log(
                level,
                "request.completed",
                method=endpoint.method,
                path=request.shown_path,
                status=response.status,
                ms=round(seconds * 1000, 2),
                workspace=ids.encode("wsp", caller.workspace_id) if caller else None,
                credential=_credential(caller.credential) if caller else None,
            )
        return response

    if tracing.recorder is None or endpoint.cached_seconds:  # health checks would be most of all traces
        return respond
    return _traced(endpoint, respond)


def _traced(endpoint: Endpoint, handler: Handler) -> Handler:
    """Return what serves an endpoint and records it as a span, which continues the trace of the client."""
    name = f"{endpoint.method} {endpoint.path}"
    attributes = {
        "http.request.method": endpoint.method, "http.route": endpoint.path, "signalpost.operation": endpoint.name
    }  # fmt: skip

    async def respond(request: Request) -> Response:
        parent = tracing.open_span() or _traceparent(request)
        with tracing.Recorded(name, attributes, kind="server", parent=parent) as span:
            response = await handler(request)
            if span is not None:
                span.set({"http.response.status_code": response.status, "signalpost.request.id": request.id})
                if (caller := tenant.get()) is not None and isinstance(caller.workspace_id, UUID):
                    span.set({"signalpost.workspace.id": ids.encode("wsp", caller.workspace_id)})
                if response.status >= 500:
                    span.fail(str(response.status))
        return response

    return respond


def _traceparent(request: Request) -> str | None:
    """Return where the client is in its trace; None if it does not say so, or says two things."""
    lines = [value for name, value in request.scope["headers"] if name == b"traceparent"]
    return lines[0].decode("latin-1") if len(lines) == 1 else None


def _by_media_type(handler: Handler, variants: Mapping[str, Handler]) -> Handler:
    """Return what serves requests with these types of bodies by their own handlers."""
    if not variants:
        return handler

    async def respond(request: Request) -> Response:
        return await variants.get(media_type_of(request.headers), handler)(request)

    return respond


def _options_headers(endpoint: Endpoint) -> tuple[tuple[bytes, bytes], ...]:
    headers = endpoint.options_headers or {}
    return tuple((name.lower().encode(), value.encode()) for name, value in headers.items())


def route_of(web: Web, endpoint: Endpoint) -> Route:
    """Return the route of an endpoint that has its path alone, below none of the prefixes."""
    return Route(endpoint.method, endpoint.path, _handler(web, endpoint))


def build(
    web: Web, endpoints: Iterable[Endpoint], *, pages: Sequence[Route] = (), problem_page: ProblemPage | None = None
) -> Application:
    """Return the application that serves `endpoints` under both prefixes, or with `CELL_PREFIX` three, and `pages`.

    `problem_page` turns a problem document into a page.
    """
    served = [(endpoint, _handler(web, endpoint)) for endpoint in endpoints]
    variants: dict[tuple[str, str], dict[str, Handler]] = {}
    for endpoint, handler in served:
        if endpoint.variant is not None:
            variants.setdefault((endpoint.method, endpoint.path), {})[endpoint.variant] = handler
    served = [
        (endpoint, _by_media_type(handler, variants.get((endpoint.method, endpoint.path), {})))
        for endpoint, handler in served
        if endpoint.variant is None
    ]
    routes = [
        Route(endpoint.method, prefix + endpoint.path, handler, _options_headers(endpoint))
        for endpoint, handler in served
        for prefix in (*PREFIXES, *([CELL_PREFIX] if endpoint.has_cell_path else []))
    ]
    return Application(web, [*routes, *pages], problem_page)
