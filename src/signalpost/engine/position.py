"""How far a process has seen the log of the database come, in memory and in a file that outlives the process.

A server that takes over proves by it that nothing is missing which this process has acted upon. See decision 0300.
"""

import contextlib
import fcntl
import mmap
import os
import secrets
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, Self
from uuid import UUID

import msgspec

from signalpost.kit import log

TIMELINE: Final = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer"
"""The name of a log file begins with the timeline, which the control file learns only with the next checkpoint."""
MARK: Final = f"""array[
    {TIMELINE}, (pg_current_wal_insert_lsn() - '0/0')::bigint, pg_current_xact_id()::text::bigint]::bigint[]"""
"""SQL, in a statement that has written or locked a row: what `Position.committed` gets after the commit.

The position lies before the record of the commit, and whoever waits for a standby waits for that record. So a server
that has the commit has the position too, however busy the others are.
"""
_MARKS_MAX: Final = 64
"""More than there are connections; of more marks the first and the last stay."""
_WORKERS_MAX: Final = 32
_BYTES: Final = 8_192
_log = log.get("engine")


class Mark(NamedTuple):
    """A commit that this process knows of."""

    timeline: int
    lsn: int
    """A position in the log, in bytes, between the first record of the transaction and its commit."""
    xid: int


class Server(NamedTuple):
    """A cluster, and the timeline of its log."""

    system_identifier: int
    timeline: int


class _Memory(msgspec.Struct):
    """What the file contains. `ended`: the process ended in order, and the file is on disk."""

    boot: str
    server: tuple[int, int] | None
    marks: list[tuple[int, int, int]]
    workers: list[UUID]
    ended: bool = False


class Position:
    """The last commits that this process knows of: those of which none is certain to come after another."""

    def __init__(self) -> None:
        self.server: Server | None = None
        """The server that was found to have everything; None: this process has no memory."""
        self.marks: tuple[Mark, ...] = ()
        self.workers: tuple[UUID, ...] = ()
        """The ids under which this process works and worked, and earlier ones whose memory this is too."""
        self._file: _File | None = None

    def open(self, folder: Path | None) -> None:
        """Remember in a file of this folder from now on, and what processes that are no more have left there."""
        if folder is None or self._file is not None:
            return
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = _File.create(folder)
            for memory in self._file.left_by_others():
                self._adopt(memory)
                self._save()
        except OSError as error:
            _log.warning("position.not_kept", folder=str(folder), error=str(error))
        self._save()

    def close(self) -> None:
        """Leave the file to a later process."""
        if self._file is not None:
            self._save(ended=True)
            self._file.close()
            self._file = None

    def note_worker(self, worker: UUID) -> None:
        """Note under which id this process works."""
        self.workers = (*self.workers[-_WORKERS_MAX:], worker)
        self._save()

    def began(self) -> tuple[Mark, ...]:
        """Return the commits that are known; a statement that is sent after this comes after them in the log."""
        return self.marks

    def committed(self, before: tuple[Mark, ...], mark: list[int]) -> None:
        """Note a commit. `before`: what `began` returned before its statement, so that it stands for those as well."""
        new = Mark(*mark)
        rest = [
            old for old in self.marks if old not in before or old.timeline != new.timeline or old.lsn > new.lsn
        ]  # fmt: skip
        self._set((*rest, new))

    def settle(self, server: Server, proved: tuple[Mark, ...]) -> None:
        """Go by this server from now on: these marks are there, or what they stand for is dealt with."""
        if self.server == server and not proved:
            return
        self.server = server
        self._set(tuple(mark for mark in self.marks if mark not in proved))

    def _set(self, marks: tuple[Mark, ...]) -> None:
        half = _MARKS_MAX // 2
        self.marks = marks if len(marks) <= _MARKS_MAX else marks[:half] + marks[-half:]
        self._save()

    def _adopt(self, memory: _Memory) -> None:
        if memory.server is None:
            return
        server = Server(*memory.server)
        if self.server is None or server.timeline > self.server.timeline:
            self.server = server
        if memory.ended or memory.boot == _boot():  # otherwise the machine went down, and the end of it may be missing
            self.marks += tuple(Mark(*mark) for mark in memory.marks)
            self.workers += tuple(memory.workers)

    def _save(self, *, ended: bool = False) -> None:
        if self._file is not None:
            marks = [tuple(mark) for mark in self.marks]
            server = None if self.server is None else tuple(self.server)
            self._file.write(_Memory(_boot(), server, marks, list(self.workers), ended))  # type: ignore[arg-type]


class _File:
    """A file in memory that the system writes: it outlives the process, and costs it no system call."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._memory = mmap.mmap(descriptor, _BYTES)

    @classmethod
    def create(cls, folder: Path) -> Self:
        path = folder / f"{secrets.token_hex(8)}.position"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(descriptor, bytes(_BYTES))  # a full disk refuses here, rather than killing us at a write
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return cls(path, descriptor)

    def write(self, memory: _Memory) -> None:
        text = msgspec.json.encode(memory)
        line = b"%08x %s\n" % (zlib.crc32(text), text)
        self._memory[: len(line)] = line

    def close(self) -> None:
        self._memory.flush()
        self._memory.close()
        os.fsync(self._descriptor)
        os.close(self._descriptor)

    def left_by_others(self) -> Iterator[_Memory]:
        """Yield what processes that are no more have left, and delete it afterwards."""
        for path in self._path.parent.glob("*.position"):
            if path == self._path:
                continue
            with contextlib.suppress(FileNotFoundError, BlockingIOError), path.open("rb") as file:  # it lives, or went
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if (memory := _read(file.read(_BYTES))) is not None:
                    yield memory
                path.unlink(missing_ok=True)


def _read(content: bytes) -> _Memory | None:
    digest, _, text = content.partition(b"\n")[0].partition(b" ")
    try:
        return msgspec.json.decode(text, type=_Memory) if digest == b"%08x" % zlib.crc32(text) else None
    except msgspec.DecodeError:
        return None


@cache
def _boot() -> str:
    """Return what is another one after each start of the machine."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
