"""Whether work on foreign text is linear: measured by its own CPU time, as a ratio, whatever else the machine does."""

import gc
import time
from collections.abc import Callable

ROUNDS = 5
RATIO_MAX = 3.0
"""Twice the input may take this many times as long; quadratic work takes four times as long."""
SECONDS_MIN = 0.002
"""Less than this on the doubled input is too short to measure, and to matter."""


def cpu_seconds(look: Callable[[str], object], text: str) -> float:
    """Return the CPU time of the fastest of some calls."""
    return min(_once(look, text) for _ in range(ROUNDS))


def _once(look: Callable[[str], object], text: str) -> float:
    gc.disable()  # what it costs depends on all that the process holds
    try:
        started = time.thread_time()
        look(text)
        return time.thread_time() - started
    finally:
        gc.enable()


def require_linear(look: Callable[[str], object], text_of: Callable[[int], str], size: int) -> None:
    """Assert that a text of twice the `size` takes about twice as long. A quadratic look fails within seconds."""
    for part in (size // 8, size):  # the small one first, so that quadratic work ends early
        single, double = cpu_seconds(look, text_of(part)), cpu_seconds(look, text_of(2 * part))
        assert double < SECONDS_MIN or double / single < RATIO_MAX, (
            f"{part} characters take {single * 1000:.1f} ms, twice as many {double * 1000:.1f} ms"
        )
