"""The SHA-256 of a file, computed while it arrives."""

import hashlib
import io
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Final

from signalpost.media.probe import boxes
from signalpost.media.probe.errors import InvalidFile, damaged

_STATE_BYTES: Final = 64 * 1024 * 1024
_READ_BYTES: Final = 1024 * 1024
_INDEX_BYTES_MAX: Final = 8 * 1024 * 1024
_INDEX_BOXES_MAX: Final = 5_000
_OUTER_BOXES_MAX: Final = 100


class RunningDigest:
    """Takes the bytes of a file in their order.

    Examining a file may blank metadata in it afterwards, in a video often at its very end. The state of the hash is
    kept every 64 MiB, so that a change costs the reading of the part that changed, and of what follows it only if the
    hash is another one from there on. The index of a video that is made for streaming stands at its start, and most
    likely changes: so it is blanked here too, in memory, and what follows is hashed as it will be if that is right.

    Args:
        needed: the digest of the bytes as they arrived is asked for, so they are hashed as they are.
    """

    def __init__(self, *, needed: bool) -> None:
        self._hash = hashlib.sha256()
        self.size = 0
        self._states = [(0, self._hash.copy())]
        self._index: bytearray | None = None if needed else bytearray()
        self._guessed = 0  # before this offset, what was hashed is not what arrived

    def update(self, piece: bytes | bytearray) -> None:
        """Add the next bytes."""
        if self._index is None:
            self._add(piece)
            return
        self._index += piece
        if len(self._index) >= _INDEX_BYTES_MAX or _index_end(self._index) is not None:
            self._add_index(self._index)

    def digest(self) -> bytes:
        """Return the digest of all bytes so far, if it is `needed`."""
        return self._hash.digest()

    def digest_after_changes(self, path: Path, changes: Sequence[tuple[int, int]]) -> bytes:
        """Return the digest of the file as it is now, as long as before and changed within these parts only."""
        if self._index is not None:
            self._add_index(self._index)
        changes = [*changes, (0, self._guessed)]
        other = None  # the state of the hash, where it is not the one that was kept
        with path.open("rb", buffering=0) as file:
            for (start, state), (end, expected) in pairwise([*self._states, (self.size, self._hash)]):
                if other is None:
                    if not any(start < change_end and change < end for change, change_end in changes):
                        continue
                    other = state.copy()
                _add_part(other, file, start, end)
                if other.digest() == expected.digest():
                    other = None
        return (other or self._hash).digest()

    def _add_index(self, index: bytearray) -> None:
        self._index = None
        arrived = bytes(index[: _index_end(index) or 0])
        blanked = _blanked(arrived)
        self._guessed = 0 if blanked == arrived else len(blanked)
        self._add(blanked)
        self._add(index[len(blanked) :])

    def _add(self, piece: bytes | bytearray) -> None:
        self._hash.update(piece)
        self.size += len(piece)
        if self.size - self._states[-1][0] >= _STATE_BYTES:
            self._states.append((self.size, self._hash.copy()))


def _index_end(start: bytes | bytearray) -> int | None:
    """Return where the first large box of an MP4 file begins, that of its media; 0 if it is none, None if not yet."""
    if start[4:8] != b"ftyp":
        return 0 if len(start) >= 8 else None
    at = 0
    for _ in range(_OUTER_BOXES_MAX):
        if len(start) - at < 16:
            return None
        size = int.from_bytes(start[at : at + 4], "big")
        if size == 1:
            size = int.from_bytes(start[at + 8 : at + 16], "big")
        if size < 8 or at + size > _INDEX_BYTES_MAX:
            return at
        at += size
    return 0


def _blanked(index: bytes) -> bytes:
    """Return the first boxes of a movie without metadata; as they are, if they are damaged or too many."""
    file = _Bounded(index)
    try:
        boxes.blank_movie(file)
    except InvalidFile:
        return index
    return file.getvalue()


class _Bounded(io.BytesIO):
    """Refuses an index of so many boxes that reading them would take the interpreter from others for long."""

    _reads = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self._reads += 1
        if self._reads > _INDEX_BOXES_MAX:
            raise damaged()
        return super().read(size)


def _add_part(state: "hashlib._Hash", file: IO[bytes], start: int, end: int) -> None:
    file.seek(start)
    while start < end and (piece := file.read(min(_READ_BYTES, end - start))):
        state.update(piece)
        start += len(piece)
