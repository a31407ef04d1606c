"""How long a test waits for what comes by itself."""

from typing import Final

TEST_SECONDS: Final = 280.0
"""A wait ends with its condition. This is for what never comes: a little less than a test may take (`timeout` in
pyproject.toml), so that the wait can still say what it was. A shorter one fails where a machine stands still for a
while, or has much else to do."""
