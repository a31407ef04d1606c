"""The only moves a file may make."""

from typing import Final

MOVES: Final = {
    "pending": frozenset({"uploaded", "failed"}),
    "uploaded": frozenset({"processing", "failed"}),
    "processing": frozenset({"ready", "failed"}),
    "ready": frozenset({"deleted"}),
    "failed": frozenset({"deleted"}),
    "deleted": frozenset[str](),
}
"""From -> to. A direct upload is examined before it gets a row, so its row starts in `processing`: its bytes are on
their way into the store."""


def before(state: str) -> list[str]:
    """Return the states that may become `state`: for `where status = any($n)`."""
    return [start for start, ends in MOVES.items() if state in ends]
