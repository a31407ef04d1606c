"""Logs: one JSON line per event on standard error, or coloured lines at a terminal."""

import logging
import sys
from contextvars import ContextVar
from typing import Any

import msgspec
import structlog

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the current request; it is in each of its log lines, problems and audit rows."""

_encode = msgspec.json.Encoder(enc_hook=str).encode


def _with_request_id(_logger: Any, _method: str, event: Any) -> Any:
    if (current := request_id.get()) is not None:
        event.setdefault("request_id", current)
    return event


def _to_json(_logger: Any, _method: str, event: Any) -> bytes:
    return _encode(event)


def set_up(*, level: str = "info", human: bool | None = None) -> None:
    """Configure logging once per process. `human`: coloured lines; by default at a terminal only."""
    if human is None:
        human = sys.stderr.isatty()
    shared: list[Any] = [
        _with_request_id,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    ]
    if human:
        processors = [*shared, structlog.dev.ConsoleRenderer()]
        factory: Any = structlog.PrintLoggerFactory(sys.stderr)
    else:
        processors = [*shared, structlog.processors.format_exc_info, _to_json]
        factory = structlog.BytesLoggerFactory(sys.stderr.buffer)
    structlog.configure(
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=factory,
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")


def get(name: str) -> Any:
    """Return the logger of a room."""
    return structlog.get_logger(room=name)
