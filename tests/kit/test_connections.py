"""What a connection has to read of the server before its first statements."""

import asyncpg
from tests.helpers.limits import TEST_SECONDS

from signalpost.kit.connections import Connection, prepare

_ARRAYS = "select $1::uuid[], $2::timestamptz[], $3::int[], $4::float8[], $5::bool[], array[$6::jsonb]"
_READS_OF_TYPES = "select count(*) from pg_prepared_statements where starts_with(statement, 'WITH RECURSIVE typeinfo')"


async def connected(dsn: str) -> Connection:
    connection: Connection = await asyncpg.connect(dsn, connection_class=Connection, timeout=TEST_SECONDS)
    await prepare(connection)
    return connection


async def test_types_of_postgresql_are_read_once_for_all_connections(dsn: str) -> None:
    first = await connected(dsn)
    row = await first.fetchrow(_ARRAYS, [], [], [1, 2], [0.5], [True], {"a": 1})
    second = await connected(dsn)
    assert await second.fetchrow(_ARRAYS, [], [], [1, 2], [0.5], [True], {"a": 1}) == row
    assert tuple(row) == ([], [], [1, 2], [0.5], [True], [{"a": 1}])
    assert await second.fetchval(_READS_OF_TYPES) == 0
    await first.close()
    await second.close()


async def test_a_type_of_the_database_is_read_by_each_connection(fresh_dsn: str) -> None:
    """Its number may be that of another type in another database."""
    for labels in ("'a', 'b'", "'c'"):
        connection = await connected(fresh_dsn)
        await connection.execute(f"create type kind as enum ({labels})")
        assert await connection.fetchval("select enum_range(null::kind)") == labels.replace("'", "").split(", ")
        assert await connection.fetchval(_READS_OF_TYPES) == 1
        await connection.execute("drop type kind")
        await connection.close()
