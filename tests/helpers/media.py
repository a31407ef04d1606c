"""The background work of the media room, run by hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from signalpost.context import AppContext
from signalpost.engine.jobs import RunAgain
from signalpost.kit import storage
from signalpost.kit.db import Db
from signalpost.media import work
from signalpost.media.actions.encode import ENCODE_JOB, encode_variant
from signalpost.media.actions.receive_object import RECEIVE_JOB
from signalpost.media.actions.sweep import SWEEP_JOB

RUNS_MAX = 20


class FullStore(storage.Store):
    """A store without space that shows what another one has."""

    def __init__(self, other: storage.Store) -> None:
        self.__dict__ = other.__dict__

    async def move(self, file: Path, path: str) -> None:
        raise storage.StorageFailure(f"{path} cannot be stored")


class Turn:
    """The part of a lease that the sweep uses: a transaction and a counter."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Db]:
        async with self._context.database.transaction() as db:
            yield db

    def count(self, outcome: str) -> None:
        """Part of the protocol; not used here."""


async def sweep(context: AppContext) -> float:
    """Run the sweep until it has nothing to do; return in how many seconds it would run again."""
    [handler] = [job.handler for job in work.jobs(context) if job.kind == SWEEP_JOB]
    lease: Any = Turn(context)
    for _ in range(RUNS_MAX):
        again = await handler(lease, {})
        assert isinstance(again, RunAgain)
        if again.after_seconds > 0:
            return again.after_seconds
    raise AssertionError("the sweep does not end")


async def receive(context: AppContext, media_id: str) -> float | None:
    """Look once for the bytes of a file in the object store; return in how many seconds it is looked for again."""
    async with context.database.connection() as db:
        payload = await db.fetchval(
            "select payload from job where kind = $1 and payload ->> 'media' = $2", RECEIVE_JOB, media_id
        )
    assert payload is not None
    [handler] = [job.handler for job in work.jobs(context) if job.kind == RECEIVE_JOB]
    lease: Any = Turn(context)
    again = await handler(lease, payload)
    return None if again is None else again.after_seconds


async def encode_videos(context: AppContext) -> int:
    """Do the jobs that encode videos; return how many there were."""
    async with context.database.connection() as db:
        payloads = await db.fetch("select id, payload from job where kind = $1 and state <> 'failed'", ENCODE_JOB)
    for job_id, payload in payloads:
        again = await encode_variant(context, payload)
        assert again is None
        async with context.database.transaction() as db:
            await db.execute("delete from job where id = $1", job_id)
    return len(payloads)
