"""The API reference page, built from the OpenAPI document alone."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal

from markupsafe import Markup

from signalpost.web.components import Document

_ONE_LINE_MAX = 60  # characters of an example body that is shown on one line
_SCHEMA = "#/components/schemas/"


@dataclass(frozen=True)
class Field:
    """A parameter, or a member of a body or schema."""

    name: str
    type: Markup
    required: bool
    text: str
    location: str = ""  # of a parameter: path, query or header


@dataclass(frozen=True)
class Example:
    """A request to copy, or a response."""

    title: str
    text: Markup


@dataclass(frozen=True, kw_only=True)
class Operation:
    """An operation or an event."""

    anchor: str
    method: str
    path: str
    summary: str
    label: str
    text: str
    parameters: Sequence[Field]
    body: Markup | None
    fields: Sequence[Field]
    responses: Sequence[tuple[str, Markup]]  # status and type
    errors: Sequence[tuple[str, Sequence[str]]]  # status and codes
    examples: Sequence[Example]


@dataclass(frozen=True)
class Group:
    """The operations of one tag."""

    name: str
    text: str
    operations: list[Operation] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        """The id of its heading on the page."""
        return "group-" + re.sub(r"\W+", "-", self.name.lower())


@dataclass(frozen=True)
class NamedSchema:
    """A schema of the document's components."""

    name: str
    text: str
    fields: Sequence[Field]
    is_output: bool  # responses always have all of their fields, so "required" would say nothing


class Reference:
    """Everything the page shows."""

    def __init__(self, document: Document) -> None:
        self.title = document["info"]["title"]
        self.version = document["info"]["version"]
        self.text = document["info"]["description"]
        self.server = document["servers"][0]["url"]
        paths = list(operations(document))
        self.common_errors = common_codes(operation for *_, operation in paths)
        self.schemas = [_named_schema(name, schema) for name, schema in document["components"]["schemas"].items()]
        self._fields_by_name = {schema.name: schema.fields for schema in self.schemas}
        groups = {tag["name"]: Group(tag["name"], tag["description"]) for tag in document["tags"]}
        for method, path, operation in paths:
            groups[operation["tags"][0]].operations.append(self._operation(method, path, operation))
        for name, item in document.get("webhooks", {}).items():
            groups[item["post"]["tags"][0]].operations.append(_event(name, item["post"]))
        self.groups = list(groups.values())

    def _operation(self, method: str, path: str, operation: Document) -> Operation:
        content = operation.get("requestBody", {}).get("content", {})
        body = content.get("application/json", {}).get("schema")
        form = content.get("multipart/form-data", {}).get("schema", {})
        errors = [
            (status, [code for code in error_codes(response) if code not in self.common_errors])
            for status, response in operation["responses"].items()
        ]
        return Operation(
            anchor=operation["operationId"],
            method=method,
            path=path,
            summary=operation["summary"],
            label=label_of(operation["operationId"]),
            text=operation["description"],
            parameters=[
                _parameter(parameter)
                for parameter in operation["parameters"]
                if parameter["name"] != "Idempotency-Key"  # the introduction explains it
            ],
            body=type_of(body) if body else (Markup("{}").format(" or ".join(content)) if content else None),
            fields=self._fields_by_name.get(body["$ref"].removeprefix(_SCHEMA), ())
            if body and "$ref" in body
            else _fields(form),
            responses=[
                (status, _response_type(response))
                for status, response in operation["responses"].items()
                if not error_codes(response)
            ],
            errors=[(status, codes) for status, codes in errors if codes],
            examples=list(self._examples(method, path, operation)),
        )

    def _examples(self, method: str, path: str, operation: Document) -> Iterator[Example]:
        yield Example("Request", code(curl(self.server, method, path, operation)))
        for status, response in operation["responses"].items():
            content = response.get("content", {}).get("application/json", {})
            if "example" in content:
                yield Example(f"Response {status}", highlighted(content["example"]))


def label_of(operation_id: str) -> str:
    """Return an operation id as words: `createApiKey` becomes "Create API key"."""
    words = re.sub(r"(?=[A-Z])", " ", operation_id).split()
    spelled = {"api": "API", "url": "URL", "oauth": "OAuth"}
    text = " ".join(spelled.get(word.lower(), word.lower()) for word in words)
    return text[:1].upper() + text[1:]


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Yield (method, path, operation) of every operation, in the order of the document."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def common_codes(operations: Iterable[Document]) -> dict[str, str]:
    """Return the error codes, with their status, of more than a third of the operations; pages list them only once."""
    statuses_by_operation = [
        {code: status for status, response in operation["responses"].items() for code in error_codes(response)}
        for operation in operations
    ]
    counts = Counter(code for statuses in statuses_by_operation for code in statuses)
    status_of = {code: status for statuses in statuses_by_operation for code, status in statuses.items()}
    common = [code for code, count in counts.items() if count * 3 > len(statuses_by_operation)]
    return {code: status_of[code] for code in sorted(common, key=status_of.__getitem__)}


def error_codes(response: Document) -> list[str]:
    """Return the codes of the problems that a response documents; none of a success."""
    return list(response.get("content", {}).get("application/problem+json", {}).get("examples", ()))


def _parameter(parameter: Document) -> Field:
    return Field(
        parameter["name"],
        type_of(parameter["schema"]),
        parameter["required"],
        parameter["description"],
        parameter["in"],
    )


def _response_type(response: Document) -> Markup:
    types = [
        type_of(content["schema"]) if media_type == "application/json" else Markup("<code>{}</code>").format(media_type)
        for media_type, content in response.get("content", {}).items()
    ]
    return Markup(" or ").join(types) if types else Markup("no body")


def _event(name: str, operation: Document) -> Operation:
    content = operation["requestBody"]["content"]["application/json"]
    return Operation(
        anchor=operation["operationId"],
        method="EVENT",
        path=name,
        summary=operation["summary"],
        label=name,
        text="",
        parameters=[_parameter(parameter) for parameter in operation["parameters"]],
        body=type_of(content["schema"]),
        fields=[],
        responses=[],
        errors=[],
        examples=[
            Example(f"Example: {title}", highlighted(example["value"]))
            for title, example in content["examples"].items()
        ],
    )


def _named_schema(name: str, schema: Document) -> NamedSchema:
    is_output = schema.get("additionalProperties") is not False
    return NamedSchema(name, schema.get("description", ""), _fields(schema), is_output=is_output)


def _fields(schema: Document) -> list[Field]:
    required = schema.get("required", ())
    return [
        Field(name, type_of(member), name in required, _text_of(member))
        for name, member in schema.get("properties", {}).items()
    ]


def _text_of(schema: Document) -> str:
    description = schema.get("description", "")
    default = schema.get("default")
    if default is None or default in ([], {}):
        return str(description)
    return f"{description} Default `{json.dumps(default)}`.".strip()


def type_of(schema: Document) -> Markup:
    """Return the type in words; a named schema becomes a link."""
    if "$ref" in schema:
        return Markup('<a href="#schema-{0}">{0}</a>').format(schema["$ref"].removeprefix(_SCHEMA))
    if "anyOf" in schema:
        return Markup(" or ").join([type_of(option) for option in schema["anyOf"]])
    if "const" in schema or "enum" in schema:
        values = [schema["const"]] if "const" in schema else schema["enum"]
        return Markup(" · ").join([Markup("<code>{}</code>").format(value) for value in values])
    return _simple_type(schema)


def _simple_type(schema: Document) -> Markup:
    kind = schema.get("type", "any value")
    if kind == "array":
        return Markup("list of {}{}").format(type_of(schema.get("items", {})), _bounds(schema, "Items"))
    if isinstance(inner := schema.get("additionalProperties"), dict):
        return Markup("object of {}").format(type_of(inner))
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


def curl(server: str, method: str, path: str, operation: Document) -> str:
    """Return a curl command for the example request."""
    parameters = operation["parameters"]
    schemas = {parameter["name"]: parameter["schema"] for parameter in parameters if parameter["in"] == "path"}
    filled = re.sub(r"\{(\w+)\}", lambda name: str(schemas[name[1]]["examples"][0]), path)
    required = [item["name"] for item in parameters if item["in"] == "query" and item["required"]]
    query = "&".join(f"{name}={name.upper()}" for name in required)
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
        one_line = json.dumps(body, ensure_ascii=False)
        text = one_line if len(one_line) <= _ONE_LINE_MAX else json.dumps(body, ensure_ascii=False, indent=2)
        parts.append("-d '" + text.replace("'", "'\\''") + "'")
    elif "multipart/form-data" in content:
        parts.append("-F file=@cat.jpg")
    return " \\\n  ".join(parts)


def code(text: str) -> Markup:
    """Return text for a code block."""
    return Markup("{}").format(text)


def highlighted(value: Any) -> Markup:
    """Return indented JSON with its keys in bold."""
    text = escape(json.dumps(value, indent=2, ensure_ascii=False), quote=False)
    return Markup(re.sub(r'^( *)("[^"]*"):', r"\1<b>\2</b>:", text, flags=re.MULTILINE))  # noqa: S704 - escaped above


def prose(text: str) -> Markup:
    """Render a description: paragraphs, `code` and **bold**, the only Markdown that descriptions use."""
    paragraphs = [paragraph.strip() for paragraph in re.split(r"\n\s*\n", text) if paragraph.strip()]
    return Markup("").join([Markup("<p>{}</p>").format(inline(paragraph)) for paragraph in paragraphs])


def inline(text: str) -> Markup:
    """Render one line of a description."""
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))
    return Markup(re.sub(r"[*]{2}([^*]+)[*]{2}", r"<strong>\1</strong>", coded))  # noqa: S704 - escaped above
