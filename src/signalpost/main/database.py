"""Which database the service uses: the operator's own, or the embedded one."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from signalpost.embedded_postgres.cluster import Cluster
from signalpost.embedded_postgres.sharing import shared_cluster
from signalpost.migrations.runner import migrate
from signalpost.settings import Settings


@asynccontextmanager
async def database_of(
    settings: Settings, *, meanwhile: Callable[[], None] = lambda: None
) -> AsyncIterator[tuple[str, Cluster | None]]:
    """Yield the address of the database, migrated, and the embedded cluster if it is that one.

    `meanwhile` is called in any case: while an embedded server starts, else before.

    Raises:
        PostgresFailed: the embedded server does not start.
        DatabaseTooNew, DatabaseTooOld: see `migrate`.
    """
    if settings.database_url:
        meanwhile()
        await migrate(settings.database_url)
        yield settings.database_url, None
        return
    async with shared_cluster(settings.data_dir, meanwhile=meanwhile) as cluster:
        await migrate(cluster.dsn())
        yield cluster.dsn(), cluster
