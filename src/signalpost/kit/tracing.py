"""Spans: what this process did and how long it took, one within another.

Nobody records them unless `telemetry` is started, and this module knows no library: what is not recorded costs a
comparison with None. See decision 0438.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import Literal, Protocol, TypeAlias
from uuid import UUID

Kind = Literal["internal", "server", "client"]
Attributes: TypeAlias = Mapping[str, str | int | float | bool]
"""Names are those of OpenTelemetry's conventions, or begin with `signalpost.`. Never what users write, nor a secret."""


class Span(Protocol):
    """A span that has begun."""

    @property
    def is_open(self) -> bool:
        """Whether it is recorded and has not ended, so that other spans can stand within it."""

    @property
    def trace_id(self) -> str: ...
    @property
    def span_id(self) -> str: ...
    @property
    def traceparent(self) -> str:
        """The header by which another program continues it (W3C Trace Context)."""

    def set(self, attributes: Attributes) -> None: ...
    def fail(self, error_type: str) -> None:
        """Mark it as failed. `error_type` is the name of a class or a code, not a message."""

    def end(self) -> None: ...


Parent: TypeAlias = Span | UUID | str | None
"""A span of this process; a post, whose trace is continued; a `traceparent` as a client sent it; or nothing."""


class Recorder(Protocol):
    """What records spans."""

    def begin(self, name: str, kind: Kind, parent: Parent, attributes: Attributes) -> Span:
        """Begin a span. A `traceparent` that is not valid counts as none."""

    def post_written(self, post_id: UUID, span: Span | None) -> None:
        """Begin the trace of a new post once this span has ended well; at once without an open one."""


recorder: Recorder | None = None
"""Set before anything is served, by `telemetry`."""
current: ContextVar[Span | None] = ContextVar("span", default=None)
"""The span that this task works in. It may have ended: a task that was started within it lives on."""


def open_span() -> Span | None:
    """Return the span that this task works in, if it is recorded."""
    span = current.get()
    return span if span is not None and span.is_open else None


def post_written(post_id: UUID, span: Span | None) -> None:
    """Report that a post was written within a span: it has a trace of its own."""
    if recorder is not None:
        recorder.post_written(post_id, span)


class Recorded:
    """`with Recorded(...) as span:` records a span around a block; `span` is None if nobody records."""

    __slots__ = ("_attributes", "_kind", "_name", "_parent", "_span", "_token")

    def __init__(
        self, name: str, attributes: Attributes | None = None, *, kind: Kind = "internal", parent: Parent = None
    ) -> None:
        """Without a parent, the span stands within the current one, if there is one."""
        self._name, self._kind, self._parent, self._attributes = name, kind, parent, attributes or {}
        self._span: Span | None = None

    def __enter__(self) -> Span | None:
        if recorder is None:
            return None
        self._span = recorder.begin(self._name, self._kind, self._parent or open_span(), self._attributes)
        self._token = current.set(self._span)
        return self._span

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._span is None:
            return
        current.reset(self._token)
        if kind is not None:
            self._span.fail(kind.__name__)
        self._span.end()
