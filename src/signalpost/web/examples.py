"""Examples for the reference, generated from JSON schemas: the example at the field, else a value of its type."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from signalpost.kit import ids

PLACEHOLDER = "string"
"""The example of a string without one. A test finds it in the document: such a field needs an example."""
_BY_TYPE: Mapping[str, Any] = {"boolean": True, "null": None, "string": PLACEHOLDER}
_INSTANT = "2026-11-21T18:00:00.000Z"


def example_of(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    """Return a value that the schema accepts. No schema of ours contains itself, so this ends."""
    values = [*schema.get("examples", ()), *(schema[key] for key in ("const", "default") if schema.get(key))]
    if values := [*values, *schema.get("enum", ())]:
        return values[0]
    if "$ref" in schema:
        return example_of(components[str(schema["$ref"]).rsplit("/", 1)[1]], components)
    if "anyOf" in schema:
        return example_of(next(option for option in schema["anyOf"] if option.get("type") != "null"), components)
    return _by_type(schema, components)


def _by_type(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    kind = schema.get("type")
    if kind == "object":
        return _object(schema, components)
    if kind == "array":
        return [example_of(schema.get("items", {}), components)] * max(1, schema.get("minItems", 0))
    if kind in ("integer", "number"):
        return max(1, schema.get("minimum", 1))
    return _INSTANT if schema.get("format") == "date-time" else _BY_TYPE.get(str(kind), {})


def _object(schema: Mapping[str, Any], components: Mapping[str, Any]) -> dict[str, Any]:
    """Return an output with all its members; an input with the required ones, or the first one if none is."""
    members: dict[str, Any] = schema.get("properties", {})
    if schema.get("additionalProperties") is False:
        names = schema.get("required") or list(members)[:1]
        return {name: example_of(member, components) for name, member in members.items() if name in names}
    title = schema.get("title", "")
    return {name: _member_of_output(name, member, title, components) for name, member in members.items()}


def _member_of_output(name: str, member: Mapping[str, Any], owner: str, components: Mapping[str, Any]) -> Any:
    """Return the example of a member; null if that is allowed and the member has no example of its own."""
    if "examples" not in member:
        if any(option.get("type") == "null" for option in member.get("anyOf", ())):
            return None
        if member.get("type") == "string" and (prefix := _id_prefix(name, owner)):
            return ids.example(prefix)
    return example_of(member, components)


def _id_prefix(name: str, owner: str) -> str | None:
    """Return the prefix of the typed id that a member is named after: `parentProfileId`, or `id` of a `Profile`."""
    if name == "id":
        resource = owner
    elif named := re.fullmatch(r"(\w)(\w*)Id", name):
        resource = named[1].upper() + named[2]
    else:
        return None
    return next((prefix for kind, prefix in _typed_ids() if resource.endswith(kind) or resource.startswith(kind)), None)


@cache
def _typed_ids() -> list[tuple[str, str]]:
    """Return (resource, prefix) of every typed id, the longest names first."""
    kinds = [(kind.__name__.removesuffix("Id"), kind.prefix) for kind in ids.Id.__subclasses__()]
    return sorted(kinds, key=lambda kind: -len(kind[0]))
