"""Object storage by path, in a local folder, S3, Google Cloud Storage or Azure."""

import asyncio
import errno
import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from signalpost.kit import clock, log, s3_signing

PIECE_BYTES = 1024 * 1024
_PART_BYTES = 8 * 1024 * 1024  # of a remote multipart upload; 10,000 parts at most, so files up to 80 GB
_PARTS_AT_ONCE = 2
_RENAMES_MAX = 5
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


class SignedPut(NamedTuple):
    """A URL to which one object can be sent without a credential, and the headers that the request must have.

    Its Content-Length must be the size of the object; every HTTP client sends it by itself.
    """

    url: str
    headers: dict[str, str]


class Store:
    """A place for objects. Paths are generated, never chosen by users."""

    def __init__(self, store: ObjectStore, folder: Path | None = None, s3_secret_key: str | None = None) -> None:
        self._store: Any = store
        self._folder = folder
        self._s3_secret_key = s3_secret_key

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

    async def move(self, file: Path, path: str) -> None:
        """Store a local file that nobody needs any more; on the same disk it is renamed, not copied.

        Raises:
            StorageFailure: the file is not stored.
        """
        if self._folder is not None:
            try:
                if await asyncio.to_thread(_rename, file, self._folder / path):
                    return
            except OSError as error:
                raise _failure("stored", path, error) from error
        await self.put(path, file)
        await asyncio.to_thread(file.unlink)

    def can_presign(self, size: int) -> bool:
        """Whether an object of this size can be sent to the store directly: S3, with a fixed key."""
        return self._s3_secret_key is not None and size <= s3_signing.SINGLE_PUT_BYTES_MAX

    async def presign_put(self, path: str, *, content_type: str, size: int, sha256: bytes, seconds: int) -> SignedPut:
        """Return a URL at which the store accepts this object, and no other type, length or content.

        Raises:
            StorageFailure: it cannot be signed.
        """
        if self._s3_secret_key is None:
            raise StorageFailure(f"{path} cannot be signed", "this store has no presigned uploads")
        try:
            presigned = await obstore.sign_async(self._store, "PUT", path, timedelta(seconds=seconds))
        except (BaseError, OSError) as error:
            raise _failure("signed", path, error) from error
        headers = s3_signing.bound_headers(content_type=content_type, size=size, sha256=sha256)
        url = s3_signing.presign_put(
            presigned, headers=headers, secret_key=self._s3_secret_key, now=clock.actual(), seconds=seconds
        )
        return SignedPut(url, {name: value for name, value in headers.items() if name != "Content-Length"})

    async def size(self, path: str) -> int | None:
        """Return the size of an object; None if there is none.

        Raises:
            StorageFailure: the store does not say.
        """
        try:
            size: int = (await obstore.head_async(self._store, path))["size"]
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise _failure("read", path, error) from error
        return size

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

    async def paths(self, folder: str | None = None) -> AsyncIterator[str]:
        """Yield the paths of all objects, or of those in a folder, in the order of the store.

        Raises:
            StorageFailure: the store cannot be listed.
        """
        try:
            async for objects in obstore.list(self._store, prefix=folder):
                for entry in objects:
                    yield entry["path"]
        except (BaseError, OSError) as error:
            raise _failure("listed", "The storage", error) from error

    async def fetch(self, path: str, file: Path) -> None:
        """Write an object to a new local file. Raises as `open` does."""
        with await asyncio.to_thread(file.open, "xb") as target:
            async for piece in self.read(path):
                await asyncio.to_thread(target.write, piece)

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


def _rename(file: Path, target: Path) -> bool:
    """Rename a file; return whether both places are on one disk."""
    for attempt in range(_RENAMES_MAX):
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            file.replace(target)
        except FileNotFoundError:  # the folder was empty, and whoever removed the last object in it removed it too
            if attempt == _RENAMES_MAX - 1:
                raise
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            return False
        else:
            return True
    raise AssertionError("the last attempt raises")


def _failure(verb: str, path: str, error: Exception) -> StorageFailure:
    """Log what the store said, which no client learns; return the exception to raise."""
    sentence = str(error).partition("Debug source:")[0]  # what follows is how the library's own types look
    reason = " ".join(sentence.split())[:_REASON_CHARACTERS_MAX]
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


def open_store(url: str | None, default_folder: Path, environment: Mapping[str, str] = os.environ) -> Store:
    """Open the store at `url` (`file:///…`, `s3://bucket/prefix`, `gs://…`, `az://…`); without one, a local folder.

    Missing local folders are created. Credentials of remote stores come from their usual variables
    (AWS_ACCESS_KEY_ID, GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_NAME, ...).

    Raises:
        ValueError: no store can be opened at this address.
    """
    is_s3 = url is not None and url.startswith(("s3://", "s3a://"))
    if url is None or url.startswith("file://"):
        folder = default_folder if url is None else Path(url.removeprefix("file://"))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise ValueError(f"the storage folder {folder} cannot be written to")
        return Store(LocalStore(folder, automatic_cleanup=True), folder)
    try:
        return Store(from_url(url), s3_secret_key=environment.get("AWS_SECRET_ACCESS_KEY") if is_s3 else None)
    except (BaseError, ValueError) as error:
        raise ValueError(f"{url.partition('?')[0]} is not the address of a supported store") from error
