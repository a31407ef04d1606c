"""The named schemas of the OpenAPI document, generated from the types of bodies and responses."""

import re
import types
import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from signalpost.kit import ids, wire

Document = dict[str, Any]
_TEMPLATE = "#/components/schemas/{name}"


class Components:
    """The schemas of `kinds` and of every type inside them. An untagged union of structs becomes an `anyOf`."""

    def __init__(self, kinds: Sequence[Any]) -> None:
        types = [member for kind in kinds for member in members(kind)]
        schemas, named = msgspec.json.schema_components(types, ref_template=_TEMPLATE, schema_hook=ids.schema_hook)
        _require_all(types, named)
        names = _readable(named)
        self.schemas: Document = {
            names[name]: _renamed(named[name], names) for name in sorted(named, key=names.__getitem__)
        }
        for name, schema in self.schemas.items():
            if "title" in schema:
                schema["title"] = name
            properties = schema.get("properties", {})
            for unavailable in [key for key, member in properties.items() if member.get("x-unavailable")]:
                del properties[unavailable]
            for member in properties.values():
                _lift_description(member)
                _tell_default(member)
                _plain_constant(member)
        self._refs = {kind: _renamed(schema, names) for kind, schema in zip(types, schemas, strict=True)}
        used = set(reachable(self._refs.values(), self.schemas))
        self.schemas = {name: schema for name, schema in self.schemas.items() if name in used}

    def of(self, kind: Any) -> Document:
        """Return the schema of one of the kinds, as a reference if it is named."""
        schemas = [self._refs[member] for member in members(kind)]
        return dict(schemas[0]) if len(schemas) == 1 else {"anyOf": schemas}


def names_in(schema: Document) -> Iterator[str]:
    """Yield the names of the schemas that a schema refers to, at any depth of it."""
    if isinstance(reference := schema.get("$ref"), str):
        yield reference.rsplit("/", 1)[1]
    for inner in schema.values():
        for part in inner if isinstance(inner, list) else [inner]:
            if isinstance(part, dict):
                yield from names_in(part)


def reachable(places: Iterable[Document], schemas: Document) -> Iterator[str]:
    """Yield the names of the schemas that the places refer to, directly or through another schema, each once."""
    pending = [name for place in places for name in names_in(place)]
    seen: set[str] = set()
    while pending:
        name = pending.pop(0)
        if name not in seen:
            seen.add(name)
            pending.extend(names_in(schemas[name]))
            yield name


def members(kind: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the type itself."""
    is_union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    return typing.get_args(kind) if is_union else (kind,)


def _readable(names_of_msgspec: Iterable[str]) -> dict[str, str]:
    # msgspec names a Listing[Post] `Listing_Post_`, and prefixes the module if two rooms use the same name.
    names = {}
    for name in names_of_msgspec:
        if listing := re.fullmatch(r"Listing_(.+)_", name):
            names[name] = f"{listing[1]}List"
        elif generic := re.fullmatch(r"([A-Z][A-Za-z]*)_(\w+)_", name):
            names[name] = generic[2] + generic[1]
        elif qualified := re.fullmatch(r"signalpost\.(\w+)\..*\.(\w+)", name):
            names[name] = qualified[1].title().replace("_", "") + qualified[2]
        else:
            names[name] = name
    if len(set(names.values())) != len(names):
        raise TypeError(f"two structs have the same name in the OpenAPI document: {sorted(names.values())}")
    return names


def _renamed(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        renamed = {key: _renamed(item, names) for key, item in value.items()}
        if isinstance(reference := value.get("$ref"), str):
            renamed["$ref"] = _TEMPLATE.format(name=names[reference.rsplit("/", 1)[1]])
        return renamed
    return [_renamed(item, names) for item in value] if isinstance(value, list) else value


def _lift_description(member: Document) -> None:
    """Describe a nullable member by the description of its type, unless it has one of its own."""
    options = [option for option in member.get("anyOf", ()) if option.get("type") != "null"]
    if len(options) == 1 and (text := options[0].pop("description", None)):
        member.setdefault("description", text)


def _tell_default(member: Document) -> None:
    """Move a default from the keyword into the description.

    Generators of clients disagree about the keyword: openapi-typescript makes every member that has one mandatory, so
    the shortest request of this documentation would not compile.
    """
    default = member.pop("default", None)
    if default not in (None, "", [], {}) and "default" not in (text := member.get("description", "")).lower():
        member["description"] = f"{text} Default: `{msgspec.json.encode(default).decode()}`.".strip()


def _plain_constant(member: Document) -> None:
    """Write `Literal[True]` as a boolean: `enum` of anything but strings is more than some generators can read."""
    if (values := member.get("enum")) and all(isinstance(value, bool) for value in values):
        del member["enum"]
        member |= {"type": "boolean"} | ({"const": values[0]} if len(values) == 1 else {})


def _require_all(kinds: Sequence[Any], named: Document) -> None:
    """Mark every member of an `Output` as required: responses always contain all of them."""
    seen: set[Any] = set()
    pending = list(msgspec.inspect.multi_type_info(kinds))
    while pending:
        kind = pending.pop()
        if not isinstance(kind, msgspec.inspect.StructType):
            pending += _inner(kind)
        elif kind.cls not in seen:
            seen.add(kind.cls)
            bare = typing.get_origin(kind.cls) or kind.cls
            if issubclass(bare, wire.Output) and not bare.__struct_config__.omit_defaults:
                schema = _schema_of(kind.cls, named)
                schema["required"] = list(schema["properties"])
            pending += [field.type for field in kind.fields]


def _schema_of(kind: Any, named: Document) -> Document:
    if arguments := typing.get_args(kind):
        name = f"{kind.__origin__.__name__}_{'__'.join(argument.__name__ for argument in arguments)}_"
    else:
        name = kind.__name__
    schema: Document = named[name] if name in named else named[f"{kind.__module__}.{kind.__qualname__}"]
    return schema


def _inner(kind: Any) -> Iterator[Any]:
    for name in ("types", "item_types"):
        yield from getattr(kind, name, ())
    for name in ("item_type", "key_type", "value_type", "type"):
        if isinstance(inner := getattr(kind, name, None), msgspec.inspect.Type):
            yield inner
