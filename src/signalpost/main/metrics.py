"""`GET /metrics`: what this process counts, in Prometheus format."""

import hmac
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from prometheus_client import REGISTRY, make_wsgi_app, start_http_server
from prometheus_client.exposition import choose_encoder

from signalpost.kit import problems
from signalpost.main import gauges
from signalpost.web import limits
from signalpost.web.request import (
    Request,
    address_bucket,
    client_address,
    comes_from_this_machine,
    is_loopback,
    is_own_host,
)
from signalpost.web.response import Response, problem_response
from signalpost.web.router import Route
from signalpost.web.serve import Web

PATH = "/metrics"


def route(web: Web) -> Route:
    """Return the route of `GET /metrics`: for clients on this machine, and for everyone who has the metrics token."""

    async def get_metrics(request: Request) -> Response:
        try:
            _authorise(web, request)
        except problems.Problem as problem:
            return problem_response(problem, PATH, web.base_url, [])
        await gauges.read(web.context)
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(200, encode(REGISTRY), [], media_type.encode())

    return Route("GET", PATH, get_metrics)


@contextmanager
def own_port(port: int, host: str = "127.0.0.1", token: str | None = None) -> Iterator[None]:
    """Serve the same page on a port of this address, in a thread: for a process without the API.

    Clients on this machine need no token; others need it.
    """
    server, thread = start_http_server(port, addr=host)
    server.set_app(_guarded(make_wsgi_app(), token))
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _guarded(answer: WSGIApplication, token: str | None) -> WSGIApplication:
    """Return an application that refuses who has no token, and a browser whose page calls us by a name of its own."""

    def respond(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if _is_bearer(environ.get("HTTP_AUTHORIZATION", ""), token):
            return answer(environ, start)
        plain = ("Content-Type", "text/plain; charset=utf-8")
        if not is_loopback(environ.get("REMOTE_ADDR", "")):
            start("401 Unauthorized", [plain, ("WWW-Authenticate", "Bearer")])
            return [b"Send the token of SIGNALPOST_METRICS_TOKEN as `Authorization: Bearer <token>`.\n"]
        if is_own_host(environ.get("HTTP_HOST", ""), None):
            return answer(environ, start)
        start("421 Misdirected Request", [plain])
        return [b"Ask for localhost or 127.0.0.1.\n"]

    return respond


def _authorise(web: Web, request: Request) -> None:
    """Let the request pass or raise.

    Raises:
        NotFound: it comes from elsewhere, and no token is set.
        Unauthenticated: it comes from elsewhere, without the token.
        RateLimited: too many such requests from that address.
    """
    settings = web.context.settings
    if comes_from_this_machine(request) or _has_token(request, settings.metrics_token):
        return
    address = address_bucket(client_address(request.scope, settings.trusted_proxies))
    web.limiter.check(f"address:{address}:metrics", "address", limits.PER_ADDRESS)
    if settings.metrics_token is None:
        raise problems.NotFound(f"There is nothing at {PATH}. All operations: {web.base_url}/docs")
    raise problems.Unauthenticated(
        "Send the token of SIGNALPOST_METRICS_TOKEN as `Authorization: Bearer <token>`.",
        headers={"WWW-Authenticate": "Bearer"},
    )


def _has_token(request: Request, token: str | None) -> bool:
    return _is_bearer(request.headers.get("authorization", ""), token)


def _is_bearer(header: str, token: str | None) -> bool:
    scheme, _, bearer = header.partition(" ")
    if token is None or scheme.lower() != "bearer":
        return False
    return hmac.compare_digest(bearer.strip().encode("latin-1", "replace"), token.encode())
