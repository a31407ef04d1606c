"""The OpenAPI document in a form that every tool takes in one piece: what operations have in common stands once.

Responses, headers, parameters and examples move below `components`, and a reference takes their place. The examples of
successful responses are left out: tools make them from those of the schemas. Problems that nearly every operation can
have are its `default` response.
"""

import http
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from signalpost.web.components import Document

_PROBLEM: Final = "application/problem+json"
_VALUES: Final = frozenset({"examples", "enum", "const", "default", "required"})
"""Keywords whose values are no schemas."""
_INSTANT: Final = "2026-11-21T18:00:00.000Z"
"""The example of `kit.wire.Instant`, whose format says as much."""
_GENERAL: Final = frozenset({"400", "401", "406", "413", "414", "415", "429", "500", "503"})
"""Statuses that say little of an operation."""


def compact(document: Document) -> Document:
    """Return a document that says the same; the given one stays as it is."""
    shared: Document = {"responses": {}, "headers": {}, "parameters": {}, "examples": {}}
    schemas = {
        name: _schema(_without_title(name, schema)) for name, schema in document["components"]["schemas"].items()
    }
    components: Document = document["components"] | {"schemas": schemas} | shared
    names = _Names(components, _general_codes(document))
    counts = Counter(_key(part) for operation in _operations(document) for part in _parts(operation))
    written = {
        section: {
            path: {method: _operation(operation, names, counts) for method, operation in methods.items()}
            for path, methods in document.get(section, {}).items()
        }
        for section in ("paths", "webhooks")
    }
    return document | written | {"components": components}


def _schema(node: Any) -> Any:
    """Return a schema without examples that tools make themselves; "this type or null" is one list of types."""
    if isinstance(node, list):
        return [_schema(part) for part in node]
    if not isinstance(node, dict):
        return node
    match node.get("anyOf"):
        case [{"type": str(kind)} as option, {"type": "null"}] | [{"type": "null"}, {"type": str(kind)} as option] if (
            kind != "null" and not option.keys() & {"enum", "const"}
        ):
            rest = {key: part for key, part in node.items() if key != "anyOf"}
            return _schema(option | rest | {"type": [kind, "null"]})
    return {
        key: part if key in _VALUES else _schema(part)
        for key, part in node.items()
        if key != "examples" or not _is_evident(node)
    }


def _is_evident(schema: Document) -> bool:
    """Whether its examples say nothing that its type does not: those of a flag, and the usual instant."""
    examples = schema["examples"]
    if not isinstance(examples, list):  # a property of this name
        return False
    return all(isinstance(value, bool) for value in examples) or examples == [_INSTANT]


def _without_title(name: str, schema: Document) -> Document:
    return {key: part for key, part in schema.items() if (key, part) != ("title", name)}


class _Names:
    """What stands below `components` so far. Equal parts have one name; others of the same name get a number."""

    def __init__(self, components: Document, general: Mapping[str, str]) -> None:
        self.general = general
        self._components = components
        self._references: dict[tuple[str, str], Document] = {}

    def reference(self, section: str, name: str, part: Document) -> Document:
        """Return a reference to the part."""
        key = section, _key(part)
        if (reference := self._references.get(key)) is None:
            taken, number = self._components[section], 1
            while (free := name if number == 1 else f"{name}{number}") in taken:
                number += 1
            taken[free] = part
            reference = self._references[key] = {"$ref": f"#/components/{section}/{free}"}
        return reference


def _operation(operation: Document, names: _Names, counts: Counter[str]) -> Document:
    def shared(section: str, name: str, part: Document, written: Document) -> Document:
        return names.reference(section, name, written) if counts[_key(part)] > 1 else written

    return operation | {
        "parameters": [
            shared("parameters", _camel(f"{part['in']}-{part['name']}"), part, _parameter(part))
            for part in operation["parameters"]
        ],
        "responses": {
            status: shared("responses", _response_name(status, part), part, _response(part, names))
            for status, part in operation["responses"].items()
            if not _is_general(part, names.general)
        }
        | _default(operation, names),
    }


def _parameter(part: Document) -> Document:
    """Return a parameter without what holds anyway: that it may be left out."""
    return {key: value for key, value in part.items() if (key, value) != ("required", False)}


def _default(operation: Document, names: _Names) -> Document:
    """Return the response that stands for the problems that are left out."""
    if not any(_is_general(part, names.general) for part in operation["responses"].values()):
        return {}
    listed = " · ".join(f"{status} `{code}`" for code, status in names.general.items())
    response = {
        "description": f"Any other problem, such as {listed}.",
        "headers": {"Retry-After": {"$ref": "#/components/headers/Retry-After"}},
        "content": {_PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}},
    }
    return {"default": names.reference("responses", "Problem", response)}


def _general_codes(document: Document) -> dict[str, str]:
    """Return the codes, with their status, that more than a quarter of the operations can have."""
    operations = list(_operations(document))
    counts = Counter(
        (status, code)
        for operation in operations
        for status, part in operation["responses"].items()
        if status in _GENERAL
        for code in _codes(part)
    )
    return {code: status for (status, code), count in sorted(counts.items()) if count * 4 > len(operations)}


def _is_general(response: Document, general: Mapping[str, str]) -> bool:
    return bool(codes := _codes(response)) and all(code in general for code in codes)


def _response(response: Document, names: _Names) -> Document:
    written = {name: part for name, part in response.items() if name not in ("headers", "content")}
    if "headers" in response:
        written["headers"] = {
            name: names.reference("headers", name, part) for name, part in response["headers"].items()
        }
    if "content" in response:
        written["content"] = {kind: _content(kind, part, names) for kind, part in response["content"].items()}
    return written


def _content(kind: str, content: Document, names: _Names) -> Document:
    if kind != _PROBLEM:
        return {name: part for name, part in content.items() if name != "example"}
    examples = {code: names.reference("examples", code, part) for code, part in content["examples"].items()}
    return content | {"examples": examples}


def _response_name(status: str, response: Document) -> str:
    """Return the name of the one problem or schema that the response consists of, else that of its status."""
    content = response.get("content", {})
    if len(codes := _codes(response)) == 1:
        return _camel(codes[0])
    schema = str(content.get("application/json", {}).get("schema", {}).get("$ref", ""))
    phrase = http.HTTPStatus(int(status)).phrase if status.isdigit() else status
    return schema.rsplit("/", 1)[-1] if schema else _camel(phrase.replace(" ", "-"))


def _codes(response: Document) -> tuple[str, ...]:
    """Return the codes of the problems that a response may be."""
    return tuple(response.get("content", {}).get(_PROBLEM, {}).get("examples", ()))


def _camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in name.replace("_", "-").split("-"))


def _operations(document: Document) -> Iterator[Document]:
    for section in ("paths", "webhooks"):
        for methods in document.get(section, {}).values():
            yield from methods.values()


def _parts(operation: Document) -> Iterator[Document]:
    yield from operation["parameters"]
    yield from operation["responses"].values()


def _key(part: Any) -> str:
    return json.dumps(part, sort_keys=True)
