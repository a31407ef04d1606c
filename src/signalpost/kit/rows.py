"""Row structs and SQL: select lists, inserts and reads are derived from the struct, so that a column is named once.

`builder` makes what the API shows from the values of a row.

A row struct is a `msgspec.Struct` whose fields are the columns, in the order in which they are selected. A field whose
type is a struct, or a list of structs, is a JSON column: it is stored with the struct's own (snake_case) names.
"""

import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from msgspec import NODEFAULT, Struct

from signalpost.kit.db import Db, Row

R = TypeVar("R", bound=Struct)
T = TypeVar("T")
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
    """Return the select list of these columns as a view takes them, for `builder`.

    Instants come as `clock.to_micros`: asyncpg needs half a microsecond to make a datetime, and a page of posts has
    hundreds of instants. JSON comes as text; null if it is the default of its column, as most of it is.

    Args:
        row: the row struct that has these columns.
        alias: of the table in the statement.
        names: of the columns, in order.
        expressions: SQL of columns that are not in that table.
    """
    hints, defaults = typing.get_type_hints(row), json_defaults(row)

    def column(name: str) -> str:
        if name in expressions:
            return expressions[name]
        own = f"{alias}.{name}"
        if _holds(hints[name], datetime):
            return f"(date_part('epoch', {own}) * 1000000)::int8 as {name}"
        if name in defaults:
            default = msgspec.json.encode(defaults[name]).decode().replace("'", "''")
            return f"nullif({own}, '{default}')::text as {name}"
        return f"{own}::text" if _is_json(hints[name]) else own

    return ", ".join(map(column, names))


def json_defaults(row: type[Struct]) -> dict[str, Any]:
    """Return the defaults of the JSON columns that are never null, by name."""
    hints = typing.get_type_hints(row)
    defaults = {
        field.name: field.default if field.default_factory is NODEFAULT else field.default_factory()
        for field in msgspec.structs.fields(row)
        if _is_json(hints[field.name])
    }
    return {name: default for name, default in defaults.items() if default not in (None, NODEFAULT)}


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


async def read_one(db: Db, read: Callable[[Row], T], statement: str, *arguments: Any) -> T | None:
    """Run a statement that returns at most one row, and return what `read` makes of it; None: there is none."""
    record = await db.fetchrow(statement, *arguments)
    return None if record is None else read(record)


async def read_all(db: Db, read: Callable[[Row], T], statement: str, *arguments: Any) -> list[T]:
    """Run a statement, and return what `read` makes of each of its rows, in their order."""
    return [read(record) for record in await db.fetch(statement, *arguments)]


class Arrays:
    """Rows of one kind as parameters, an array for each column, so that one statement writes any number of them.

    JSON and lists travel as text: an array of arrays would be one of two dimensions.
    """

    def __init__(
        self, row: type[Struct], *, only: Sequence[str] | None = None, without: Sequence[str] = (), **types_: str
    ) -> None:
        """`types_`: SQL types of columns for which that of their Python type would be wrong."""
        hints = typing.get_type_hints(row)
        self.names = tuple(name for name in only or row.__struct_fields__ if name not in without)
        self.types = {name: types_.get(name) or _sql_type(hints[name]) for name in self.names}
        """SQL types by column."""
        self._values_of = attrgetter(*self.names)
        texts = {index: type_ for index, type_ in enumerate(self.types.values()) if _is_sent_as_text(type_)}
        self._texts = [(index, _json_text if type_ == "jsonb" else _list_text) for index, type_ in texts.items()]

    def __len__(self) -> int:
        return len(self.names)

    def values(self, rows: Iterable[Struct]) -> list[Sequence[Any]]:
        """Return the parameters of `table`."""
        columns: list[Sequence[Any]] = list(zip(*map(self._values_of, rows), strict=True)) or [()] * len(self)
        for index, text_of in self._texts:
            columns[index] = [None if value is None else text_of(value) for value in columns[index]]
        return columns

    def table(self, alias: str, first: int, **more: str) -> str:
        """Return the rows as a table of SQL, for the parameters from number `first` on; `place` counts them from 1.

        `more`: other arrays that belong to it, by name.
        """
        own = [
            f"${number}::{'text' if _is_sent_as_text(type_) else type_}[]"
            for number, type_ in enumerate(self.types.values(), first)
        ]
        names = ", ".join((*self.names, *more, "place"))
        return f"unnest({', '.join((*own, *more.values()))}) with ordinality as {alias}({names})"

    def select(self, alias: str) -> str:
        """Return the columns of such a table in their own types, in the order of `names`."""
        return ", ".join(
            f"{alias}.{name}::{type_}" if _is_sent_as_text(type_) else f"{alias}.{name}"
            for name, type_ in self.types.items()
        )


def holds_defaults(row: type[Struct], names: Sequence[str]) -> Callable[[Struct], bool]:
    """Return a function that says whether a row has the defaults of its struct in these columns."""
    defaults = {
        field.name: field.default if field.default_factory is NODEFAULT else field.default_factory()
        for field in msgspec.structs.fields(row)
    }
    values_of, expected = attrgetter(*names), tuple(defaults[name] for name in names)
    return lambda record: values_of(record) == expected


_SQL_TYPES: Final = {
    UUID: "uuid", str: "text", bool: "boolean", int: "bigint", bytes: "bytea", datetime: "timestamptz",
    types.NoneType: "text",
}  # fmt: skip


def _sql_type(hint: Any) -> str:
    """Return the SQL type of values of this Python type, or None."""
    if _is_json(hint):
        return "jsonb"
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return "text"
    if origin is list:
        return f"{_sql_type(arguments[0])}[]"
    if origin in (typing.Union, types.UnionType):
        return next(_sql_type(argument) for argument in arguments if argument is not types.NoneType)
    return _SQL_TYPES[hint]


def _is_sent_as_text(type_: str) -> bool:
    return type_ == "jsonb" or type_.endswith("[]")


def _json_text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _list_text(values: Sequence[Any]) -> str:
    """Return strings or UUIDs as PostgreSQL writes an array of them."""
    quoted = (str(value).replace("\\", r"\\").replace('"', r"\"") for value in values)
    return "{" + ",".join(f'"{value}"' for value in quoted) + "}"


def builder(
    view: type[R],
    names: Sequence[str],
    *,
    conversions: Mapping[str, Convert],
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> Callable[[Sequence[Any]], R]:
    """Return a function that makes a `view` of the values called `names`, in this order.

    msgspec finds each keyword argument by a scan, which for a post takes ten times the time of arguments by position.
    So the function is put together here from the names, as `dataclasses` does for `__init__`, and calls by position.

    Args:
        view: the struct to make; values that it has no field for are left out.
        names: of the values, each after the field of `view` that it fills; of two with one name, the last counts.
        conversions: by name; None is never converted.
        defaults: what is shown for None, by the name of a conversion; one object for all views.

    Raises:
        ValueError: a field or a conversion has no value of its name.
    """
    positions = {name: index for index, name in enumerate(names)}
    if missing := ({*view.__struct_fields__, *conversions} - positions.keys()) | (defaults.keys() - conversions):
        raise ValueError(f"{view.__name__}: nothing is called {sorted(missing)}")

    def argument(name: str) -> str:
        value = f"values[{positions[name]}]"
        default = f"default_{name}" if name in defaults else "None"
        return f"{default} if {value} is None else convert_{name}({value})" if name in conversions else value

    # One call with every field in its place, instead of a loop over them for each row of a page: decision 0140.
    source = f"lambda values: view({', '.join(map(argument, view.__struct_fields__))})"
    used = {f"convert_{name}": convert for name, convert in conversions.items()}
    used |= {f"default_{name}": default for name, default in defaults.items()}
    build: Callable[[Sequence[Any]], R] = eval(source, {"view": view, **used})  # noqa: S307 - names of our own structs
    return build


def _is_json(hint: Any) -> bool:
    return _holds(hint, Struct) or _holds(hint, dict)


@cache  # for the columns, and for what reads them
def _documents(row: type[Struct]) -> Mapping[str, Any]:
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
