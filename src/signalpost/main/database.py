"""Which database the service uses: the operator's own, or the embedded one."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from signalpost.embedded_postgres.cluster import Cluster, is_initialised
from signalpost.embedded_postgres.sharing import shared_cluster
from signalpost.migrations import runner
from signalpost.settings import Settings


@asynccontextmanager
async def database_of(
    settings: Settings, *, meanwhile: Callable[[], None] = lambda: None
) -> AsyncIterator[tuple[str, Cluster | None]]:
    """Yield the address of the database, migrated, and the embedded cluster if it is that one.

    `meanwhile` is called in any case: while an embedded server starts, else before.

    Raises:
        PostgresFailed: the embedded server does not start.
        DatabaseTooNew, DatabaseTooOld: see `runner.migrate`.
    """
    if settings.database_url:
        meanwhile()
        await runner.migrate(settings.database_url)
        yield settings.database_url, None
        return
    is_first_start = not is_initialised(settings.data_dir / "postgres")

    def import_meanwhile() -> None:
        meanwhile()
        if is_first_start:  # initdb takes longer than every import
            runner.import_tools()

    async with shared_cluster(settings.data_dir, meanwhile=import_meanwhile) as cluster:
        await runner.migrate(cluster.dsn())
        yield cluster.dsn(), cluster
