"""Archives: an uncompressed tar, so that every tool reads it; its last member is a manifest with digests of the others.

An archive without its manifest was cut off.
"""

import contextlib
import hashlib
import io
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

from signalpost.kit.errors import OperatorError

MANIFEST: Final = "manifest.json"
PIECE_BYTES: Final = 1024 * 1024
_MANIFEST_BYTES_MAX: Final = 256 * 1024 * 1024
_UNREADABLE: Final = (tarfile.TarError, ValueError, OverflowError, EOFError)
"""What tarfile raises for what is no archive: besides its own errors those of numbers, texts and lengths in it."""
_MODE: Final = 0o600  # what is in it is for nobody else


class BadArchive(OperatorError):
    """The file is not a whole archive of its kind."""


class Readable(Protocol):
    """Anything with a `read`."""

    def read(self, size: int = ..., /) -> bytes: ...


class Manifest(Struct, kw_only=True):
    """What an archive has: the base of the manifests of each kind of archive."""

    format: int
    kind: str
    digests: dict[str, str] = {}
    """Member -> SHA-256, hexadecimal."""


M = TypeVar("M", bound=Manifest)


class Kind(Struct, Generic[M]):
    """A kind of archive: its name in messages and manifests, and the manifest it has."""

    name: str
    format: int
    manifest: type[M]


class ArchiveWriter:
    """Writes an archive beside its final name, and gives it that name when it is whole and on disk."""

    def __init__(self, path: Path) -> None:
        """Raises OperatorError if there is something at `path`."""
        if path.exists():
            raise OperatorError(f"{path} exists already. Choose another name, or remove it.")
        self._path = path
        self._part = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._file = os.fdopen(os.open(self._part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _MODE), "wb")
        self._tar = tarfile.open(fileobj=self._file, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115 - see `close`
        self.digests: dict[str, str] = {}

    def spool(self) -> IO[bytes]:
        """Return a nameless file on the same disk, for a member whose size is not known yet."""
        return tempfile.TemporaryFile(dir=self._path.parent)

    def add(self, name: str, content: Readable, size: int) -> None:
        """Append a member of `size` bytes."""
        info = tarfile.TarInfo(name)
        info.size, info.mode = size, _MODE
        digest = _Digesting(content)
        self._tar.addfile(info, digest)
        self.digests[name] = digest.hexdigest()

    def finish(self, manifest: Manifest) -> int:
        """Append the manifest with the digests of all members, and give the file its name; return its bytes."""
        manifest.digests = dict(self.digests)
        content = msgspec.json.encode(manifest)
        self.add(MANIFEST, io.BytesIO(content), len(content))
        self._tar.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._part.rename(self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return self._path.stat().st_size

    def abandon(self) -> None:
        """Remove what was written. After `finish` there is nothing to remove."""
        self._file.close()
        self._part.unlink(missing_ok=True)


class _Digesting:
    """Computes the digest of what is read."""

    def __init__(self, content: Readable) -> None:
        self._content, self._digest = content, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        piece = self._content.read(size)
        self._digest.update(piece)
        return piece

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


class ArchiveReader(Generic[M]):
    """Reads an archive; each member is read once, in the order of the file or by name."""

    def __init__(self, path: Path, kind: Kind[M]) -> None:
        """Read the manifest.

        Raises:
            BadArchive: it is not an archive of this kind, was cut off, or was made by a newer version.
        """
        self.path = path
        self._kind = kind
        try:
            self._tar = tarfile.open(path, mode="r:")  # noqa: SIM115 - see `__exit__`
        except _UNREADABLE as error:
            raise self._bad(error) from None
        try:
            self._members = {member.name: member for member in self._tar.getmembers() if member.isfile()}
            self._require_no_gaps()
            self.manifest = self._read_manifest()
        except _UNREADABLE as error:
            self._tar.close()
            raise self._bad(error) from None
        except BaseException:
            self._tar.close()
            raise

    def _bad(self, error: object) -> BadArchive:
        return BadArchive(f"{self.path} is not {self._kind.name} of Signalpost, or was cut off: {error}.")

    def _require_no_gaps(self) -> None:
        if gaps := next((name for name, member in self._members.items() if member.issparse()), None):
            raise self._bad(f"{gaps} has gaps, and may be any size when it is unpacked")

    def _read_manifest(self) -> M:
        member = self._members.get(MANIFEST)
        if member is None or member.size > _MANIFEST_BYTES_MAX:
            raise self._bad(f"it has no {MANIFEST}")
        content = self.read(MANIFEST)
        try:
            plain: Any = msgspec.json.decode(content)
            if isinstance(plain, dict) and plain.get("kind", "a backup") != self._kind.name:
                raise BadArchive(f"{self.path} is not {self._kind.name}.")
            if isinstance(plain, dict) and plain.get("format") != self._kind.format:
                raise BadArchive(f"{self.path} has format {plain.get('format')}: a newer version made it.")
            return msgspec.convert(plain, self._kind.manifest)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BadArchive(f"{self.path} has a damaged {MANIFEST}: {error}.") from None

    def __enter__(self) -> "ArchiveReader[M]":
        return self

    def __exit__(self, *_: object) -> None:
        self._tar.close()

    def names(self, prefix: str) -> list[str]:
        """Return the names of the members that begin with this."""
        return [name for name in self._members if name.startswith(prefix)]

    def size(self, name: str) -> int:
        """Return the bytes of a member."""
        return int(self._members[name].size)

    @contextlib.contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a member.

        Raises:
            BadArchive: it is missing.
        """
        member = self._members.get(name)
        stream = None if member is None else self._tar.extractfile(member)
        if stream is None:
            raise BadArchive(f"{self.path} lacks {name}.")
        with stream:
            yield stream

    def read(self, name: str) -> bytes:
        """Return a small member."""
        with self.open(name) as stream:
            return stream.read()

    def check(self) -> None:
        """Read every member and compare it with its digest.

        Raises:
            BadArchive: one is missing, damaged or foreign.
        """
        names = set(self._members) - {MANIFEST}
        if strays := names - set(self.manifest.digests):
            raise BadArchive(f"{self.path} has {min(strays)}, of which its manifest knows nothing.")
        if outside := [name for name in names if name.startswith("/") or ".." in name.split("/")]:
            raise BadArchive(f"{self.path} has {min(outside)}, a path that leads outside of the storage.")
        for name, expected in self.manifest.digests.items():
            digest = hashlib.sha256()
            with self.open(name) as stream:
                while piece := stream.read(PIECE_BYTES):
                    digest.update(piece)
            if digest.hexdigest() != expected:
                raise BadArchive(f"{self.path} is damaged: {name} is not what was saved.")
