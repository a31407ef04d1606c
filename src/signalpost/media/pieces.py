"""A file that arrives in several requests. What is on the disk is how far it is: nothing else keeps its offset."""

import asyncio
import errno
import fcntl
import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from signalpost.kit import problems
from signalpost.media import receiver
from signalpost.media.errors import ChecksumMismatch, UploadConflict
from signalpost.media.running_digest import RunningDigest

_BUFFER_BYTES = 4 * 1024 * 1024
CHECKSUMS = ("sha1", "sha256")


class PiecesFile:
    """The file of one upload, of `length` bytes when all have arrived.

    `path` is what arrives. When it is complete and verified it becomes `received`, which may then be changed.
    """

    def __init__(self, folder: Path, length: int, free_bytes_min: int) -> None:
        self.path = folder / "file"
        self.received = folder / "received"
        self._lock = folder / "lock"
        self.length = length
        self.free_bytes_min = free_bytes_min

    @property
    def offset(self) -> int:
        """How many bytes have arrived."""
        if self.received.exists():
            return self.length
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    @property
    def is_complete(self) -> bool:
        return self.offset == self.length

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """Keep other requests out, of all processes; a process that dies lets them in.

        Raises:
            UploadConflict: another request is in.
        """
        self._lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._lock.open("wb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UploadConflict("Another request is sending the bytes of this upload.") from None
            yield

    async def append(
        self,
        offset: int,
        pieces: AsyncIterator[bytes],
        checksum: tuple[str, bytes] | None,
        digest: RunningDigest | None = None,
    ) -> None:
        """Write what a request sends behind `offset`. If its connection breaks, what has arrived stays.

        Args:
            offset: where the client believes the file to end.
            pieces: the body.
            checksum: algorithm and digest of the whole body. With it the body stays as a whole or not at all.
            digest: takes the bytes too.

        Raises:
            UploadConflict: the file ends elsewhere.
            PayloadTooLarge: the body goes beyond the announced length.
            ChecksumMismatch: the body has another digest.
            Unavailable: the disk is full, or the connection broke.
        """
        if (actual := self.offset) != offset:
            raise UploadConflict(
                f"The upload is at offset {actual}, not {offset}.", headers={"Upload-Offset": str(actual)}
            )
        writer = _Writer(self, offset, checksum, digest)
        try:
            async for piece in pieces:
                await writer.write(piece)
        except BaseException:
            await asyncio.shield(writer.stop())
            raise
        await writer.finish()


class _Writer:
    """Collects a body into large writes. A thread makes one of them while the next bytes arrive."""

    def __init__(
        self, file: PiecesFile, offset: int, checksum: tuple[str, bytes] | None, digest: RunningDigest | None
    ) -> None:
        self._file = file
        self._start = self.end = offset
        self._checksum = checksum
        self._hash: Any = None if checksum is None else hashlib.new(checksum[0], usedforsecurity=False)
        self._digest = digest
        self._buffer: list[bytes] = []
        self._buffered = 0
        self._writing: asyncio.Task[None] | None = None

    async def write(self, piece: bytes) -> None:
        if self.end + len(piece) > self._file.length:
            raise problems.PayloadTooLarge(
                f"{self._file.length} bytes were announced, and this goes on behind them.",
                limit={"name": "fileBytes", "max": self._file.length},
            )
        self._buffer.append(piece)
        self._buffered += len(piece)
        self.end += len(piece)
        if self._buffered >= _BUFFER_BYTES:
            await self._flush()

    async def stop(self) -> None:
        """Keep what has arrived of a body that breaks off; nothing, if it has a checksum that cannot be verified."""
        await self._flush()
        await self._written()
        if self._hash is not None:
            self._discard()

    async def finish(self) -> None:
        await self._flush()
        await self._written()
        if self._checksum is not None and self._hash.digest() != self._checksum[1]:
            self._discard()
            raise ChecksumMismatch(
                "These bytes have another digest than Upload-Checksum says, so they were discarded.",
                headers={"Upload-Offset": str(self._start)},
            )

    def _discard(self) -> None:
        if self._file.path.exists():
            os.truncate(self._file.path, self._start)

    async def _flush(self) -> None:
        """Begin to write what is collected, when the write before has ended."""
        await self._written()
        buffer, self._buffer = self._buffer, []
        at, self._buffered = self.end - self._buffered, 0
        if buffer:
            self._writing = asyncio.create_task(self._take(buffer, at))

    async def _written(self) -> None:
        """Wait for the write that has begun; also again, if the wait was cancelled."""
        if self._writing is None:
            return
        try:
            await asyncio.shield(self._writing)
        except FileNotFoundError:
            raise UploadConflict("This upload has ended: it was given up, or its time is over.") from None
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise problems.disk_full() from error
            raise
        finally:
            if self._writing.done():
                self._writing = None

    async def _take(self, buffer: list[bytes], at: int) -> None:
        """Hash and write in two threads: each takes about as long as the other."""
        hashing = asyncio.create_task(asyncio.to_thread(self._add_to_hashes, buffer))
        try:
            await asyncio.to_thread(self._write, buffer, at)
        finally:
            await hashing

    def _add_to_hashes(self, buffer: list[bytes]) -> None:
        for piece in buffer:
            if self._hash is not None:
                self._hash.update(piece)
            if self._digest is not None:
                self._digest.update(piece)

    def _write(self, buffer: list[bytes], at: int) -> None:
        receiver.require_space(self._file.path.parent, _BUFFER_BYTES, self._file.free_bytes_min)
        with self._file.path.open("ab", buffering=0) as file:  # makes the file, but not a folder that was removed
            if file.tell() != at:
                raise RuntimeError(f"{self._file.path} ends at {file.tell()}, not at {at}")
            for piece in buffer:
                view = memoryview(piece)
                while view:
                    view = view[file.write(view) :]
