"""Receives a file as a stream: at most a mebibyte of it is in memory, and limits are checked before they are passed."""

import asyncio
import errno
import hashlib
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from uuid import UUID

from msgspec import Struct

from signalpost.kit import problems
from signalpost.kit.storage import free_bytes
from signalpost.media import file_types
from signalpost.media.file_types import FileType
from signalpost.media.running_digest import RunningDigest

_BUFFER_BYTES = 1024 * 1024
_INCOMING = "incoming"
LEFTOVER_SECONDS = 86_400
"""How long a folder of an upload may stay; one that can be resumed has that much time."""


class SizeLimits(Struct, frozen=True, kw_only=True):
    """How large a file may be. `storage_bytes`: what the plan has left, None for no limit."""

    file_bytes: int
    storage_bytes: int | None
    free_bytes_min: int

    def bytes_max(self, file_type: FileType) -> int:
        """Return the largest size of a file of this type."""
        return file_type.bytes_max(self.file_bytes)


class Announced(Struct, frozen=True, kw_only=True):
    """What a client said about a file before it sent it; other bytes are refused. None, or empty: nothing was said."""

    type: FileType
    size: int | None
    sha256: bytes


class ReceivedFile(Struct, frozen=True, kw_only=True):
    """A complete file on the local disk, recognised by its first bytes but not yet opened.

    `sha256` may be empty: it is computed when the file has been examined, which may change it. `digest` has
    taken the bytes as they arrived, if this process has seen all of them.
    """

    path: Path
    type: FileType
    size: int
    sha256: bytes
    digest: RunningDigest | None = None

    @property
    def thumbnail(self) -> Path:
        return self.path.with_name("thumbnail")


class PlanStorageExceeded(Exception):
    """The file is larger than the storage that the plan has left."""


class FileReceiver:
    """Writes one incoming file into `folder`. `pointer` is the place of the file in the request, for issues."""

    def __init__(self, folder: Path, limits: SizeLimits, pointer: str, announced: Announced | None = None) -> None:
        self._path = folder / "file"
        self._limits = limits
        self._pointer = pointer
        self._announced = announced
        self._buffer = bytearray()
        self._type: FileType | None = None
        self._size = 0
        self._digest = RunningDigest(needed=True)

    async def write(self, piece: bytes) -> None:
        """Add the next bytes.

        Raises:
            ValidationFailed: the file type is not accepted, or not the announced one.
            PayloadTooLarge: the file is larger than its type may be.
            PlanStorageExceeded: the file is larger than the storage that the plan has left.
            Unavailable: the disk is full.
        """
        self._size += len(piece)
        self._buffer += piece
        if self._type is None and self._size >= file_types.HEAD_BYTES:
            self._type = self._recognize()
        if self._type is not None:
            bytes_max = self._limits.bytes_max(self._type)
            if self._size > bytes_max:
                raise problems.PayloadTooLarge(
                    f"A file of type {self._type.mime_type} may have at most {bytes_max} bytes.",
                    limit={"name": "fileBytes", "max": bytes_max},
                )
        if self._limits.storage_bytes is not None and self._size > self._limits.storage_bytes:
            raise PlanStorageExceeded
        if len(self._buffer) >= _BUFFER_BYTES:
            await self._flush()

    async def finish(self) -> ReceivedFile:
        """Return the complete file.

        Raises:
            ValidationFailed: the file is empty, its type is not accepted, or it is not what was announced.
            Unavailable: the disk is full.
        """
        if not self._size:
            raise problems.invalid(self._pointer, "too_short", "The file is empty: no byte of it arrived.")
        file_type = self._type or self._recognize()
        await self._flush()
        file = ReceivedFile(
            path=self._path, type=file_type, size=self._size, sha256=self._digest.digest(), digest=self._digest
        )
        if self._announced is not None:
            require_announced(file, self._announced, self._pointer)
        return file

    def _recognize(self) -> FileType:
        head = bytes(self._buffer[: file_types.HEAD_BYTES])
        return recognize(head, self._pointer, None if self._announced is None else self._announced.type)

    async def _flush(self) -> None:
        buffer, self._buffer = self._buffer, bytearray()
        try:
            await _to_its_end(self._append, buffer)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise problems.disk_full() from error
            raise

    def _append(self, buffer: bytearray) -> None:
        require_space(self._path.parent, len(buffer), self._limits.free_bytes_min)
        self._digest.update(buffer)
        with self._path.open("ab") as file:
            file.write(buffer)


def recognize(head: bytes, pointer: str, announced: FileType | None) -> FileType:
    """Return the type of a file that starts with `head`.

    Raises:
        ValidationFailed: the type is not accepted, or not the announced one.
    """
    file_type = file_types.recognize(head)
    if file_type is None:
        message = (
            f"This file type is not accepted. Accepted are {', '.join(file_types.ALLOWED)}."
            " The type is read from the content, not from the file name."
        )
        raise problems.invalid(pointer, "not_allowed", message, allowed=list(file_types.ALLOWED))
    if announced is not None and file_type != announced:
        message = f"The content is {file_type.mime_type}, but {announced.mime_type} was announced."
        raise problems.invalid(
            pointer, "not_allowed", message, allowed=[announced.mime_type], actual=file_type.mime_type
        )
    return file_type


def require_announced(file: ReceivedFile, announced: Announced, pointer: str) -> None:
    """Ensure that the bytes are those that were announced.

    Raises:
        ValidationFailed: their number or their checksum differs.
    """
    if announced.size is not None and file.size != announced.size:
        code = "too_short" if file.size < announced.size else "too_long"
        message = f"{file.size} bytes arrived, but {announced.size} were announced."
        raise problems.invalid(pointer, code, message, expected=announced.size, actual=file.size)
    if announced.sha256 and file.sha256 != announced.sha256:
        message = "The bytes have another SHA-256 than the announced one. Send the file again."
        raise problems.invalid(
            pointer, "not_allowed", message, expected=announced.sha256.hex(), actual=file.sha256.hex()
        )


def require_space(folder: Path, size: int, free_bytes_min: int) -> None:
    """Ensure that the disk has room for so many bytes, and for what the database needs besides.

    Raises:
        Unavailable: it has not.
    """
    if free_bytes(folder) - size < free_bytes_min:
        raise problems.disk_full()


@asynccontextmanager
async def temporary_folder(data_dir: Path) -> AsyncIterator[Path]:
    """Create an empty local folder for one file, and remove it at the end."""
    created: list[Path] = []
    try:
        await _to_its_end(_create_folder, data_dir / _INCOMING, created)
        yield created[0]
    finally:
        for folder in created:
            await _to_its_end(partial(shutil.rmtree, folder, ignore_errors=True))


async def _to_its_end(function: Callable[..., None], *arguments: object) -> None:
    """Call a function in a thread. Who is cancelled meanwhile leaves when it has ended: a thread goes on all the same.

    What it writes would otherwise appear behind the removal of its folder.
    """
    call = asyncio.ensure_future(asyncio.to_thread(function, *arguments))
    try:
        await asyncio.shield(call)
    except asyncio.CancelledError:
        await asyncio.wait([call])
        raise


def lasting_folder(data_dir: Path, media_id: UUID) -> Path:
    """Return the local folder of an upload that several requests may send."""
    return data_dir / _INCOMING / media_id.hex


def _create_folder(parent: Path, created: list[Path]) -> None:
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _remove_leftovers(parent)
    created.append(Path(tempfile.mkdtemp(dir=parent)))


def _remove_leftovers(parent: Path) -> None:
    """Remove folders that a killed process left behind more than a day ago; nothing else removes them."""
    for folder in parent.iterdir():
        with suppress(FileNotFoundError):  # another process removed it
            if time.time() - folder.stat().st_mtime > LEFTOVER_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


async def sha256(path: Path) -> bytes:
    """Return the digest of a file, computed in a thread."""
    return await asyncio.to_thread(_sha256, path)


def _sha256(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
