"""Work of several calls, written once for both clients: a generator yields what it needs, and gets what came of it."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from signalpost_client._call import Call

T = TypeVar("T")


@dataclass(frozen=True)
class Wait:
    """Let time pass."""

    seconds: float


@dataclass(frozen=True)
class Response:
    """What a call brought, with its headers by lower-case names."""

    value: Any
    headers: Mapping[str, str]


Steps = Generator[Call | Wait, Any, T]
"""For a call it gets an `Response`, or the error is raised where it yielded."""


@dataclass(frozen=True)
class Done:
    """What the steps returned."""

    value: Any


def advance(steps: Steps[Any], answer: Response | None, error: Exception | None) -> Call | Wait | Done:
    """Go to the next step; what a generator returns cannot leave a thread as its exception does."""
    try:
        return steps.send(answer) if error is None else steps.throw(error)
    except StopIteration as end:
        return Done(end.value)
