"""Options of networks as a form needs them: read from the types that validate them, so that both say the same."""

import re
from typing import Any, Literal, NamedTuple, get_args, get_origin

from msgspec import inspect

from signalpost.networks.contract import Option

OptionType = Literal["text", "number", "flag", "choice", "list", "object"]


class Field(NamedTuple):
    """How an option is entered. `choices`: the only values of a choice, or of each item of a list; None: any."""

    label: str
    type: OptionType
    choices: list[str] | None


def field(key: str, option: Option) -> Field:
    """Return how an option is entered."""
    kind = _kind(inspect.type_info(option.type))
    return Field(option.label or _label(key), kind, _choices(option.type) if kind in ("choice", "list") else None)


def _kind(info: inspect.Type) -> OptionType:
    kind: OptionType = "object"
    match info:
        case inspect.Metadata():
            kind = _kind(info.type)
        case inspect.BoolType():
            kind = "flag"
        case inspect.IntType() | inspect.FloatType():
            kind = "number"
        case inspect.StrType():
            kind = "text"
        case inspect.LiteralType():
            kind = "choice"
        case inspect.CollectionType():
            kind = "list" if _kind(info.item_type) in ("text", "choice") else kind
    return kind


def _choices(kind: Any) -> list[str] | None:
    """Return the values of a `Literal`, or of a list of one, in its order, which `inspect` does not keep."""
    if get_origin(kind) is Literal:
        return [str(value) for value in get_args(kind)]
    return _choices(get_args(kind)[0]) if get_args(kind) else None


def _label(key: str) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower()
    return words[0].upper() + words[1:]
