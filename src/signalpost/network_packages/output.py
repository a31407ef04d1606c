"""Keeps secrets out of what packages print and log: while a package works for an account, its secrets are replaced."""

import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TextIO

from signalpost.networks.responses import redacted

SECRET_LENGTH_MIN: Final = 8
LINE_MAX: Final = 4_096
_secrets: ContextVar[tuple[str, ...] | None] = ContextVar("package_secrets", default=None)


@contextmanager
def secret(values: Iterable[str]) -> Iterator[None]:
    """Work with secrets that nothing may print, here and in whatever this starts."""
    longest_first = sorted({value for value in values if len(value) >= SECRET_LENGTH_MIN}, key=len, reverse=True)
    token = _secrets.set(tuple(longest_first))
    try:
        yield
    finally:
        _secrets.reset(token)


def without_secrets(text: str) -> str:
    """Return the beginning of a text without the secrets that are worked with, nor what looks like one."""
    for value in _secrets.get() or ():
        text = text.replace(value, "[redacted]")
    return redacted(text[: 4 * LINE_MAX])[:LINE_MAX]


class Output:
    """A text stream as another one, but packages write no secrets to it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        self.stream.write(text if _secrets.get() is None else without_secrets(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def guard() -> None:
    """Put the streams of this process behind `Output`; safe to call again."""
    streams: Any = sys
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, Output):
            guarded: Any = Output(stream)
            setattr(streams, name, guarded)
            for handler in logging.getLogger().handlers:
                if isinstance(handler, logging.StreamHandler) and handler.stream is stream:
                    handler.setStream(guarded)
