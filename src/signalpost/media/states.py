"""The states of a file. Every statement that changes one takes the states it may start from here."""

from typing import Final, Literal

MediaStatus = Literal["pending", "uploaded", "processing", "ready", "failed", "deleted"]

MOVES: Final[dict[MediaStatus, frozenset[MediaStatus]]] = {
    "pending": frozenset({"uploaded", "failed"}),
    "uploaded": frozenset({"processing", "failed"}),
    "processing": frozenset({"ready", "failed"}),
    "ready": frozenset({"deleted"}),
    "failed": frozenset({"deleted"}),
    "deleted": frozenset(),
}
"""From -> to. A direct upload is examined before its row is written, so its row starts as `processing`: the bytes are
on their way into the object store."""


def before(status: MediaStatus) -> list[MediaStatus]:
    """Return the states from which a file may become `status`: for `where status = any($n)`."""
    return [start for start, ends in MOVES.items() if status in ends]
