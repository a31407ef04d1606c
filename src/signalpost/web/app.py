"""The ASGI application: every endpoint under both prefixes, every error rendered, every request logged."""

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
from signalpost.web.reply import Reply, problem_reply
from signalpost.web.request import Call, address_bucket, client_address, request_id
from signalpost.web.routing import Endpoint
from signalpost.web.serve import Web, serve

PREFIXES = ("/api/v1", "/v1")
_logger = log.get("web")


async def _guarded(web: Web, call: Call, path: str, work: Awaitable[Reply]) -> Reply:
    """Turn whatever is raised into a problem; faults of ours are logged and tell nothing."""
    try:
        return await work
    except problems.Problem as problem:
        answer = problem
    except db.DATABASE_DOWN:
        _logger.warning("database.unreachable", path=path, exc_info=True)
        answer = problems.Unavailable("The database cannot answer right now.", headers={"Retry-After": "2"})
    except db.RETRYABLE:  # of a transaction that an action opened itself; `serve` runs the others again
        _logger.warning("request.undone", path=path, exc_info=True)
        answer = problems.Unavailable("Too many changes at the same place at once.", headers={"Retry-After": "1"})
    except (asyncpg.QueryCanceledError, TimeoutError):
        _logger.warning("request.timed_out", path=path, exc_info=True)
        answer = problems.Unavailable("This took too long and was given up.", headers={"Retry-After": "5"})
    except Exception:  # the last line of defence: one request fails, the service does not
        _logger.exception("request.failed", path=path)
        answer = problems.InternalError()
    return problem_reply(answer, path, web.base_url, call.headers)


def _handler(web: Web, endpoint: Endpoint) -> Callable[..., Awaitable[ASGIApp]]:
    trusted = web.context.settings.trusted_proxies

    async def answer(request: Request[Any, Any, Any]) -> ASGIApp:
        started = perf_counter()
        current = request_id(request.headers)
        token = log.request_id.set(current)
        call = Call(request, client_address(request.scope, trusted))
        path = request.scope["path"]
        try:
            reply = await _guarded(web, call, path, serve(web, endpoint, call))
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
                        f"There is nothing at {path[:200]}. All operations: {web.base_url}/docs"
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
            reply = problem_reply(problem, path, web.base_url, call.headers)
            reply.headers.append((b"x-request-id", current.encode()))
        finally:
            log.request_id.reset(token)
        return reply

    return render


class _Application(Litestar):
    """Litestar without its support of pydantic and attrs: importing them takes as long as making all the routes."""

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
        logging_config=None,  # ours is kit.log; Litestar's would write every library's lines from a thread of its own
        request_max_body_size=None,
        debug=False,
    )
