"""The ASGI application: serves every endpoint under both prefixes, renders errors and logs requests."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from time import perf_counter
from typing import Any

import asyncpg
from litestar import Litestar, Request
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from signalpost.kit import db, log, problems
from signalpost.web import limits
from signalpost.web.request import Call, address_bucket, client_address, request_id
from signalpost.web.response import Response, problem_response
from signalpost.web.routing import Endpoint
from signalpost.web.serve import Web, serve

PREFIXES = ("/api/v1", "/v1")
_logger = log.get("web")


async def _guarded(web: Web, call: Call, path: str, work: Awaitable[Response]) -> Response:
    """Turn whatever is raised into a problem. Errors of our own are logged, and their response reveals nothing."""
    try:
        return await work
    except problems.Problem as problem:
        raised = problem
    except db.DATABASE_DOWN:
        _logger.warning("database.unreachable", path=path, exc_info=True)
        raised = problems.Unavailable("The database is not available right now.", headers={"Retry-After": "2"})
    except db.RETRYABLE:  # in a transaction that an action opened itself; `serve` retries its own
        _logger.warning("request.rolled_back", path=path, exc_info=True)
        raised = problems.Unavailable("Too many concurrent changes to the same data.", headers={"Retry-After": "1"})
    except (asyncpg.QueryCanceledError, TimeoutError):
        _logger.warning("request.timed_out", path=path, exc_info=True)
        raised = problems.Unavailable("The operation took too long and was cancelled.", headers={"Retry-After": "5"})
    except Exception:  # the last line of defence: one request fails, the service does not
        _logger.exception("request.failed", path=path)
        raised = problems.InternalError()
    return problem_response(raised, path, web.base_url, call.headers)


def _handler(web: Web, endpoint: Endpoint) -> Callable[..., Awaitable[ASGIApp]]:
    trusted = web.context.settings.trusted_proxies

    async def respond(request: Request[Any, Any, Any]) -> ASGIApp:
        started = perf_counter()
        current = request_id(request.headers)
        token = log.request_id.set(current)
        call = Call(request, client_address(request.scope, trusted))
        path = request.scope["path"]
        try:
            response = await _guarded(web, call, path, serve(web, endpoint, call))
            response.headers.append((b"x-request-id", current.encode()))
            caller = call.caller
            _logger.info(
                "request.completed",
                method=endpoint.method,
                path=endpoint.path,
                status=response.status,
                ms=round((perf_counter() - started) * 1000, 2),
                workspace=str(caller.workspace_id) if caller else None,
                credential=caller.credential if caller else None,
            )
        finally:
            log.request_id.reset(token)
        return response

    return respond


def _unmatched(web: Web) -> Callable[[Request[Any, Any, Any], Exception], Any]:
    """Render what never reached an endpoint: an unknown path, a wrong method."""

    def render(request: Request[Any, Any, Any], error: Exception) -> Any:
        current = request_id(request.headers)
        token = log.request_id.set(current)
        call = Call(request, client_address(request.scope, web.context.settings.trusted_proxies))
        path = request.scope["path"]
        try:
            problem: problems.Problem
            match error:
                case MethodNotAllowedException():
                    allow = (error.headers or {}).get("allow") or (error.headers or {}).get("Allow") or ""
                    problem = problems.MethodNotAllowed(headers={"Allow": allow} if allow else {})
                case NotFoundException():
                    problem = problems.NotFound(
                        f"No operation at {path[:200]}. The API reference is at {web.base_url}/docs."
                    )
                case HTTPException(status_code=status) if status < 500:
                    problem = problems.MalformedRequest()
                case _:
                    _logger.error("request.failed", path=path, exc_info=error)
                    problem = problems.InternalError()
            try:
                name = f"address:{address_bucket(call.address)}:unmatched"
                call.headers = web.limiter.check(name, "address", limits.PER_ADDRESS * 10)
            except problems.RateLimited as limited:
                problem = limited
            response = problem_response(problem, path, web.base_url, call.headers)
            response.headers.append((b"x-request-id", current.encode()))
        finally:
            log.request_id.reset(token)
        return response

    return render


class _Application(Litestar):
    """Litestar without its pydantic and attrs plugins: importing them takes as long as building all the routes."""

    @staticmethod
    def _get_default_plugins(plugins: list[Any]) -> list[Any]:
        return plugins


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
        methods: Any = ["GET", "HEAD"] if endpoint.method == "GET" else endpoint.method
        route = HTTPRouteHandler([prefix + path for prefix in PREFIXES], http_method=methods, status_code=200)
        handlers.append(route(_handler(web, endpoint)))
    return _Application(
        route_handlers=[*handlers, *pages],
        exception_handlers={Exception: _unmatched(web), HTTPException: _unmatched(web)},
        on_startup=list(on_startup),
        on_shutdown=list(on_shutdown),
        openapi_config=None,
        logging_config=None,  # kit.log is ours; Litestar's would log for every library, from a thread of its own
        request_max_body_size=None,
        debug=False,
    )
