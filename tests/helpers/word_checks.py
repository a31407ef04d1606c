"""Checks of words in columns that are written too often for PostgreSQL to check them in production.

Their types are Literals of the program, but the words in SQL texts are seen by no type checker: here they are.
"""

import types
import typing
from typing import Any, Literal

import asyncpg
from msgspec import Struct

from signalpost.posts.rows import PostRow, TargetRow


async def add_word_checks(dsn: str) -> None:
    """Have this database refuse a word that is not of the Literal type of its column."""
    connection = await asyncpg.connect(dsn)
    try:
        for table, row in (("post", PostRow), ("target", TargetRow)):
            for column, words in words_of(row).items():
                known = ", ".join(f"'{word}'" for word in words)
                await connection.execute(
                    f"alter table {table} add constraint {table}_{column}_word check ({column} in ({known}))"
                )
    finally:
        await connection.close()


def words_of(row: type[Struct]) -> dict[str, tuple[str, ...]]:
    """Return the words that each Literal column may hold."""
    return {name: words for name, hint in typing.get_type_hints(row).items() if (words := _words(hint))}


def _words(hint: Any) -> tuple[str, ...]:
    if typing.get_origin(hint) is Literal:
        return typing.get_args(hint)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(word for part in typing.get_args(hint) for word in _words(part))
    return ()
