"""Row structs and SQL: select lists, inserts and reads are derived from the struct, so that a column is named once.

A row struct is a `msgspec.Struct` whose fields are the columns, in the order in which they are selected. A field whose
type is a struct, or a list of structs, is a JSON column: it is stored with the struct's own (snake_case) names.
"""

import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

R = TypeVar("R", bound=Struct)


def columns(row: type[Struct], alias: str = "", **expressions: str) -> str:
    """Return the select list that `reader(row)` reads: "p.id, p.title, p.approval::text".

    JSON columns travel as text, so that `reader` decodes them straight into their structs.

    Args:
        row: the row struct.
        alias: of the table in the statement; empty: column names stand alone.
        expressions: SQL of fields that are not columns of that table, by field name; of a JSON column, as text.
    """
    prefix = f"{alias}." if alias else ""
    own = {name: f"{prefix}{name}::text" for name in _documents(row)} | expressions
    return ", ".join(own.get(name, prefix + name) for name in row.__struct_fields__)


def names(row: type[Struct]) -> str:
    """Return the names of the columns, for an insert or an update of all of them: "id, title, approval"."""
    return ", ".join(row.__struct_fields__)


def insert(table: str, row: type[Struct], *, without: Sequence[str] = ()) -> str:
    """Return "insert into table (a, b) values ($1, $2)"; `values(row, without=...)` gives the parameters."""
    names = [name for name in row.__struct_fields__ if name not in without]
    parameters = ", ".join(f"${number}" for number in range(1, len(names) + 1))
    return f"insert into {table} ({', '.join(names)}) values ({parameters})"  # noqa: S608 - names from our own structs


def assignments(row: type[Struct], *, first: int, without: Sequence[str] = ()) -> str:
    """Return "a = $3, b = $4" for an update; `first` is the number of the first parameter."""
    names = [name for name in row.__struct_fields__ if name not in without]
    return ", ".join(f"{name} = ${number}" for number, name in enumerate(names, first))


def values(row: Struct, *, without: Sequence[str] = ()) -> list[Any]:
    """Return the values of `row` in the order of its fields."""
    return [getattr(row, name) for name in row.__struct_fields__ if name not in without]


def reader(row: type[R]) -> Callable[[Iterable[Any]], R]:
    """Return a function that turns a record, or the part of it selected by `columns(row)`, into a `row`."""
    documents = _documents(row)
    decoders = [
        (index, msgspec.json.Decoder(documents[name]).decode)
        for index, name in enumerate(row.__struct_fields__)
        if name in documents
    ]
    if not decoders:
        return lambda record: row(*record)

    def read(record: Iterable[Any]) -> R:
        fields = list(record)
        for index, decode in decoders:
            if (text := fields[index]) is not None:
                fields[index] = decode(text)
        return row(*fields)

    return read


def _documents(row: type[Struct]) -> dict[str, Any]:
    """Return the types of the fields that are JSON columns."""
    hints = typing.get_type_hints(row)
    return {name: hints[name] for name in row.__struct_fields__ if _holds_struct(hints[name])}


def _holds_struct(kind: Any) -> bool:
    if isinstance(kind, type) and issubclass(kind, Struct):
        return True
    if typing.get_origin(kind) in (typing.Union, types.UnionType, list, tuple, dict, typing.Annotated):
        return any(_holds_struct(argument) for argument in typing.get_args(kind))
    return False
