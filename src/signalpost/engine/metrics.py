"""What the engine counts, by source and platform (no ids: the number of series stays bounded)."""

from prometheus_client import Counter, Histogram

_LABELS = ("source", "platform")

LAG = Histogram(
    "signalpost_engine_lag_seconds",
    "From the time a lane's first item was due to the claim of that lane",
    _LABELS,
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 3600),
)
CLAIMED = Counter("signalpost_engine_claimed_items", "Items handed out", _LABELS)
FINISHED = Counter("signalpost_engine_finished_items", "Items that ran to their end", _LABELS)
ENDED = Counter("signalpost_engine_ended_items", "Items by the outcome that the source named", (*_LABELS, "outcome"))
RETRIED = Counter("signalpost_engine_retried_items", "Items whose outcome is another attempt later", _LABELS)
ERRORS = Counter("signalpost_engine_unforeseen_errors", "Items that raised something nobody foresaw", _LABELS)
LEASE_LOST = Counter("signalpost_engine_leases_lost", "Lanes taken away while we held them", _LABELS)
REAPED = Counter("signalpost_engine_lanes_reaped", "Lanes freed because their worker died or hung", ("source",))
LOOP_FAILURES = Counter(
    "signalpost_engine_loop_failures", "Rounds of a loop that failed and were tried again", ("loop",)
)
