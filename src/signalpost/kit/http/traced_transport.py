"""A transport that records each call as a span, for a process that records spans.

A span names host and port, never path, query or headers: tokens stand in all of these.
"""

from collections.abc import Mapping
from typing import Any

from signalpost.kit import tracing
from signalpost.kit.http.guard import Guard
from signalpost.kit.http.resolver import Resolver
from signalpost.kit.http.responses import Downloaded, Response, Sink
from signalpost.kit.http.sockets import Socket
from signalpost.kit.http.transport import Transport
from signalpost.kit.http.urls import parse


def _recorded(method: str, url: str) -> tracing.Recorded:
    target = parse(url)
    attributes: dict[str, str | int] = {
        "http.request.method": method, "url.scheme": target.scheme, "server.address": target.host,
        "server.port": target.port,
    }  # fmt: skip
    return tracing.Recorded(method, attributes, kind="client")


def _responded(span: tracing.Span | None, status: int) -> None:
    if span is not None:
        span.set({"http.response.status_code": status})
        if status >= 400:
            span.fail(str(status))


class TracedTransport(Transport):
    """Records calls of requests, attempts, deliveries and jobs; others, such as a long poll, belong to nobody."""

    def __init__(
        self, guard: Guard, resolver: Resolver, user_agent: str, limits: tuple[int, int], *, propagates: bool
    ) -> None:
        super().__init__(guard, resolver, user_agent, limits)
        self._propagates = propagates

    async def request(self, method: str, url: str, *, headers: Mapping[str, str] | None, **options: Any) -> Response:
        """See `Client.request`."""
        if tracing.open_span() is None and not self._propagates:
            return await super().request(method, url, headers=headers, **options)
        with _recorded(method, url) as span:
            if span is not None and self._propagates:
                headers = {**(headers or {}), "traceparent": span.traceparent}
            response = await super().request(method, url, headers=headers, **options)
            _responded(span, response.status)
            return response

    async def converse(self, url: str, *arguments: Any, **options: Any) -> Response:
        """See `Client.request` with `until`."""
        if tracing.open_span() is None:
            return await super().converse(url, *arguments, **options)
        with _recorded("GET", url) as span:
            response = await super().converse(url, *arguments, **options)
            _responded(span, response.status)
            return response

    async def connect(self, url: str, **options: Any) -> Socket:
        """See `Client.connect`."""
        if tracing.open_span() is None:
            return await super().connect(url, **options)
        with _recorded("GET", url):
            return await super().connect(url, **options)

    async def download(self, url: str, sink: Sink, **options: Any) -> Downloaded:
        """See `Client.download`."""
        if tracing.open_span() is None:
            return await super().download(url, sink, **options)
        with _recorded("GET", url) as span:
            result = await super().download(url, sink, **options)
            _responded(span, 200)
            return result
