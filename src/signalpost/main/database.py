"""Which database: the operator's, or the embedded one, started by its first user and stopped by its last."""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

from signalpost.kit import log, postgres
from signalpost.kit.errors import OperatorError
from signalpost.migrations.runner import migrate
from signalpost.settings import Settings

_WATCH_SECONDS = 1.0
_logger = log.get("main")


class DatabaseVanished(OperatorError):
    """The files of the embedded database are gone while the service runs."""


@asynccontextmanager
async def database_of(settings: Settings) -> AsyncIterator[tuple[str, postgres.Cluster | None]]:
    """Yield the address of the database, migrated, and the embedded server if it is that.

    Every process that uses the embedded server holds a shared lock meanwhile; the one that could hold it alone at its
    end stops the server. Nobody can find it running and lose it before the first connection.
    """
    if settings.database_url:
        await migrate(settings.database_url)
        yield settings.database_url, None
        return
    settings.data_dir.mkdir(mode=0o711, parents=True, exist_ok=True)
    use = await asyncio.to_thread(_Use, settings.data_dir / "database.lock")
    try:
        cluster = await asyncio.to_thread(postgres.start, settings.data_dir)
        try:
            await migrate(cluster.dsn())
            yield cluster.dsn(), cluster
        finally:
            with use.alone() as last:
                if last:
                    await asyncio.to_thread(cluster.stop)
    finally:
        use.end()


class _Use:
    """A shared lock on a file, held while this process uses the embedded server. Blocks while somebody stops it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_SH)

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Give the use up; yields whether nobody else has one, and lets nobody begin before the block ends."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True

    def end(self) -> None:
        """Let the lock go."""
        os.close(self._file)


async def watch(cluster: postgres.Cluster, settings: Settings) -> None:
    """Start the embedded server again when it died; requests answer 503 meanwhile.

    Raises:
        DatabaseVanished: its files are gone. A new, empty one in their place would look like a loss of everything.
    """
    while True:
        await asyncio.sleep(_WATCH_SECONDS)
        try:
            connection = await asyncpg.connect(cluster.dsn(), timeout=5)
            await connection.close()
        except (OSError, TimeoutError, asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError) as error:
            _logger.warning("database.gone", error=repr(error))
            if not cluster.exists():
                raise DatabaseVanished(
                    f"The files of the database in {cluster.folder} are gone. Put them back, then start again."
                ) from None
            try:
                await asyncio.to_thread(postgres.start, settings.data_dir)
                _logger.info("database.started_again")
            except postgres.PostgresFailed:
                _logger.exception("database.did_not_start")
