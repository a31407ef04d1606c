"""How long a test waits for what comes by itself."""

from collections.abc import Iterator
from typing import Final

TEST_SECONDS: Final = 280.0
"""A wait ends with its condition. This is for what never comes: a little less than a test may take (`timeout` in
pyproject.toml), so that the wait can still say what it was. A shorter one fails where a machine stands still for a
while, or has much else to do."""
PAGE_SECONDS: Final = 120.0
"""The same for what a page in a browser shows. It leaves time to say what the pages show instead."""


def pauses() -> Iterator[float]:
    """Yield the seconds from one look to the next: fifty looks a second slow down what is waited for."""
    pause = 0.02
    while True:
        yield pause
        pause = min(pause * 1.3, 0.1)
