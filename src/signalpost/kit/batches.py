"""Statements of the background that change at most so many rows, whatever has gathered."""

from collections.abc import Iterable
from typing import Final

from signalpost.kit.db import Db

ROWS: Final = 5_000
"""How many rows one statement deletes or changes."""


def delete(table: str, condition: str) -> str:
    """Return a statement that deletes at most `ROWS` rows that meet a condition; both are constants of the code."""
    return f"delete from {table} where {_some(table, condition)}"  # noqa: S608 - constants only


def update(table: str, changes: str, condition: str) -> str:
    """Return a statement that changes at most `ROWS` rows that meet a condition; all are constants of the code."""
    return f"update {table} set {changes} where {_some(table, condition)}"  # noqa: S608 - constants only


async def run(db: Db, statements: Iterable[str], *arguments: object) -> bool:
    """Run statements with the same arguments; return whether one of them may have more to do."""
    done = [await db.execute(statement, *arguments) for statement in statements]
    return any(status.rpartition(" ")[2] == str(ROWS) for status in done)


def _some(table: str, condition: str) -> str:
    # The condition again: between the look and the change, another session may have changed the row.
    return f"ctid = any(array(select ctid from {table} where {condition} limit {ROWS})) and {condition}"  # noqa: S608
