"""A collector of OpenTelemetry: what it receives is read with the protocol's own messages (`opentelemetry-proto`)."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.helpers.http_servers import Connection, response, serve
from tests.helpers.limits import TEST_SECONDS

_MESSAGES = {
    "/v1/traces": ExportTraceServiceRequest,
    "/v1/metrics": ExportMetricsServiceRequest,
    "/v1/logs": ExportLogsServiceRequest,
}


def attributes(pairs: Sequence[KeyValue]) -> dict[str, Any]:
    """Return attributes as a dictionary."""
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value") or "string_value") for pair in pairs}


@dataclass
class Collector:
    """Keeps what it receives. While `answers` is False it takes requests and never answers."""

    url: str = ""
    answers: bool = True
    spans: list[Span] = field(default_factory=list)
    logs: list[LogRecord] = field(default_factory=list)
    metrics: dict[str, Metric] = field(default_factory=dict)
    """The newest values."""
    resources: list[dict[str, Any]] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)
    received: bytes = b""
    """Every body, unpacked."""
    arrived: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def script(self, connection: Connection) -> None:
        """Serve one connection."""
        while True:
            head, _, body = (await connection.request()).partition(b"\r\n\r\n")
            self.heads.append(head)
            if b"content-encoding: gzip" in head.lower():
                body = gzip.decompress(body)
            self.received += body
            self._read(head.split(b" ")[1].decode(), body)
            async with self.arrived:
                self.arrived.notify_all()
            if not self.answers:
                await asyncio.Event().wait()
            await connection.send(response(200, b"", "Content-Type: application/x-protobuf"))

    def _read(self, path: str, body: bytes) -> None:
        message = _MESSAGES[path].FromString(body)
        for part in getattr(message, "resource_" + path.removeprefix("/v1/").replace("traces", "spans")):
            self.resources.append(attributes(part.resource.attributes))
            match path:
                case "/v1/traces":
                    self.spans += [span for scope in part.scope_spans for span in scope.spans]
                case "/v1/logs":
                    self.logs += [record for scope in part.scope_logs for record in scope.log_records]
                case "/v1/metrics":
                    self.metrics |= {metric.name: metric for scope in part.scope_metrics for metric in scope.metrics}

    async def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until the condition gives something true; return that."""
        async with asyncio.timeout(TEST_SECONDS), self.arrived:
            return await self.arrived.wait_for(condition)

    def named(self, name: str) -> list[Span]:
        """Return the spans of this name."""
        return [span for span in self.spans if span.name == name]

    async def span(self, name: str) -> Span:
        """Wait for a span of this name; return the first."""
        return (await self.until(lambda: self.named(name)))[0]

    def texts(self) -> Iterator[str]:
        """Yield every text that the spans hold."""
        for span in self.spans:
            yield span.name
            yield span.status.message
            for pairs in (span.attributes, *(event.attributes for event in span.events)):
                for name, value in attributes(pairs).items():
                    yield name
                    yield str(value)


@asynccontextmanager
async def collecting(**options: Any) -> AsyncIterator[Collector]:
    """Run a collector on a free port of this machine."""
    collector = Collector(**options)
    async with serve(collector.script) as server:
        collector.url = server.url.rstrip("/")
        yield collector


def settings(collector: Collector, **more: str) -> dict[str, str]:
    """Return the variables with which a process sends everything to it at once."""
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "50", "OTEL_BLRP_SCHEDULE_DELAY": "50",
        "OTEL_METRIC_EXPORT_INTERVAL": "200",
    } | more  # fmt: skip
