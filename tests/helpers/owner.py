"""What the service itself may not do: a connection as the role that owns the tables."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from signalpost.kit.db import Database, Db


@asynccontextmanager
async def owner_of_tables(database: Database) -> AsyncIterator[Db]:
    """Connect to the database of this process as the user whose address it has."""
    own = await Database.open(database.dsn, connections_max=1)
    try:
        async with own.connection() as db:
            yield db
    finally:
        await own.close()
