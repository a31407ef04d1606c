"""Request ids: `req_`, the milliseconds since 1970 in 11 hexadecimal digits, and 9 that are random.

So whoever looks for a request knows when it was made.
"""

import os
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime

_OURS = re.compile(r"req_([0-9a-f]{11})[0-9a-f]{9}")


def _ids() -> Iterator[str]:
    """Yield request ids; one call of the system gives the randomness for many."""
    while True:
        digits = os.urandom(2_304).hex()
        for start in range(0, len(digits), 9):
            yield f"req_{time.time_ns() // 1_000_000:011x}{digits[start : start + 9]}"


next_id = _ids().__next__
"""Return a new request id."""


def request_time(request_id: str) -> datetime | None:
    """Return when a request id was made; None for one that the client has chosen."""
    match = _OURS.fullmatch(request_id)
    return None if match is None else datetime.fromtimestamp(int(match[1], 16) / 1000, UTC)
