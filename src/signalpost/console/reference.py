"""The API reference as a page shows it, read from the OpenAPI document and from nothing else."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from markupsafe import Markup

from signalpost.web.components import Document

_LINE = 60  # so long may the body of an example be on one line
_SCHEMA = "#/components/schemas/"


@dataclass(frozen=True)
class Field:
    """A parameter, or a member of a body or of a shape."""

    name: str
    kind: Markup
    required: bool
    text: str
    place: str = ""


@dataclass(frozen=True)
class Example:
    """Something to copy, or to compare with."""

    title: str
    text: Markup


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation, or one event."""

    anchor: str
    method: str
    path: str
    summary: str
    label: str
    text: str
    scope: str | None  # None: needs no credential
    parameters: Sequence[Field]
    body: Markup | None
    fields: Sequence[Field]
    answers: Sequence[tuple[str, Markup]]  # status -> what comes
    problems: Sequence[tuple[str, Sequence[str]]]  # status -> codes
    examples: Sequence[Example]


@dataclass(frozen=True)
class Group:
    """Operations that belong together."""

    name: str
    text: str
    operations: list[Operation] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        """Where the page holds it."""
        return "group-" + re.sub(r"\W+", "-", self.name.lower())


@dataclass(frozen=True)
class Shape:
    """A named structure."""

    name: str
    text: str
    fields: Sequence[Field]
    answer: bool  # an answer has all of its fields, so "required" would say nothing


class Reference:
    """What the page needs."""

    def __init__(self, document: Document) -> None:
        self.title = document["info"]["title"]
        self.version = document["info"]["version"]
        self.text = document["info"]["description"]
        self.server = document["servers"][0]["url"]
        found = [(*each, kind) for kind in ("paths", "webhooks") for each in _operations(document.get(kind, {}))]
        self.general = general_codes(operation for *_, operation, kind in found if kind == "paths")
        self.shapes = [_shape(name, schema) for name, schema in document["components"]["schemas"].items()]
        self._named = {shape.name: shape.fields for shape in self.shapes}
        groups = {tag["name"]: Group(tag["name"], tag["description"]) for tag in document["tags"]}
        for method, path, operation, kind in found:
            made = self._operation(method, path, operation) if kind == "paths" else _event(path, operation)
            groups[operation["tags"][0]].operations.append(made)
        self.groups = list(groups.values())

    def _operation(self, method: str, path: str, operation: Document) -> Operation:
        scope = operation.get("x-scope") or (None if operation.get("security") == [] else "any credential")
        content = operation.get("requestBody", {}).get("content", {})
        body = content.get("application/json", {}).get("schema")
        form = content.get("multipart/form-data", {}).get("schema", {})
        problems = [
            (status, [code for code in _codes(answer) if code not in self.general])
            for status, answer in operation["responses"].items()
        ]
        return Operation(
            anchor=operation["operationId"],
            method=method,
            path=path,
            summary=operation["summary"],
            label=label_of(operation["operationId"]),
            text=re.sub(
                r"(\n\n)?Needs (the scope `.*`|any valid credential|no credential)\.$", "", operation["description"]
            ),
            scope=scope,
            parameters=[
                Field(each["name"], kind_of(each["schema"]), each["required"], each["description"], each["in"])
                for each in operation["parameters"]
                if each["name"] != "Idempotency-Key"  # said once, in the introduction
            ],
            body=kind_of(body) if body else (Markup("{}").format(" or ".join(content)) if content else None),
            fields=self._named.get(body["$ref"].removeprefix(_SCHEMA), ())
            if body and "$ref" in body
            else _fields(form),
            answers=[
                (status, _answered(answer)) for status, answer in operation["responses"].items() if not _codes(answer)
            ],
            problems=[(status, codes) for status, codes in problems if codes],
            examples=list(self._examples(method, path, operation)),
        )

    def _examples(self, method: str, path: str, operation: Document) -> Iterator[Example]:
        yield Example("Request", code(curl(self.server, method, path, operation)))
        for status, answer in operation["responses"].items():
            shown = answer.get("content", {}).get("application/json")
            if shown and "example" in shown:
                yield Example(f"Answer {status}", highlighted(shown["example"]))


def label_of(operation_id: str) -> str:
    """Return the name of an operation as words: `createApiKey` is "Create API key"."""
    words = re.sub(r"(?=[A-Z])", " ", operation_id).split()
    spelled = {"api": "API", "url": "URL", "oauth": "OAuth"}
    text = " ".join(spelled.get(word.lower(), word.lower()) for word in words)
    return text[:1].upper() + text[1:]


def _operations(paths: Document) -> Iterator[tuple[str, str, Document]]:
    for path, methods in paths.items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def general_codes(operations: Iterable[Document]) -> dict[str, str]:
    """Return the codes, with their status, that more than a third of the operations may answer; they are said once."""
    each = [
        {code: status for status, answer in operation["responses"].items() for code in _codes(answer)}
        for operation in operations
    ]
    counts = Counter(code for one in each for code in one)
    statuses = {code: status for one in each for code, status in one.items()}
    return {code: statuses[code] for code in sorted(counts, key=statuses.__getitem__) if counts[code] * 3 > len(each)}


def _codes(answer: Document) -> list[str]:
    return list(answer.get("content", {}).get("application/problem+json", {}).get("examples", ()))


def _answered(answer: Document) -> Markup:
    shown = [
        kind_of(content["schema"]) if media_type == "application/json" else Markup("<code>{}</code>").format(media_type)
        for media_type, content in answer.get("content", {}).items()
    ]
    return Markup(", or ").join(shown) if shown else Markup("nothing")


def _event(name: str, operation: Document) -> Operation:
    content = operation["requestBody"]["content"]["application/json"]
    return Operation(
        anchor=operation["operationId"],
        method="EVENT",
        path=name,
        summary=operation["summary"],
        label=name,
        text="",
        scope=None,
        parameters=[
            Field(each["name"], kind_of({"type": "string"}), each["required"], each["description"], "header")
            for each in operation["parameters"]
        ],
        body=kind_of(content["schema"]),
        fields=[],
        answers=[],
        problems=[],
        examples=[Example(f"Of a {name}", highlighted(one["value"])) for name, one in content["examples"].items()],
    )


def _shape(name: str, schema: Document) -> Shape:
    return Shape(
        name, schema.get("description", ""), _fields(schema), answer=schema.get("additionalProperties") is not False
    )


def _fields(schema: Document) -> list[Field]:
    required = schema.get("required", ())
    return [
        Field(name, kind_of(one), name in required, _text_of(one)) for name, one in schema.get("properties", {}).items()
    ]


def _text_of(schema: Document) -> str:
    own = schema.get("description") or next(
        (option["description"] for option in schema.get("anyOf", ()) if option.get("description")), ""
    )
    default = schema.get("default")
    if default is None or default in ([], {}):
        return str(own)
    return f"{own} Default `{json.dumps(default)}`.".strip()


def kind_of(schema: Document) -> Markup:
    """Say in words what fits a schema; named structures are links."""
    if "$ref" in schema:
        return Markup('<a href="#shape-{0}">{0}</a>').format(schema["$ref"].removeprefix(_SCHEMA))
    if "anyOf" in schema:
        return Markup(" or ").join([kind_of(option) for option in schema["anyOf"]])
    if "const" in schema or "enum" in schema:
        values = [schema["const"]] if "const" in schema else schema["enum"]
        return Markup(" · ").join([Markup("<code>{}</code>").format(value) for value in values])
    return _plain_kind(schema)


def _plain_kind(schema: Document) -> Markup:
    kind = schema.get("type", "anything")
    if kind == "array":
        return Markup("list of {}{}").format(kind_of(schema.get("items", {})), _bounds(schema, "Items"))
    if isinstance(inner := schema.get("additionalProperties"), dict):
        return Markup("object of {}").format(kind_of(inner))
    if kind == "string":
        form = {"date-time": "instant", "email": "e-mail", "binary": "file"}.get(schema.get("format", ""), "text")
        return Markup("{}{}").format(form, _bounds(schema, "Length") if form == "text" else "")
    name = {"boolean": "true or false"}.get(kind, kind)
    return Markup("{}{}").format(name, _range(schema))


def _bounds(schema: Document, what: str) -> str:
    least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
    unit = " characters" if what == "Length" else " items"
    said = f"{least} to {most:,}{unit}" if least and most else f"up to {most:,}{unit}" if most else ""
    return said and (f", {said}" if what == "Items" else f" ({said})")


def _range(schema: Document) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f" ({least:,} to {most:,})"
    return f" (from {least:,})" if least is not None else ""


def curl(server: str, method: str, path: str, operation: Document) -> str:
    """Return the line that makes the example request."""
    values = {each["name"]: each["schema"] for each in operation["parameters"] if each["in"] == "path"}
    filled = re.sub(r"\{(\w+)\}", lambda found: str((values[found[1]].get("examples") or ["bluesky"])[0]), path)
    needed = [each for each in operation["parameters"] if each["in"] == "query" and each["required"]]
    query = "&".join(f"{each['name']}={each['name'].upper()}" for each in needed)
    parts = [f"curl {server}{filled}" if not query else f"curl '{server}{filled}?{query}'"]
    if method not in ("GET", "POST"):
        parts[0] = parts[0].replace("curl ", f"curl -X {method} ", 1)
    content = operation.get("requestBody", {}).get("content", {})
    body = content.get("application/json", {}).get("example")
    if method == "POST" and not content:
        parts[0] = parts[0].replace("curl ", "curl -X POST ", 1)
    if operation.get("security") != []:
        parts.append("-H 'Authorization: Bearer KEY'")
    if body is not None:
        parts.append("-H 'Content-Type: application/json'")
        short = json.dumps(body, ensure_ascii=False)
        text = short if len(short) <= _LINE else json.dumps(body, ensure_ascii=False, indent=2)
        parts.append("-d '" + text.replace("'", "'\\''") + "'")
    elif "multipart/form-data" in content:
        parts.append("-F file=@cat.jpg")
    return " \\\n  ".join(parts)


def code(text: str) -> Markup:
    """Return text for a block of code."""
    return Markup("{}").format(text)


def highlighted(value: Any) -> Markup:
    """Return JSON with its keys marked."""
    text = escape(json.dumps(value, indent=2, ensure_ascii=False), quote=False)
    return Markup(re.sub(r'^( *)("[^"]*"):', r"\1<b>\2</b>:", text, flags=re.MULTILINE))  # noqa: S704 - escaped above


def prose(text: str) -> Markup:
    """Return paragraphs, `code` and **bold** of a description; nothing else of Markdown is used in ours."""
    paragraphs = [each.strip() for each in re.split(r"\n\s*\n", text) if each.strip()]
    return Markup("").join([Markup("<p>{}</p>").format(inline(each)) for each in paragraphs])


def inline(text: str) -> Markup:
    """Return one line of a description."""
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return Markup(re.sub(r"[*]{2}([^*]+)[*]{2}", r"<strong>\1</strong>", coded))  # noqa: S704 - escaped above
