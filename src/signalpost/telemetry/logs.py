"""The lines of the log as OTLP: the same lines with the same fields, beside those on standard error."""

from collections.abc import Mapping
from typing import Any, Final

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.sdk._logs import LoggerProvider

from signalpost.kit import tracing
from signalpost.telemetry.spans import OtelSpan

_SEVERITIES: Final = {
    "debug": SeverityNumber.DEBUG, "info": SeverityNumber.INFO, "warning": SeverityNumber.WARN,
    "error": SeverityNumber.ERROR,
}  # fmt: skip
_NOT_ATTRIBUTES: Final = frozenset({"at", "event", "level", "trace_id", "span_id"})
_NAMES: Final = {"exception": "exception.stacktrace"}


class LogExport:
    """Turns a line into a record and puts it into the queue."""

    def __init__(self, provider: LoggerProvider, version: str) -> None:
        self._logger = provider.get_logger("signalpost", version)

    def __call__(self, fields: Mapping[str, Any]) -> None:
        """Take a line as `kit.log` writes it."""
        span = tracing.current.get()
        at = int(fields["at"].timestamp() * 1e9)
        self._logger.emit(
            LogRecord(
                timestamp=at,
                observed_timestamp=at,
                context=span.within() if isinstance(span, OtelSpan) else Context(),
                severity_text=fields["level"].upper(),
                severity_number=_SEVERITIES[fields["level"]],
                body=fields["event"],
                event_name=fields["event"],
                attributes={
                    _NAMES.get(name, name): value if isinstance(value, str | int | float | bool) else str(value)
                    for name, value in fields.items()
                    if name not in _NOT_ATTRIBUTES and value is not None
                },
            )
        )
