"""The floor of bench.api: a bare ASGI app that runs recorded SQL on asyncpg and responds with JSON, and nothing else.

`python -m bench.bare_api DSN PORT RECORDING`. Each operation of the recording is a list of (SQL, arguments) as the
product sent them in one request, each of which commits by itself, whether they write, and the answer.
"""

import asyncio
import os
import pickle
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import uvloop
from granian.constants import Interfaces
from granian.server.embed import Server

from signalpost.kit import ids
from signalpost.kit.connections import SET_SESSION, set_codecs  # the same as the product's


def first_of(array: Sequence[Any]) -> Any:
    """Return the first element that is not null; None: there is none."""
    return next((item for item in array if item is not None), None)


def renewed(value: Any, fresh: dict[UUID, UUID], new: set[UUID]) -> Any:
    """Return an argument with new values for the ids and hashes that were new in the recording."""
    if isinstance(value, UUID):
        return fresh.setdefault(value, ids.new_id()) if value in new else value
    if isinstance(value, bytes) and len(value) in (16, 32):
        return os.urandom(len(value))
    if isinstance(value, list | tuple) and isinstance(first_of(value), UUID | bytes | msgspec.Struct):
        return [renewed(item, fresh, new) for item in value]
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.asdict(value)
        return type(value)(**{name: renewed(field, fresh, new) for name, field in fields.items()})
    return value


class Bare:
    """One pool, and the operations of a recording."""

    def __init__(self, dsn: str, recording: dict[str, Any]) -> None:
        self.dsn, self.recording = dsn, recording
        self.pool: Any = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self.respond(scope, receive, send)
        except Exception:
            traceback.print_exc()  # the server itself logs nothing
            raise

    async def respond(self, scope: Any, receive: Any, send: Any) -> None:
        recorded = self.recording[scope["path"][1:]]
        if scope["method"] == "POST":
            msgspec.json.decode((await receive())["body"])
        fresh: dict[UUID, UUID] = {}
        async with self.pool.acquire() as db:
            await self.replay(db, recorded, fresh)
        body = msgspec.json.encode(recorded["answer"])
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": recorded["status"], "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def replay(self, db: Any, recorded: dict[str, Any], fresh: dict[UUID, UUID]) -> None:
        for sql, arguments in recorded["statements"]:
            if recorded["new"]:
                arguments = [renewed(value, fresh, recorded["new"]) for value in arguments]  # noqa: PLW2901
            await db.fetch(sql, *arguments)


async def prepare(connection: Any) -> None:
    """Give a connection the settings and the JSON codec of the product's."""
    await connection.execute(SET_SESSION)
    await set_codecs(connection)


async def main(dsn: str, port: int, recording: str) -> None:
    bare = Bare(dsn, pickle.loads(await asyncio.to_thread(Path(recording).read_bytes)))
    bare.pool = await asyncpg.create_pool(dsn, min_size=12, max_size=12, init=prepare)
    server = Server(
        bare, address="127.0.0.1", port=port, interface=Interfaces.ASGINL, log_enabled=False, websockets=False
    )
    await server.serve()


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
