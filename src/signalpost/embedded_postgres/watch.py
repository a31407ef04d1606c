"""Starts the embedded server again when it has died."""

import asyncio
import os

from signalpost.embedded_postgres.cluster import Cluster, PostgresFailed, accepts_connections, take_server_lock
from signalpost.embedded_postgres.start import start_postgres
from signalpost.kit import log
from signalpost.kit.errors import OperatorError

_WATCH_SECONDS = 1.0
_logger = log.get("embedded_postgres")


class DatabaseVanished(OperatorError):
    """The files of the embedded database disappeared while the service runs."""


async def watch(cluster: Cluster) -> None:
    """Start the server again whenever no process of it is left; requests get 503 meanwhile.

    Raises:
        DatabaseVanished: its files are gone. A new, empty database in their place would look like the loss of all data.
    """
    while True:
        await asyncio.sleep(_WATCH_SECONDS)
        if _has_process(cluster) or await asyncio.to_thread(accepts_connections, cluster.socket_dir):
            continue
        _logger.warning("database.died")
        if not cluster.exists():
            raise DatabaseVanished(
                f"The files of the database in {cluster.folder} are gone. Restore them, then start again."
            )
        try:
            await asyncio.to_thread(start_postgres, cluster.folder.parent)
            _logger.info("database.restarted")
        except PostgresFailed:
            _logger.exception("database.restart_failed")


def _has_process(cluster: Cluster) -> bool:
    """Whether a process of the server is alive. Unlike a connection, this costs the server no new process."""
    try:
        lock = take_server_lock(cluster.folder)
    except FileNotFoundError:
        return False
    if lock is not None:
        os.close(lock)
    return lock is None
