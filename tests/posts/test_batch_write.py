"""The statement that writes many posts names columns and their types: the schema must agree."""

import pytest

from signalpost.kit.db import Database
from signalpost.posts.actions import batch_write
from signalpost.posts.rows import PostRow

_TYPES = """
select attname, format_type(atttypid, null) from pg_attribute
where attrelid = $1::regclass and attnum > 0 and not attisdropped
"""
_SHORT = {
    "timestamp with time zone": "timestamptz", "timestamp without time zone": "timestamp", "boolean": "bool",
}  # fmt: skip
_LATER = {"version", "published_at", "deleted_at", "purge_at", "former_status"}
"""Columns that no new post sets."""


@pytest.mark.parametrize(
    ("table", "types"),
    [
        ("post", batch_write._POST | batch_write._RARE),
        ("target", batch_write._TARGET | batch_write._RARE_OF_TARGET),
        ("audit", batch_write._HISTORY),
    ],
)
async def test_columns_have_their_types(database: Database, table: str, types: dict[str, str]) -> None:
    async with database.connection() as db:
        stored = {name: _SHORT.get(type_, type_) for name, type_ in await db.fetch(_TYPES, table)}
    assert {name: stored.get(name) for name in types} == types


def test_every_member_of_a_new_post_is_written() -> None:
    written = {*batch_write._OF_ALL, *batch_write._POST, *batch_write._RARE}
    assert written == set(PostRow.__struct_fields__) - _LATER
