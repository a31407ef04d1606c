"""A recorder whose spans stay in memory."""

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import Sampler

from signalpost.telemetry.spans import OtelRecorder, PostIds


class Recording:
    def __init__(self, sampler: Sampler | None = None) -> None:
        generator, self._exporter = PostIds(), InMemorySpanExporter()
        provider = TracerProvider(sampler, shutdown_on_exit=False, id_generator=generator)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.recorder = OtelRecorder(provider, generator, "1")

    def all(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()

    def spans(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all() if span.name == name]
