"""The statement that writes posts names columns and their types: the schema must agree."""

import pytest

from signalpost.kit.db import Database
from signalpost.kit.rows import Arrays
from signalpost.posts.rows import PostRow
from signalpost.posts.write import writer

_TYPES = """
select attname, format_type(atttypid, null) from pg_attribute
where attrelid = $1::regclass and attnum > 0 and not attisdropped
"""
_SHORT = {
    "timestamp with time zone": "timestamptz", "timestamp without time zone": "timestamp", "smallint": "bigint",
    "integer": "bigint",
}  # fmt: skip


@pytest.mark.parametrize(
    ("table", "arrays"), [("post", writer.POSTS), ("target", writer.TARGETS), ("audit", writer.HISTORY)]
)
async def test_columns_have_their_types(database: Database, table: str, arrays: Arrays) -> None:
    async with database.connection() as db:
        stored = {name: _SHORT.get(type_, type_) for name, type_ in await db.fetch(_TYPES, table)}
    assert {name: stored.get(name) for name in arrays.types} == arrays.types


def test_every_member_of_a_new_post_is_written() -> None:
    assert tuple(writer.POSTS.types) == PostRow.__struct_fields__
