"""What OpenTelemetry's library complains of, such as a collector that is away, as lines of our log."""

import logging
from typing import Final

from signalpost.kit import clock, log

EVERY_SECONDS: Final = 60.0
"""A collector that is away would fill the log: of each complaint, one a minute is written."""
_SIGNALS: Final = frozenset({"spans", "logs", "metrics", "Span", "Log"})
_COMPLAINTS_MAX: Final = 100
_logger = log.get("telemetry")


class _Complaints(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._written: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write it, without what may be secret: addresses, headers, what a collector answered."""
        now, text = clock.monotonic(), str(record.msg)
        if now - self._written.get(text, -EVERY_SECONDS) < EVERY_SECONDS:
            return
        if len(self._written) >= _COMPLAINTS_MAX:
            self._written.clear()
        self._written[text] = now
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        _logger.warning("telemetry.not_exported", reason=_filled(text, record.args), error=error)


def _filled(text: str, arguments: object) -> str:
    """Return the message with what is certainly not secret of its arguments."""
    if not isinstance(arguments, tuple):
        return text
    try:
        return text % tuple(map(_harmless, arguments))
    except (TypeError, ValueError):  # a number was expected
        return text


def _harmless(argument: object) -> object:
    match argument:
        case BaseException():
            return type(argument).__name__
        case int() | float():
            return argument
        case str() if argument in _SIGNALS:
            return argument
    return "…"


def listen() -> None:
    """Have the library's log go through ours, instead of as plain text to standard error."""
    library = logging.getLogger("opentelemetry")
    library.handlers = [_Complaints()]
    library.propagate = False
