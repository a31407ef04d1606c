"""Takes bytes in as they come: never more than a mebibyte of them in memory, each limit checked before it is passed."""

import asyncio
import errno
import hashlib
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from signalpost.kit import problems
from signalpost.kit.storage import free_bytes
from signalpost.media import file_types
from signalpost.media.file_types import FileType

_BATCH_BYTES = 1024 * 1024
_LEFTOVER_SECONDS = 86_400


@dataclass(frozen=True, kw_only=True)
class SizeLimits:
    """How much may come. `storage_bytes`: what the plan has left, None for no end."""

    file_bytes: int
    storage_bytes: int | None
    free_bytes_min: int

    def largest(self, found: FileType) -> int:
        """Return the most bytes a file of this format may have."""
        if found.kind == "video":
            return self.file_bytes
        most = file_types.DOCUMENT_BYTES_MAX if found.kind == "document" else file_types.IMAGE_BYTES_MAX
        return min(most, self.file_bytes)


@dataclass(frozen=True, kw_only=True)
class ReceivedFile:
    """A whole file on the local disk, told by its first bytes but not yet opened."""

    file: Path
    format: FileType
    size: int
    sha256: bytes

    @property
    def thumbnail(self) -> Path:
        return self.file.with_name("thumbnail")


class PlanStorageExceeded(Exception):
    """More came than the plan has room for."""


class FileReceiver:
    """One file on its way in. `pointer` is where errors about it stand in the request."""

    def __init__(self, folder: Path, bounds: SizeLimits, pointer: str) -> None:
        self._file = folder / "file"
        self._bounds = bounds
        self._pointer = pointer
        self._batch = bytearray()
        self._format: FileType | None = None
        self._size = 0
        self._hash = hashlib.sha256()

    async def take(self, piece: bytes) -> None:
        """Add the next bytes.

        Raises:
            ValidationFailed: it is of a kind we do not take in.
            PayloadTooLarge: it is larger than such a file may be.
            PlanStorageExceeded: the plan has no room for so much.
            Unavailable: the disk has no room.
        """
        self._size += len(piece)
        self._batch += piece
        if self._format is None and self._size >= file_types.HEAD_BYTES:
            self._format = self._sniff()
        if self._format is not None:
            largest = self._bounds.largest(self._format)
            if self._size > largest:
                raise problems.PayloadTooLarge(
                    f"A file of type {self._format.mime_type} has at most {largest} bytes.",
                    limit={"name": "fileBytes", "max": largest},
                )
        if self._bounds.storage_bytes is not None and self._size > self._bounds.storage_bytes:
            raise PlanStorageExceeded
        if len(self._batch) >= _BATCH_BYTES:
            await self._flush()

    async def finish(self) -> ReceivedFile:
        """Return the whole file.

        Raises:
            ValidationFailed: it is empty or of a kind we do not take in.
            Unavailable: the disk has no room.
        """
        if not self._size:
            raise problems.invalid(self._pointer, "too_short", "The file is empty.")
        found = self._format or self._sniff()
        await self._flush()
        return ReceivedFile(file=self._file, format=found, size=self._size, sha256=self._hash.digest())

    def _sniff(self) -> FileType:
        found = file_types.file_type_of(bytes(self._batch[: file_types.HEAD_BYTES]))
        if found is None:
            allowed = list(file_types.ALLOWED)
            raise problems.invalid(
                self._pointer,
                "not_allowed",
                "This is none of the kinds of files that are taken in, whatever its name says.",
                allowed=allowed,
            )
        return found

    async def _flush(self) -> None:
        batch, self._batch = self._batch, bytearray()
        try:
            await asyncio.to_thread(self._write, batch)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise _no_room() from error
            raise

    def _write(self, batch: bytearray) -> None:
        if free_bytes(self._file.parent) - len(batch) < self._bounds.free_bytes_min:
            raise _no_room()
        self._hash.update(batch)
        with self._file.open("ab") as opened:
            opened.write(batch)


def _no_room() -> problems.Unavailable:
    return problems.Unavailable("There is no room for files right now.", headers={"Retry-After": "300"})


@asynccontextmanager
async def temporary_folder(data_dir: Path) -> AsyncIterator[Path]:
    """Lend an empty local folder for one file, and remove it in the end."""
    parent = data_dir / "incoming"
    folder = await asyncio.to_thread(_new_folder, parent)
    try:
        yield folder
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _new_folder(parent: Path) -> Path:
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_leftovers(parent)
    return Path(tempfile.mkdtemp(dir=parent))


def _remove_leftovers(parent: Path) -> None:
    """Remove what a killed process left behind more than a day ago; there is nothing else that would."""
    for folder in parent.iterdir():
        with suppress(FileNotFoundError):  # another process saw it too
            if time.time() - folder.stat().st_mtime > _LEFTOVER_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


async def sha256(file: Path) -> bytes:
    """Return the digest of a file, made beside the loop."""
    return await asyncio.to_thread(_sha256, file)


def _sha256(file: Path) -> bytes:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()
