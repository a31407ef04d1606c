"""Schemas of what crosses the wire, by readable names, for the OpenAPI document."""

import re
import types
import typing
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from signalpost.kit import ids, wire

Document = dict[str, Any]
_TEMPLATE = "#/components/schemas/{name}"


class Components:
    """The schemas of `kinds` and of all that they hold. A union of structs without tags is an `anyOf`."""

    def __init__(self, kinds: Sequence[Any]) -> None:
        single = [each for kind in kinds for each in members(kind)]
        shown, found = msgspec.json.schema_components(single, ref_template=_TEMPLATE, schema_hook=ids.schema_hook)
        _require_all(single, found)
        names = _readable(found)
        self.schemas: Document = {
            names[name]: _renamed(found[name], names) for name in sorted(found, key=names.__getitem__)
        }
        for name, schema in self.schemas.items():
            if "title" in schema:
                schema["title"] = name
            for member in schema.get("properties", {}).values():
                _lift_description(member)
        self._refs = {each: _renamed(schema, names) for each, schema in zip(single, shown, strict=True)}

    def of(self, kind: Any) -> Document:
        """Return the schema of one of the kinds: a reference where it has a name."""
        parts = [self._refs[each] for each in members(kind)]
        return dict(parts[0]) if len(parts) == 1 else {"anyOf": parts}


def members(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the kind alone."""
    is_union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    return typing.get_args(kind) if is_union else (kind,)


def _readable(found: Document) -> dict[str, str]:
    # msgspec says `Listing_Post_` for a Listing[Post], and the whole module where two rooms use one name.
    names = {}
    for name in found:
        if listed := re.fullmatch(r"Listing_(.+)_", name):
            names[name] = f"{listed[1]}List"
        elif filled := re.fullmatch(r"([A-Z][A-Za-z]*)_(\w+)_", name):
            names[name] = filled[2] + filled[1]
        elif placed := re.fullmatch(r"signalpost\.(\w+)\..*\.(\w+)", name):
            names[name] = placed[1].title().replace("_", "") + placed[2]
        else:
            names[name] = name
    if len(set(names.values())) != len(names):
        raise TypeError(f"two structs would have the same name in the reference: {sorted(names.values())}")
    return names


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        found = {key: _renamed(one, names) for key, one in value.items()}
        if isinstance(reference := value.get("$ref"), str):
            found["$ref"] = _TEMPLATE.format(name=names[reference.rsplit("/", 1)[1]])
        return found
    return [_renamed(one, names) for one in value] if isinstance(value, list) else value


def _lift_description(member: Document) -> None:
    """Describe a nullable member by the description of its type, unless it has one of its own."""
    options = [option for option in member.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1 and (text := options[0].pop("description", None)):
        member.setdefault("description", text)


def _require_all(kinds: Sequence[Any], found: Document) -> None:
    """Say that answers carry every key: `Output` leaves none out."""
    seen: set[Any] = set()
    waiting = list(msgspec.inspect.multi_type_info(kinds))
    while waiting:
        kind = waiting.pop()
        if not isinstance(kind, msgspec.inspect.StructType):
            waiting += _inner(kind)
        elif kind.cls not in seen:
            seen.add(kind.cls)
            bare = typing.get_origin(kind.cls) or kind.cls
            if issubclass(bare, wire.Output) and not bare.__struct_config__.omit_defaults:
                schema = _schema_of(kind.cls, found)
                schema["required"] = list(schema["properties"])
            waiting += [field.type for field in kind.fields]


def _schema_of(kind: Any, found: Document) -> Document:
    if arguments := typing.get_args(kind):
        name = f"{kind.__origin__.__name__}_{'__'.join(each.__name__ for each in arguments)}_"
    else:
        name = kind.__name__
    schema: Document = found[name] if name in found else found[f"{kind.__module__}.{kind.__qualname__}"]
    return schema


def _inner(kind: Any) -> Iterator[Any]:
    for name in ("types", "item_types"):
        yield from getattr(kind, name, ())
    for name in ("item_type", "key_type", "value_type", "type"):
        if isinstance(inner := getattr(kind, name, None), msgspec.inspect.Type):
            yield inner
