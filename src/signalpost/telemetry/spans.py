"""Spans by OpenTelemetry's library. A post has a trace of its own, whose ids follow from its id: decision 0438."""

import hashlib
import time
from contextvars import ContextVar
from typing import Final
from uuid import UUID

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, StatusCode, TraceFlags
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from signalpost.kit import ids, tracing

TRACEPARENT_MAX: Final = 200
"""A longer header is none. Version 00 has 55 characters."""
LINKS_MAX: Final = 100
"""To so many of the posts that a request wrote it has a link; each post has one to the request."""
_KINDS: Final = {"internal": SpanKind.INTERNAL, "server": SpanKind.SERVER, "client": SpanKind.CLIENT}
_ROOT: Final = Context()
_read_header = TraceContextTextMapPropagator().extract


class PostIds(RandomIdGenerator):
    """Random ids, but for the first span of a post."""

    def __init__(self) -> None:
        self.next: ContextVar[tuple[int, int] | None] = ContextVar("next_ids", default=None)

    def generate_trace_id(self) -> int:
        mine = self.next.get()
        return super().generate_trace_id() if mine is None else mine[0]

    def generate_span_id(self) -> int:
        mine = self.next.get()
        return super().generate_span_id() if mine is None else mine[1]


def ids_of_post(post_id: UUID) -> tuple[int, int]:
    """Return the ids of the trace of a post and of its first span, the same in every process at any time."""
    digest = hashlib.sha256(b"signalpost.post" + post_id.bytes).digest()
    return int.from_bytes(digest[:16]) or 1, int.from_bytes(digest[16:24]) or 1


class OtelSpan:
    """See `kit.tracing.Span`."""

    __slots__ = ("_recorder", "_span", "posts")

    def __init__(self, recorder: "OtelRecorder", span: trace.Span) -> None:
        self._recorder = recorder
        self._span = span
        self.posts: dict[UUID, int] = {}
        """Posts that were written within it, and when, in nanoseconds since 1970."""

    @property
    def is_open(self) -> bool:
        return self._span.is_recording()

    @property
    def trace_id(self) -> str:
        return f"{self.context.trace_id:032x}"

    @property
    def span_id(self) -> str:
        return f"{self.context.span_id:016x}"

    @property
    def traceparent(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{self.context.trace_flags & TraceFlags.SAMPLED:02x}"

    @property
    def context(self) -> SpanContext:
        return self._span.get_span_context()

    def within(self) -> Context:
        """Return the context of spans within this one."""
        return trace.set_span_in_context(self._span, _ROOT)

    def link(self, context: SpanContext) -> None:
        self._span.add_link(context)

    def set(self, attributes: tracing.Attributes) -> None:
        self._span.set_attributes(attributes)

    def fail(self, error_type: str) -> None:
        self._span.set_attribute("error.type", error_type)
        self._span.set_status(Status(StatusCode.ERROR))
        self.posts.clear()  # they were rolled back

    def end(self) -> None:
        if self.posts:
            self._recorder.begin_posts(self, self.posts)
        self._span.end()


class OtelRecorder:
    """See `kit.tracing.Recorder`."""

    def __init__(self, provider: TracerProvider, generator: PostIds, version: str) -> None:
        self._tracer = provider.get_tracer("signalpost", version)
        self._sampler = provider.sampler
        self._ids = generator

    def begin(
        self, name: str, kind: tracing.Kind, parent: tracing.Parent, attributes: tracing.Attributes
    ) -> tracing.Span:
        """See `Recorder`."""
        match parent:
            case UUID():
                context = self._of_post(parent)
            case str():
                context = _of_header(parent)
            case OtelSpan():
                context = parent.within()
            case _:
                context = _ROOT
        return OtelSpan(self, self._tracer.start_span(name, context, _KINDS[kind], attributes))

    def post_written(self, post_id: UUID, span: tracing.Span | None) -> None:
        """See `Recorder`."""
        now = time.time_ns()
        if isinstance(span, OtelSpan) and span.is_open:
            span.posts[post_id] = now
        else:
            self.begin_posts(None, {post_id: now})

    def begin_posts(self, span: OtelSpan | None, written: dict[UUID, int]) -> None:
        """Record the first span of each post, linked with the span that wrote it."""
        links = [] if span is None else [Link(span.context)]
        for count, (post_id, at) in enumerate(written.items()):
            mine = ids_of_post(post_id)
            token = self._ids.next.set(mine)
            try:
                first = self._tracer.start_span(
                    "post", _ROOT, attributes={"signalpost.post.id": ids.encode("pst", post_id)}, links=links,
                    start_time=at,
                )  # fmt: skip
            finally:
                self._ids.next.reset(token)
            first.end()
            if span is not None and count < LINKS_MAX:
                span.link(first.get_span_context())

    def _of_post(self, post_id: UUID) -> Context:
        """Return the context of spans in the trace of a post, which is recorded or not as its first span was."""
        trace_id, span_id = ids_of_post(post_id)
        is_sampled = self._sampler.should_sample(_ROOT, trace_id, "post").decision is Decision.RECORD_AND_SAMPLE
        flags = TraceFlags(TraceFlags.SAMPLED if is_sampled else TraceFlags.DEFAULT)
        first = SpanContext(trace_id, span_id, is_remote=True, trace_flags=flags)
        return trace.set_span_in_context(trace.NonRecordingSpan(first), _ROOT)


def _of_header(traceparent: str) -> Context:
    if len(traceparent) > TRACEPARENT_MAX:
        return _ROOT
    return _read_header({"traceparent": traceparent}, _ROOT)
