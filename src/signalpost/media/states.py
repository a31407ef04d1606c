"""The states of a file. Every statement that changes one takes the states it may start from here."""

from typing import Final, Literal

MediaStatus = Literal["pending", "uploaded", "processing", "ready", "failed", "deleted"]

UploadMethod = Literal["put", "object", "resumable"]
"""How the bytes of an announced file arrive: by PUT to us, by PUT to the object store, or in pieces."""

MOVES: Final[dict[MediaStatus, frozenset[MediaStatus]]] = {
    "pending": frozenset({"uploaded", "failed", "deleted"}),
    "uploaded": frozenset({"processing", "failed", "pending"}),
    "processing": frozenset({"ready", "failed", "pending"}),
    "ready": frozenset({"deleted"}),
    "failed": frozenset({"deleted"}),
    "deleted": frozenset(),
}
"""From -> to. A direct upload is examined before its row is written, so its row starts as `processing`: the bytes are
on their way into the object store. An announced file starts as `pending`, and is pending again if its bytes could not
be stored; deleting it then cancels its upload."""


def before(status: MediaStatus) -> list[MediaStatus]:
    """Return the states from which a file may become `status`: for `where status = any($n)`."""
    return [start for start, ends in MOVES.items() if status in ends]
