"""What the product sends to the database for one request: recorded here, replayed by bench.bare_api."""

from typing import Any
from uuid import UUID

import asyncpg
import httpx
import msgspec

from signalpost.main import app
from signalpost.settings import Settings

_NOISE = ("BEGIN", "COMMIT", "SELECT t.oid", "select pg_catalog")


class Recorder(asyncpg.Connection):  # type: ignore[misc]  # untyped base
    """A connection that records every statement with its arguments."""

    log: list[tuple[str, tuple[Any, ...]]] = []  # noqa: RUF012 - one for all connections, on purpose

    def _log(self, query: str, arguments: tuple[Any, ...]) -> None:
        self.log.append((query, arguments))

    async def fetch(self, query: str, *args: Any, **options: Any) -> Any:
        self._log(query, args)
        return await super().fetch(query, *args, **options)

    async def fetchrow(self, query: str, *args: Any, **options: Any) -> Any:
        self._log(query, args)
        return await super().fetchrow(query, *args, **options)

    async def fetchval(self, query: str, *args: Any, **options: Any) -> Any:
        self._log(query, args)
        return await super().fetchval(query, *args, **options)

    async def execute(self, query: str, *args: Any, **options: Any) -> Any:
        if not query.startswith(_NOISE):
            self._log(query, args)
        return await super().execute(query, *args, **options)


def uuids(value: Any) -> set[UUID]:
    """Return the ids in arguments, at any depth."""
    if isinstance(value, UUID):
        return {value}
    if isinstance(value, msgspec.Struct):
        return uuids(msgspec.structs.astuple(value))
    if isinstance(value, list | tuple):
        return set().union(*(uuids(item) for item in value))
    return set()


async def record(
    settings: Settings, dsn: str, key: str, requests: dict[str, tuple[str, Any]], existing_ids: set[UUID]
) -> dict[str, Any]:
    """Return the statements of each request with the ids that are new in them, and the response.

    Args:
        settings: of the application that is recorded.
        dsn: of its database.
        key: an API key.
        requests: by name: path, and a function that returns a body (None: a GET).
        existing_ids: ids that a replay must not replace.
    """
    connect = asyncpg.connect

    def connect_recorded(*args: Any, **options: Any) -> Any:
        of_product = options.pop("connection_class", asyncpg.Connection)
        return connect(*args, connection_class=type("Recorded", (Recorder, of_product), {}), **options)

    asyncpg.connect = connect_recorded  # this application records what it sends
    operations: dict[str, Any] = {}
    try:
        async with app.open_context(settings, dsn) as context:
            transport = httpx.ASGITransport(app=app.create(context))
            headers = {"Authorization": f"Bearer {key}"}
            async with httpx.AsyncClient(transport=transport, base_url="http://bench.test", headers=headers) as client:
                for name, (path, body) in requests.items():
                    operations[name] = await _recorded(client, path, body, existing_ids)
    finally:
        asyncpg.connect = connect
    return operations


async def _recorded(client: httpx.AsyncClient, path: str, body: Any, existing_ids: set[UUID]) -> dict[str, Any]:
    for _ in range(2):  # the second one finds the caller in the cache
        Recorder.log.clear()
        response = await (client.get(path) if body is None else client.post(path, json=body()))
        response.raise_for_status()
    statements = list(Recorder.log)
    if not statements:
        raise RuntimeError(f"no statement of {path} was recorded")
    return {
        "statements": statements,
        "new": uuids([arguments for _, arguments in statements]) - existing_ids if body else set(),
        "answer": response.json(),
        "status": response.status_code,
    }
