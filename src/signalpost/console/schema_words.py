"""JSON schemas in words: types, bounds and members, as the API reference shows them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from markupsafe import Markup
from msgspec import Struct

from signalpost.web.components import Document

SCHEMA = "#/components/schemas/"


class Field(Struct, frozen=True):
    """A parameter, or a member of a body or an object."""

    name: str
    type: Markup
    required: bool
    text: str
    location: str = ""  # of a parameter: path, query or header
    members: Sequence["Field"] = ()  # of an object, or of the objects in a list


def fields_of(schema: Document, schemas: Mapping[str, Document]) -> list[Field]:
    """Return the members of a schema: with the members of the objects in it, or, without `schemas`, links to those."""
    if "$ref" in schema:
        return fields_of(schemas.get(name_of(schema), {}), schemas)
    required = schema.get("required", ())
    return [
        Field(
            name,
            type_of(member, links=not schemas),
            name in required,
            str(member.get("description", "")),
            members=[inner for part in _objects_in(member) for inner in fields_of(part, schemas)],
        )
        for name, member in schema.get("properties", {}).items()
    ]


def name_of(schema: Document) -> str:
    """Return the name of the schema that `$ref` refers to."""
    return str(schema["$ref"]).removeprefix(SCHEMA)


def _objects_in(schema: Document) -> Iterator[Document]:
    if "$ref" in schema or "properties" in schema:
        yield schema
    for option in schema.get("anyOf", ()):
        yield from _objects_in(option)
    for key in ("items", "additionalProperties"):
        if isinstance(inner := schema.get(key), dict):
            yield from _objects_in(inner)


def type_of(schema: Document, *, links: bool = True) -> Markup:
    """Return the type in words; a named schema is a link to its place on the page, or just an object."""
    if "$ref" in schema:
        return Markup('<a href="#object-{0}">{0}</a>').format(name_of(schema)) if links else Markup("object")
    if "anyOf" in schema:
        return Markup(" or ").join([type_of(option, links=links) for option in schema["anyOf"]])
    if "const" in schema or "enum" in schema:
        values = [schema["const"]] if "const" in schema else schema["enum"]
        return Markup(" · ").join([Markup("<code>{}</code>").format(_json(value)) for value in values])
    return _simple_type(schema, links=links)


def _json(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def _simple_type(schema: Document, *, links: bool) -> Markup:
    kind = schema.get("type", "any value")
    if kind == "array":
        return Markup("list of {}{}").format(type_of(schema.get("items", {}), links=links), _bounds(schema, "Items"))
    if isinstance(inner := schema.get("additionalProperties"), dict):
        return Markup("object of {}").format(type_of(inner, links=links))
    if kind == "string":
        form = {"date-time": "timestamp", "email": "e-mail", "binary": "file"}.get(schema.get("format", ""), "string")
        return Markup("{}{}").format(form, _bounds(schema, "Length") if form == "string" else "")
    return Markup("{}{}").format(kind, _range(schema))


def _bounds(schema: Document, what: Literal["Items", "Length"]) -> str:
    least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
    unit = "characters" if what == "Length" else "items"
    if not most:
        return ""
    text = f"{least} to {most:,} {unit}" if least else f"up to {most:,} {unit}"
    return f", {text}" if what == "Items" else f" ({text})"


def _range(schema: Document) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f" ({least:,} to {most:,})"
    return f" (from {least:,})" if least is not None else ""
