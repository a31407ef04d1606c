"""What the API counts. Labels carry no ids, so that the number of series stays bounded.

| Metric | Labels | Meaning |
|---|---|---|
| `signalpost_http_requests_total` | operation, code | requests that reached an operation |
| `signalpost_http_request_duration_seconds` | method | histogram: from the head of a request to its response |
"""

from functools import cache

from prometheus_client import Counter, Histogram

REQUESTS = Counter("signalpost_http_requests_total", "Requests that reached an operation", ("operation", "code"))
DURATION = Histogram(
    "signalpost_http_request_duration_seconds",
    "Time from the head of a request to its response",
    ("method",),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


@cache
def _requests(operation: str, code: int) -> Counter:
    return REQUESTS.labels(operation, str(code))


@cache
def _duration(method: str) -> Histogram:
    return DURATION.labels(method)


def observe(operation: str, method: str, code: int, seconds: float) -> None:
    """Count a request to an operation, by the name of its handler, and how long it took."""
    _requests(operation, code).inc()
    _duration(method).observe(seconds)
