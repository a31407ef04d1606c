"""Spans of statements, by connections to the server and to a pooler."""

import asyncpg
import pytest
from tests.telemetry.recording import Recording

from signalpost.kit import tracing
from signalpost.kit.db import Database

SECRET = "canary-of-a-parameter"


@pytest.mark.parametrize("is_pooled", [False, True])
async def test_statements_stand_within_the_request_without_parameters(
    recording: Recording, dsn: str, is_pooled: bool
) -> None:
    database = await Database.open(dsn, connections_max=2, pooler_dsn=dsn if is_pooled else None)
    try:
        async with database.connection() as db:
            await db.fetchval("select 1")
        assert recording.all() == ()
        with tracing.Recorded("request") as request:
            async with database.transaction() as db:
                assert await db.fetchval("select $1::text", SECRET) == SECRET
                await db.execute(f"select set_config('signalpost.test', '{SECRET}', true)")
                await db.executemany("select $1::text", [(SECRET,)])
                with pytest.raises(asyncpg.InvalidTextRepresentationError):
                    async with db.transaction():
                        await db.fetch("select $1::text::int", SECRET)
    finally:
        await database.close()
    spans = recording.all()

    assert request is not None
    assert {span.context.trace_id for span in spans} == {int(request.trace_id, 16)}
    names = [span.name for span in spans if span.name not in ("begin", "commit")]
    assert names == ["select", "select", "select", "savepoint", "select", "rollback", "request"]
    (failed,) = [span for span in spans if "error.type" in (span.attributes or {})]
    assert (failed.attributes or {})["error.type"] == "InvalidTextRepresentationError"
    assert not any(SECRET in span.to_json() for span in spans)
    assert "commit" in {span.name for span in spans}


async def test_without_a_recorder_connections_are_those_that_record_nothing(dsn: str) -> None:
    database = await Database.open(dsn, connections_max=1)
    try:
        async with database.connection() as db:
            assert type(db).__name__ == "Connection"
    finally:
        await database.close()
