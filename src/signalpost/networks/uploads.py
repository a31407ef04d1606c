"""Reads files in the parts that a network asks for, with about a mebibyte of a file in memory."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Final

from signalpost.networks.contract import NetworkSession, OutgoingMedia

ATTEMPT_SECONDS: Final = 120.0
"""After so long an upload is interrupted as `Pending`; the next attempt continues where it stopped."""
PART_SECONDS: Final = 100.0
"""For one part. An attempt has 240 s for everything."""


class UploadClock:
    """Says when an attempt has uploaded for long enough."""

    def __init__(self, session: NetworkSession) -> None:
        self._now = session.now
        self._until: datetime = session.now() + timedelta(seconds=ATTEMPT_SECONDS)

    @property
    def is_over(self) -> bool:
        return self._now() >= self._until


class FileParts:
    """The parts of a file, read in order from one stream; what lies before a part is skipped."""

    def __init__(self, media: OutgoingMedia) -> None:
        self._pieces = media.read()
        self._at = 0
        self._rest = b""

    async def read(self, start: int, end: int) -> AsyncIterator[bytes]:
        """Yield the bytes from `start` to `end` (exclusive); `start` is not before the end of the last part."""
        while self._at < end:
            if not self._rest:
                self._rest = await anext(self._pieces, b"")
                if not self._rest:
                    return  # the file is shorter than it was: the network refuses the part
            skipped = min(max(start - self._at, 0), len(self._rest))
            taken = self._rest[skipped : max(end - self._at, 0)] if skipped < len(self._rest) else b""
            self._at += skipped + len(taken)
            self._rest = self._rest[skipped + len(taken) :]
            if taken:
                yield taken
