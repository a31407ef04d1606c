"""What the engine counts. Labels carry no ids, so that the number of series stays bounded.

| Metric | Labels | Meaning |
|---|---|---|
| `signalpost_engine_lag_seconds` | source, platform | histogram: due time of a lane's first item to its claim |
| `signalpost_engine_items_claimed_total` | source, platform | items handed out |
| `signalpost_engine_items_finished_total` | source, platform | items that ran to their end |
| `signalpost_engine_item_outcomes_total` | source, platform, outcome | items by the outcome that the source reported |
| `signalpost_engine_items_retried_total` | source, platform | items whose outcome is another attempt later |
| `signalpost_engine_unexpected_errors_total` | source, platform | items that raised an unexpected exception |
| `signalpost_engine_leases_lost_total` | source, platform | lanes taken away while this process held them |
| `signalpost_engine_lanes_freed_total` | source | lanes freed because their worker died or hung |
| `signalpost_engine_loop_failures_total` | loop | rounds of a loop that failed and were tried again |

`source` is the kind of work: `target` (publishing), `delivery` (webhooks) or `job`.
"""

from functools import cache
from typing import NamedTuple

from prometheus_client import Counter, Histogram

_LABELS = ("source", "platform")

LAG = Histogram(
    "signalpost_engine_lag_seconds",
    "Time from when the first item of a lane was due to the claim of the lane",
    _LABELS,
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 3600),
)
CLAIMED = Counter("signalpost_engine_items_claimed_total", "Items handed out", _LABELS)
FINISHED = Counter("signalpost_engine_items_finished_total", "Items that ran to their end", _LABELS)
OUTCOMES = Counter(
    "signalpost_engine_item_outcomes_total", "Items by the outcome that the source reported", (*_LABELS, "outcome")
)
RETRIED = Counter("signalpost_engine_items_retried_total", "Items whose outcome is another attempt later", _LABELS)
ERRORS = Counter("signalpost_engine_unexpected_errors_total", "Items that raised an unexpected exception", _LABELS)
LEASES_LOST = Counter("signalpost_engine_leases_lost_total", "Lanes taken away while this process held them", _LABELS)
LANES_FREED = Counter(
    "signalpost_engine_lanes_freed_total", "Lanes freed because their worker died or hung", ("source",)
)
LOOP_FAILURES = Counter(
    "signalpost_engine_loop_failures_total", "Rounds of a loop that failed and were tried again", ("loop",)
)


class LaneMetrics(NamedTuple):
    """The series of one source and platform; looking them up by their labels costs as much as all else per lane."""

    lag: Histogram
    claimed: Counter
    finished: Counter
    retried: Counter
    errors: Counter
    leases_lost: Counter


@cache
def of(source: str, platform: str) -> LaneMetrics:
    """Return the series with these labels."""
    labels = (source, platform)
    return LaneMetrics(
        LAG.labels(*labels),
        CLAIMED.labels(*labels),
        FINISHED.labels(*labels),
        RETRIED.labels(*labels),
        ERRORS.labels(*labels),
        LEASES_LOST.labels(*labels),
    )


@cache
def outcomes(source: str, platform: str, outcome: str) -> Counter:
    """Return the series of this outcome."""
    return OUTCOMES.labels(source, platform, outcome)
