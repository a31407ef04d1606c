"""Options of networks as a form needs them: read from the types that validate them, so that both say the same."""

import re
from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import inspect

from signalpost.networks.contract import Option

OptionType = Literal["text", "number", "flag", "choice", "list", "object", "objects"]
PartType = Literal["text", "number", "flag", "choice", "list"]


class Part(NamedTuple):
    """How a member of an object is entered. `choices`: the only values of a choice, or of each item of a list."""

    key: str
    label: str
    type: PartType
    choices: list[str] | None
    required: bool
    default: str | int | bool | None
    items_min: int | None
    items_max: int | None


class Field(NamedTuple):
    """How an option is entered. `choices`: the only values of a choice, or of each item of a list; None: any.

    `items_min` and `items_max` are those of a list, `parts` the members of an object, and `instead` what can stand in
    the place of the whole: `everyone` instead of a list of those who can reply.
    """

    label: str
    type: OptionType
    choices: list[str] | None = None
    items_min: int | None = None
    items_max: int | None = None
    parts: Sequence[Part] = ()
    instead: Sequence[str | bool] = ()


def field(key: str, option: Option) -> Field:
    """Return how an option is entered."""
    whole, instead = _apart(option.type)
    info = _plain(inspect.type_info(whole))
    kind = _kind(info)
    item = info.item_type if isinstance(info, inspect.CollectionType) else info
    return Field(
        label=option.label or _label(key),
        type=kind,
        choices=_choices(whole) if kind in ("choice", "list") else None,
        items_min=_bound(info, "min_length"),
        items_max=_bound(info, "max_length"),
        parts=_parts(_plain(item)) if kind in ("object", "objects") else (),
        instead=instead,
    )


def _apart(kind: Any) -> tuple[Any, list[str | bool]]:
    """Return the list or object of a union, and the plain values that stand beside it."""
    if get_origin(kind) not in (Union, UnionType):
        return kind, []
    members = [member for member in get_args(kind) if member is not NoneType]
    plain = [member for member in members if member is bool or get_origin(member) is Literal]
    wholes = [member for member in members if member not in plain]
    if len(wholes) != 1:
        return kind, []
    return wholes[0], [value for member in plain for value in ([True, False] if member is bool else get_args(member))]


def _plain(info: inspect.Type) -> inspect.Type:
    """Return a type without its description, and without None."""
    if isinstance(info, inspect.Metadata):
        return _plain(info.type)
    if isinstance(info, inspect.UnionType):
        members = [member for member in info.types if not isinstance(member, inspect.NoneType)]
        return _plain(members[0]) if len(members) == 1 else info
    return info


def _kind(info: inspect.Type) -> OptionType:
    match info:
        case inspect.BoolType():
            return "flag"
        case inspect.IntType() | inspect.FloatType():
            return "number"
        case inspect.StrType():
            return "text"
        case inspect.LiteralType():
            return "choice"
        case inspect.CollectionType():
            return "list" if _kind(_plain(info.item_type)) in ("text", "choice") else "objects"
    return "object"


def _parts(info: inspect.Type) -> Sequence[Part]:
    """Return the members of an object; none if one of them has parts of its own, which no form shows."""
    if not isinstance(info, inspect.StructType):
        return ()
    types = get_type_hints(info.cls)
    parts = [_part(member, types[member.name]) for member in info.fields]
    return [part for part in parts if part is not None] if None not in parts else ()


def _part(member: inspect.Field, written: Any) -> Part | None:
    plain = _plain(member.type)
    kind = _kind(plain)
    if kind not in ("text", "number", "flag", "choice", "list"):
        return None
    return Part(
        key=member.encode_name,
        label=_title(member.type) or _label(member.encode_name),
        type=kind,
        choices=_choices(written) if kind in ("choice", "list") else None,
        required=member.required,
        default=member.default if isinstance(member.default, str | int | bool) else None,
        items_min=_bound(plain, "min_length"),
        items_max=_bound(plain, "max_length"),
    )


def _title(info: inspect.Type) -> str | None:
    if isinstance(info, inspect.UnionType):
        return next((title for member in info.types if (title := _title(member))), None)
    if not isinstance(info, inspect.Metadata):
        return None
    title = (info.extra_json_schema or {}).get("title")
    return title if isinstance(title, str) else _title(info.type)


def _bound(info: inspect.Type, name: Literal["min_length", "max_length"]) -> int | None:
    bound = getattr(info, name) if isinstance(info, inspect.CollectionType) else None
    return bound if isinstance(bound, int) else None


def _choices(kind: Any) -> list[str] | None:
    """Return the values of a `Literal`, or of a list of one, in its order, which `inspect` does not keep."""
    if get_origin(kind) is Literal:
        return [str(value) for value in get_args(kind)]
    return _choices(get_args(kind)[0]) if get_args(kind) else None


def _label(key: str) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower()
    return words[0].upper() + words[1:]
