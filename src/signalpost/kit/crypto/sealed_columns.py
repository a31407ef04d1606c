"""Sealing what is stored again, under the current master key, while everything runs."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from signalpost.kit.crypto.keyring import KeyRing, Undecipherable
from signalpost.kit.db import Db, Row

BATCH = 500


class SealedColumn(NamedTuple):
    """A column of sealed values, named by the room that owns its table."""

    table: str
    key: Mapping[str, str]  # the columns of the primary key with their types
    column: str
    context: Callable[[Row], str]  # under which a value was sealed
    reads: tuple[str, ...] = ()  # further columns that `context` needs


class Rewrapped(NamedTuple):
    """What a batch did."""

    looked_at: int
    changed: int
    unreadable: int
    """Sealed under a key that is not there any more; they stay as they are."""
    last: tuple[Any, ...] | None
    """The key of the last row, from which the next batch goes on; None: there is no next one."""


async def count(db: Db, column: SealedColumn) -> int:
    """Return how many values a column has."""
    number: int = await db.fetchval(f"select count({column.column}) from {column.table}")  # noqa: S608 - names of the code
    return number


async def rewrap_batch(db: Db, keys: KeyRing, column: SealedColumn, after: tuple[Any, ...] | None) -> Rewrapped:
    """Seal again what is sealed under an older key, in the order of the primary key.

    No row is locked while it is worked on: a value that was replaced meanwhile is left as it is, since it is newer.
    """
    key, column_name = ", ".join(column.key), column.column
    names = ", ".join((*column.key, *column.reads, column_name))
    held = ", ".join(f"${number}" for number, _ in enumerate(column.key, 1))
    later = f"and ({key}) > ({held})" if after is not None else ""
    rows = await db.fetch(
        f"select {names} from {column.table} where {column_name} is not null {later} order by {key} limit {BATCH}",  # noqa: S608 - names of the code
        *(after or ()),
    )
    changes: list[tuple[Any, ...]] = []
    unreadable = 0
    for row in rows:
        sealed, context = row[column_name], column.context(row)
        try:
            if keys.needs_rewrap(sealed):
                again = keys.seal(keys.open(sealed, context=context), context=context)
                changes.append((sealed, again, *(row[name] for name in column.key)))
        except Undecipherable:
            unreadable += 1
    if changes:
        arrays = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(column.key.values(), 3))
        same = " and ".join(f"t.{name} = v.{name}" for name in column.key)
        await db.execute(
            f"update {column.table} t set {column_name} = v.again from unnest($1::bytea[], $2::bytea[], {arrays})"  # noqa: S608 - names of the code
            f" as v(sealed, again, {key}) where {same} and t.{column_name} = v.sealed",
            *map(list, zip(*changes, strict=True)),
        )
    last = tuple(rows[-1][name] for name in column.key) if len(rows) == BATCH else None
    return Rewrapped(len(rows), len(changes), unreadable, last)
