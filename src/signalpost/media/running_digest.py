"""The SHA-256 of a file, computed while it arrives."""

import hashlib
from pathlib import Path
from typing import Final

_STATE_BYTES: Final = 64 * 1024 * 1024
_READ_BYTES: Final = 1024 * 1024
_HEAD_BYTES: Final = 4096


class RunningDigest:
    """Takes the bytes of a file in their order.

    Examining a file may blank metadata in it, in a video often at its very end. The state of the hash is kept every 64
    MiB, so that a change costs the reading of what follows it, and not of the whole file. A video whose index stands at
    its start will most likely change there, so its bytes are not hashed in vain.

    Args:
        needed: the digest of the bytes as they arrived is asked for, whatever becomes of them.
    """

    def __init__(self, *, needed: bool) -> None:
        self._hash = hashlib.sha256()
        self.size = 0
        self._states = [(0, self._hash.copy())]
        self._needed = needed
        self.is_given_up = False

    def update(self, piece: bytes | bytearray) -> None:
        """Add the next bytes."""
        if self.size == 0 and not self._needed:
            start = bytes(piece[:_HEAD_BYTES]).partition(b"mdat")[0]
            self.is_given_up = b"ftyp" in start[:12] and b"moov" in start
        if self.is_given_up:
            return
        self._hash.update(piece)
        self.size += len(piece)
        if self.size - self._states[-1][0] >= _STATE_BYTES:
            self._states.append((self.size, self._hash.copy()))

    def digest(self) -> bytes:
        """Return the digest of all bytes so far."""
        return self._hash.digest()

    def digest_after_change(self, path: Path, changed_at: int) -> bytes:
        """Return the digest of the file as it is now; it has changed at this offset, and maybe behind it."""
        start, state = next(entry for entry in reversed(self._states) if entry[0] <= changed_at)
        changed = state.copy()
        with path.open("rb", buffering=0) as file:
            file.seek(start)
            while piece := file.read(_READ_BYTES):
                changed.update(piece)
        return changed.digest()
