"""Starts the embedded server again when it has died."""

import asyncio

import asyncpg

from signalpost.embedded_postgres.cluster import Cluster, PostgresFailed
from signalpost.embedded_postgres.start import start_postgres
from signalpost.kit import log
from signalpost.kit.errors import OperatorError

_WATCH_SECONDS = 1.0
_logger = log.get("embedded_postgres")


class DatabaseVanished(OperatorError):
    """The files of the embedded database disappeared while the service runs."""


async def watch(cluster: Cluster) -> None:
    """Start the server again whenever it does not answer; requests get 503 meanwhile.

    Raises:
        DatabaseVanished: its files are gone. A new, empty database in their place would look like the loss of all data.
    """
    while True:
        await asyncio.sleep(_WATCH_SECONDS)
        try:
            connection = await asyncpg.connect(cluster.dsn(), timeout=5)
            await connection.close()
        except (OSError, TimeoutError, asyncpg.CannotConnectNowError, asyncpg.TooManyConnectionsError) as error:
            _logger.warning("database.unreachable", error=repr(error))
            if not cluster.exists():
                raise DatabaseVanished(
                    f"The files of the database in {cluster.folder} are gone. Restore them, then start again."
                ) from None
            try:
                await asyncio.to_thread(start_postgres, cluster.folder.parent)
                _logger.info("database.restarted")
            except PostgresFailed:
                _logger.exception("database.restart_failed")
