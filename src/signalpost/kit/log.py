"""Logs: one JSON line per event on standard error, or lines for people at a terminal.

Our own, since the usual library imports so much that every start and every idle process paid for it
(decision 0111).
"""

import logging
import sys
import traceback
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

import msgspec

from signalpost.kit import tracing

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the current request; it is in each of its log lines, problems and audit rows."""

client_address: ContextVar[str | None] = ContextVar("client_address", default=None)
"""The address of the client whose request this is, for audit rows."""

user_agent: ContextVar[bytes] = ContextVar("user_agent", default=b"")
"""What the client whose request this is calls itself, as it was sent, for the sessions that it opens."""

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_COLOURS = {"debug": "32", "info": "32", "warning": "33", "error": "31"}
_encode = msgspec.json.Encoder(enc_hook=str).encode


class _Output:
    """Where lines go and which of them; one for the process, replaced by `set_up`."""

    def __init__(self, level: str, *, human: bool) -> None:
        self.level = _LEVELS[level]
        self.human = human


_output = _Output("info", human=False)
exporter: Callable[[Mapping[str, Any]], None] | None = None
"""Receives every line that is written, too; set by `telemetry`. It returns at once and raises nothing."""


def set_up(*, level: str = "info", human: bool | None = None) -> None:
    """Configure logging once per process. `human`: lines for people; by default at a terminal only."""
    global _output  # noqa: PLW0603 - loggers of every room write through it
    _output = _Output(level, human=sys.stderr.isatty() if human is None else human)
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")


class Logger:
    """The logger of a room. `exc_info` takes an exception, or True for the one that is being handled."""

    def __init__(self, room: str) -> None:
        self._room = room

    def debug(self, event: str, **fields: Any) -> None:
        self._log("debug", event, fields)

    def info(self, event: str, **fields: Any) -> None:
        self._log("info", event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        self._log("warning", event, fields)

    def error(self, event: str, **fields: Any) -> None:
        self._log("error", event, fields)

    def exception(self, event: str, **fields: Any) -> None:
        """Log an error with the traceback of the exception that is being handled."""
        self._log("error", event, {"exc_info": True} | fields)

    def writes(self, level: str) -> bool:
        """Whether lines of this level are written: ask where collecting the fields would cost something."""
        return _LEVELS[level] >= _output.level

    def log(self, level: str, event: str, **fields: Any) -> None:
        """Log with the level as an argument."""
        self._log(level, event, fields)

    def _log(self, level: str, event: str, fields: dict[str, Any]) -> None:
        if not self.writes(level):
            return
        if failure := fields.pop("exc_info", None):
            error = failure if isinstance(failure, BaseException) else sys.exception()
            fields["exception"] = "".join(traceback.format_exception(error)).rstrip()
        if (current := request_id.get()) is not None:
            fields.setdefault("request_id", current)
        if (span := tracing.current.get()) is not None:
            fields |= {"trace_id": span.trace_id, "span_id": span.span_id}
        fields = {"room": self._room, **fields, "event": event, "level": level, "at": datetime.now(UTC)}
        if exporter is not None:
            exporter(fields.copy())
        line = _for_people(fields) if _output.human else _encode(fields)
        sys.stderr.buffer.write(line + b"\n")  # one call, so that lines of threads do not mix
        sys.stderr.buffer.flush()


def _for_people(fields: dict[str, Any]) -> bytes:
    at, level, event, trace = fields.pop("at"), fields.pop("level"), fields.pop("event"), fields.pop("exception", "")
    values = " ".join(f"{name}={value!r}" for name, value in fields.items())
    start, end = (f"\x1b[{_COLOURS[level]}m", "\x1b[0m") if sys.stderr.isatty() else ("", "")
    return f"{at:%H:%M:%S.%f} {start}{level:<7}{end} {event:<30} {values}\n{trace}".rstrip().encode(errors="replace")


def get(name: str) -> Logger:
    """Return the logger of a room."""
    return Logger(name)
