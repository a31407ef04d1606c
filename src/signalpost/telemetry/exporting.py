"""What runs while something is exported: queues that are bounded, threads that send, and an end that is bounded too."""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final
from uuid import uuid4

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from signalpost.kit import clock, log, tracing
from signalpost.telemetry import complaints
from signalpost.telemetry.config import Signals, Unusable
from signalpost.telemetry.logs import LogExport
from signalpost.telemetry.metrics import Bridge
from signalpost.telemetry.spans import OtelRecorder, PostIds

END_SECONDS: Final = 2.0
"""How long the end of the process waits until what is queued was sent; a collector that hangs gets no more."""
INTERVAL_SECONDS: Final = 60.0
_logger = log.get("telemetry")


class Exporting:
    """Exports these signals, from its making to `close`. One for the process."""

    def __init__(self, signals: Signals, version: str) -> None:
        """Start it.

        Raises:
            Unusable: a variable has a value that the library refuses.
        """
        complaints.listen()
        self._ends: list[Callable[[], object]] = []
        self._bridge: Bridge | None = None
        resource = _resource(version)
        try:
            self._interval = _interval()
            if signals.traces:
                self._trace(resource, version)
            if signals.logs:
                self._log(resource, version)
            if signals.metrics:
                self._bridge = Bridge(resource, version)
                self._ends.append(partial(self._bridge.close, END_SECONDS))
        except ValueError as error:
            self._stop_recording()
            raise Unusable(f"an OTEL_* variable has a wrong value: {error}", "Correct or remove it.") from None

    def _trace(self, resource: Resource, version: str) -> None:
        generator = PostIds()
        provider = TracerProvider(resource=resource, shutdown_on_exit=False, id_generator=generator)
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._ends.append(provider.shutdown)
        tracing.recorder = OtelRecorder(provider, generator, version)

    def _log(self, resource: Resource, version: str) -> None:
        provider = LoggerProvider(resource, shutdown_on_exit=False)
        provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
        self._ends.append(provider.shutdown)
        log.exporter = LogExport(provider, version)

    async def send_metrics(self, read: Callable[[], Awaitable[None]] | None = None) -> None:
        """Have metrics sent at each interval, until this is cancelled. `read` sets those that are read first."""
        while self._bridge is not None:
            await asyncio.sleep(self._interval)
            try:
                if read is not None:
                    await read()
            except Exception:  # as a page of /metrics that fails, only that nobody asked for it
                _logger.exception("telemetry.metrics_not_read")
            self._bridge.offer()

    async def close(self) -> None:
        """Send what is queued, for `END_SECONDS` at most; what is left is dropped."""
        self._stop_recording()
        await asyncio.to_thread(self._end)

    @staticmethod
    def _stop_recording() -> None:
        tracing.recorder, log.exporter = None, None

    def _end(self) -> None:
        until = clock.monotonic() + END_SECONDS
        threads = [threading.Thread(target=end, daemon=True) for end in self._ends]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until - clock.monotonic()))


def _resource(version: str) -> Resource:
    resource = Resource.create({"service.version": version, "service.instance.id": str(uuid4())})
    if str(resource.attributes["service.name"]).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "signalpost"}))
    return resource


def _interval() -> float:
    milliseconds = os.environ.get("OTEL_METRIC_EXPORT_INTERVAL")
    seconds = float(milliseconds) / 1000 if milliseconds else INTERVAL_SECONDS
    if not seconds > 0:
        raise ValueError("OTEL_METRIC_EXPORT_INTERVAL must be more than 0")
    return seconds
