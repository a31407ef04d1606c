"""What `kit.connections` takes from inside asyncpg, which may change: the sentence says what depends on it."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final

import asyncpg
import pytest

from signalpost.kit import patience
from signalpost.kit.db import Database, Db
from signalpost.kit.patience import Patience

INSIDE: Final = {
    "_execute": (
        "query, args, limit, timeout, return_status, ignore_custom_codec, record_class",
        "kit/connections.py bounds the statements of a request by overriding it (decision 0137 rides on `execute`).",
    ),
    "_introspect_types": (
        "typeoids, timeout",
        "kit/connections.py keeps by it what is read of types; without it, each connection reads them (decision 0469).",
    ),
    "_process_log_message": (
        "fields, last_query",
        "kit/connections.py hears by it which lanes a transaction woke; without it, workers look every few seconds.",
    ),
}
"""Private method -> its parameters, and what stops working if it changes."""
READS: Final[dict[str, Callable[[Db], Awaitable[Any]]]] = {
    "fetch": lambda db: db.fetch("select 1"),
    "fetchrow": lambda db: db.fetchrow("select 1"),
    "fetchval": lambda db: db.fetchval("select 1"),
    "execute": lambda db: db.execute("select 1"),
    "execute with a value": lambda db: db.execute("select $1::int", 1),
}


@pytest.mark.parametrize("name", INSIDE)
def test_what_is_overridden_is_still_there(name: str) -> None:
    expected, depends = INSIDE[name]
    method = getattr(asyncpg.Connection, name, None)
    assert method is not None, f"asyncpg {asyncpg.__version__} has no Connection.{name} any more. {depends}"
    parameters = ", ".join(list(inspect.signature(method).parameters)[1:])
    assert parameters == expected, f"asyncpg {asyncpg.__version__} changed Connection.{name}. {depends}"


@pytest.mark.parametrize("name", READS)
async def test_every_statement_of_a_request_is_bounded(database: Database, name: str) -> None:
    """A method that came to the server by another way would not notice that the time of its request is over."""
    async with database.connection() as db:
        token = patience.patience.set(Patience(0.0))
        try:
            with pytest.raises(TimeoutError):
                await READS[name](db)
        finally:
            patience.patience.reset(token)
        assert await db.fetchval("select 1") == 1
