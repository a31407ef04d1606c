"""Several processes share one embedded server: the first one starts it, the last one stops it."""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from signalpost.embedded_postgres.cluster import Cluster
from signalpost.embedded_postgres.start import start_postgres


@asynccontextmanager
async def shared_cluster(data_dir: Path, *, meanwhile: Callable[[], None] = lambda: None) -> AsyncIterator[Cluster]:
    """Yield the running cluster of `data_dir`; at the end stop its server unless another process uses it.

    The server starts in a thread; `meanwhile` is called while it does.

    Every process holds a shared lock while it uses the server, and the one that can get the exclusive lock at its end
    stops it. So no process can find the server running and lose it before its first connection.

    Raises:
        PostgresFailed: see `start_postgres`.
    """
    users = await asyncio.to_thread(_Users, data_dir / "database.lock")
    try:
        starting = asyncio.get_running_loop().run_in_executor(None, start_postgres, data_dir)
        try:
            meanwhile()
            yield await asyncio.shield(starting)  # a cancelled start is waited for below, and stopped
        finally:
            cluster = await starting
            with users.leave() as was_last:
                if was_last:
                    await asyncio.to_thread(cluster.stop)
    finally:
        users.close()


class _Users:
    """The processes that use the server: each holds a shared lock on a file. Blocks while one of them stops it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_SH)

    @contextlib.contextmanager
    def leave(self) -> Iterator[bool]:
        """Yield whether no other process uses the server; if so, none can join before the block ends."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True

    def close(self) -> None:
        os.close(self._file)
