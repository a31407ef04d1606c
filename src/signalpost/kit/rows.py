"""Row structs and SQL: select lists, inserts and reads are derived from the struct, so that a column is named once.

`builder` makes what the API shows from the values of a row.

A row struct is a `msgspec.Struct` whose fields are the columns, in the order in which they are selected. A field whose
type is a struct, or a list of structs, is a JSON column: it is stored with the struct's own (snake_case) names.
"""

import types
import typing
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

R = TypeVar("R", bound=Struct)
Convert = Callable[[Any], Any]


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


def view_columns(row: type[Struct], alias: str, names: Sequence[str], **expressions: str) -> str:
    """Return the select list of these columns as a view takes them: JSON as text, instants as `clock.to_micros`.

    asyncpg needs half a microsecond to make a datetime, and a page of posts has hundreds of instants.

    Args:
        row: the row struct that has these columns.
        alias: of the table in the statement.
        names: of the columns, in order.
        expressions: SQL of columns that are not in that table.
    """
    hints = typing.get_type_hints(row)

    def column(name: str) -> str:
        if name in expressions:
            return expressions[name]
        if _holds(hints[name], datetime):
            return f"(date_part('epoch', {alias}.{name}) * 1000000)::int8 as {name}"
        is_json = _holds(hints[name], Struct) or _holds(hints[name], dict)
        return f"{alias}.{name}::text" if is_json else f"{alias}.{name}"

    return ", ".join(map(column, names))


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


def builder(view: type[R], names: Sequence[str], /, **conversions: Convert) -> Callable[[Sequence[Any]], R]:
    """Return a function that makes a `view` of the values called `names`, in this order.

    msgspec finds each keyword argument by a scan, which for a post takes ten times the time of arguments by position.
    So the function is put together here from the names, as `dataclasses` does for `__init__`, and calls by position.

    Args:
        view: the struct to make; values that it has no field for are left out.
        names: of the values, each after the field of `view` that it fills; of two with one name, the last counts.
        conversions: by name; None is never converted.

    Raises:
        ValueError: a field or a conversion has no value of its name.
    """
    positions = {name: index for index, name in enumerate(names)}
    if missing := {*view.__struct_fields__, *conversions} - positions.keys():
        raise ValueError(f"{view.__name__}: nothing is called {sorted(missing)}")

    def argument(name: str) -> str:
        value = f"values[{positions[name]}]"
        return f"None if {value} is None else {name}({value})" if name in conversions else value

    arguments = ", ".join(map(argument, view.__struct_fields__))
    build: Callable[[Sequence[Any]], R] = eval(  # noqa: S307 - names of our own structs
        f"lambda values: _view({arguments})", {"_view": view, **conversions}
    )
    return build


def _documents(row: type[Struct]) -> dict[str, Any]:
    """Return the types of the fields that are JSON columns."""
    hints = typing.get_type_hints(row)
    return {name: hints[name] for name in row.__struct_fields__ if _holds(hints[name], Struct)}


def _holds(hint: Any, kind: type) -> bool:
    """Whether the type is a `kind`, or a union or collection with one."""
    origin = typing.get_origin(hint)
    if isinstance(bare := origin or hint, type) and issubclass(bare, kind):
        return True
    if origin in (typing.Union, types.UnionType, list, tuple, dict, typing.Annotated):
        return any(_holds(argument, kind) for argument in typing.get_args(hint))
    return False
