"""Whether work on foreign text is linear: measured by its own CPU time, as a ratio, whatever else the machine does."""

import gc
import itertools
import time
from collections.abc import Callable, Sequence

ROUNDS = 5
TRIES_MAX = 24
"""What is linear passes one of these; other load on the machine can spoil some."""
FACTOR = 4
RATIO_MAX = 8.0
"""`FACTOR` times the input may take this many times as long; quadratic work takes sixteen times as long."""
SECONDS_MIN = 0.002
"""Less than this on the larger input is too short to measure, and to matter."""


def _seconds(look: Callable[[str], object], text: str) -> float:
    """Return the CPU time of one call."""
    gc.disable()  # what it costs depends on all that the process holds
    try:
        started = time.thread_time()
        look(text)
        return time.thread_time() - started
    finally:
        gc.enable()


def require_linear(
    look: Callable[[str], object],
    text_of: Callable[[int], str],
    size: int,
    *,
    ratio_max: float = RATIO_MAX,
    steps: Sequence[int] = (8, 1),
) -> None:
    """Assert that the time grows with the length of the text, up to `size`. A quadratic look fails within seconds.

    `steps`: the parts of `size` that are measured; a small one first, so that quadratic work ends early.
    One fast call with the large text is enough, since the fastest of several is not slower: what else the machine does
    can only add to a call, and so the fastest so far is held against the fastest short ones. No text is looked at
    twice, for a look may remember the last ones.
    """
    for part in (size // step for step in steps):
        small = part // FACTOR
        lengths = itertools.cycle(range(small, small // 2, -1))
        long = float("inf")
        for left in range(TRIES_MAX - 1, -1, -1):
            long = min(long, _seconds(look, text_of(part - left)))
            if long < SECONDS_MIN:
                break
            short = min(_seconds(look, text_of(next(lengths))) for _ in range(ROUNDS))
            if long / short < ratio_max:
                break
            assert left, f"{small} characters take {short * 1000:.1f} ms, {part} take {long * 1000:.1f} ms"
