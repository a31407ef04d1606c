"""Object storage by path, in a local folder, S3, Google Cloud Storage or Azure."""

import asyncio
import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from signalpost.kit import log

PIECE_BYTES = 1024 * 1024
_PART_BYTES = 8 * 1024 * 1024  # of a remote multipart upload; 10,000 parts at most, so files up to 80 GB
_PARTS_AT_ONCE = 2
_REASON_CHARACTERS_MAX = 500
_logger = log.get("storage")


class StorageFailure(Exception):
    """A storage operation failed: the store is unreachable, full or refuses access."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        """What the store said: for operators, not for clients."""


class Missing(Exception):
    """There is no object at this path."""


class Opened(NamedTuple):
    """An object being read: its `size`, and the range that `pieces` yields, in pieces of about a mebibyte."""

    size: int
    start: int
    end: int
    pieces: AsyncIterator[bytes]


class Store:
    """A place for objects. Paths are generated, never chosen by users."""

    def __init__(self, store: ObjectStore, folder: Path | None = None) -> None:
        self._store: Any = store
        self._folder = folder

    async def put(self, path: str, file: Path) -> None:
        """Store a local file completely or not at all, with at most a few pieces of it in memory.

        Raises:
            StorageFailure: the file is not stored.
        """
        local = self._folder is not None
        try:
            await obstore.put_async(
                self._store,
                path,
                file,
                chunk_size=PIECE_BYTES if local else _PART_BYTES,
                max_concurrency=1 if local else _PARTS_AT_ONCE,
            )
        except (BaseError, OSError) as error:
            raise _failure("stored", path, error) from error

    async def open(self, path: str, start: int = 0, end: int | None = None) -> "Opened":
        """Start reading the bytes from `start` to `end` (exclusive); a `start` past the end means the whole object.

        Raises:
            Missing: there is no such object.
            StorageFailure: it cannot be read.
        """
        try:
            size: int = (await obstore.head_async(self._store, path))["size"]
            if start >= size:
                start, end = 0, None
            end = min(size, size if end is None else end)
            options: Any = {"range": (start, end)} if end - start < size else None
            result = await obstore.get_async(self._store, path, options=options)
        except FileNotFoundError as error:
            raise Missing(path) from error
        except (BaseError, OSError) as error:
            raise _failure("read", path, error) from error
        return Opened(size, start, end, _pieces(path, result))

    async def read(self, path: str) -> AsyncIterator[bytes]:
        """Yield all bytes, in pieces of about a mebibyte. Raises as `open` does."""
        async for piece in (await self.open(path)).pieces:
            yield piece

    async def delete(self, paths: Sequence[str]) -> None:
        """Remove objects; missing ones count as removed.

        Raises:
            StorageFailure: some may still be there.
        """
        for path in paths:
            try:
                await obstore.delete_async(self._store, path)
            except FileNotFoundError:
                continue
            except (BaseError, OSError) as error:
                raise _failure("removed", path, error) from error

    async def check(self) -> None:
        """Store a small object, read it and remove it.

        Raises:
            StorageFailure: one of these fails.
        """
        path, content = f"check/{secrets.token_hex(8)}", b"Signalpost checks that it can store files."
        with tempfile.NamedTemporaryFile() as file:
            await asyncio.to_thread(Path(file.name).write_bytes, content)
            await self.put(path, Path(file.name))
        try:
            read = b"".join([piece async for piece in self.read(path)])
        except Missing:
            read = b""
        finally:
            await self.delete([path])
        if read != content:
            raise StorageFailure(f"{path} was stored, and something else was read")

    @property
    def is_remote(self) -> bool:
        """Whether the objects are somewhere else than on a disk of this machine."""
        return self._folder is None

    async def free_bytes(self) -> int | None:
        """Return the free space of the local disk, or None for a remote store."""
        return None if self._folder is None else await asyncio.to_thread(free_bytes, self._folder)


def _failure(verb: str, path: str, error: Exception) -> StorageFailure:
    """Log what the store said, which no client learns; return the exception to raise."""
    reason = " ".join(str(error).split())[:_REASON_CHARACTERS_MAX]
    _logger.warning("storage.failed", path=path, reason=reason)
    return StorageFailure(f"{path} cannot be {verb}", reason)


async def _pieces(path: str, result: Any) -> AsyncIterator[bytes]:
    try:
        async for piece in result.stream(min_chunk_size=PIECE_BYTES):
            yield bytes(piece)
    except (BaseError, OSError) as error:
        raise _failure("read", path, error) from error


def free_bytes(folder: Path) -> int:
    """Return the space that this process can still use on the disk of `folder`."""
    return shutil.disk_usage(folder).free


def open_store(url: str | None, default_folder: Path) -> Store:
    """Open the store at `url` (`file:///…`, `s3://bucket/prefix`, `gs://…`, `az://…`); without one, a local folder.

    Missing local folders are created. Credentials of remote stores come from their usual variables
    (AWS_ACCESS_KEY_ID, GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_NAME, ...).

    Raises:
        ValueError: no store can be opened at this address.
    """
    if url is None or url.startswith("file://"):
        folder = default_folder if url is None else Path(url.removeprefix("file://"))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise ValueError(f"the storage folder {folder} cannot be written to")
        return Store(LocalStore(folder, automatic_cleanup=True), folder)
    try:
        return Store(from_url(url))
    except (BaseError, ValueError) as error:
        raise ValueError(f"{url.partition('?')[0]} is not the address of a supported store") from error
