"""The API reference, built from the OpenAPI document alone: one page for each tag."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup
from msgspec import Struct, field

from signalpost.console.samples import Sample, example_bodies, highlighted, sample_request, samples
from signalpost.console.schema_words import Field, fields_of, name_of, type_of
from signalpost.web.components import Document, reachable


class Operation(Struct, frozen=True, kw_only=True):
    """An operation or an event."""

    anchor: str
    method: str
    path: str
    summary: str
    label: str
    text: str
    parameters: Sequence[Field]
    body: Markup | None = None
    fields: Sequence[Field] = ()
    responses: Sequence[tuple[str, Markup]] = ()  # status and type
    errors: Sequence[tuple[str, Sequence[str]]] = ()  # status and codes
    samples: Sequence[Sample] = ()  # the request, in several languages
    bodies: Sequence[Sample] = ()  # more bodies that it takes
    examples: Sequence[Sample]  # responses or deliveries
    json_body: str | None = None  # to start from when the reader tries it
    can_be_tried: bool = False


class NamedSchema(Struct, frozen=True):
    """An object that responses contain."""

    name: str
    text: str
    fields: Sequence[Field]


class Group(Struct, frozen=True):
    """The operations of one tag, with the objects of their responses."""

    name: str
    text: str
    operations: list[Operation] = field(default_factory=list)
    objects: list[NamedSchema] = field(default_factory=list)

    @property
    def slug(self) -> str:
        """The last segment of the page's address."""
        return re.sub(r"\W+", "-", self.name.lower())

    @property
    def is_events(self) -> bool:
        """Whether it describes deliveries to webhooks instead of requests."""
        return bool(self.operations) and self.operations[0].method == "EVENT"


class Reference:
    """Everything the pages show."""

    def __init__(self, document: Document) -> None:
        self.title = document["info"]["title"]
        self.version = document["info"]["version"]
        self.text = document["info"]["description"]
        self.server = document["servers"][0]["url"]
        self._schemas: Document = document["components"]["schemas"]
        paths = list(operations(document))
        self.common_errors = common_codes(operation for *_, operation in paths)
        self._groups = {tag["name"]: Group(tag["name"], tag["description"]) for tag in document["tags"]}
        described: dict[str, list[Document]] = {}
        for method, path, operation in paths:
            self._groups[operation["tags"][0]].operations.append(self._operation(method, path, operation))
            described.setdefault(operation["tags"][0], []).append(operation["responses"])
        for name, item in document.get("webhooks", {}).items():
            event = item["post"]
            self._groups[event["tags"][0]].operations.append(_event(name, event))
            described.setdefault(event["tags"][0], []).append(event["requestBody"])
        for tag, places in described.items():
            self._groups[tag].objects.extend(self._objects(places))
        self.groups = list(self._groups.values())

    def _operation(self, method: str, path: str, operation: Document) -> Operation:
        content = operation.get("requestBody", {}).get("content", {})
        json_content = content.get("application/json", {})
        schema = json_content.get("schema") or content.get("multipart/form-data", {}).get("schema", {})
        errors = [
            (status, [code for code in error_codes(response) if code not in self.common_errors])
            for status, response in operation["responses"].items()
        ]
        bodies = example_bodies(json_content)
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
            body=_body_in_words(content),
            fields=_common_first(fields_of(schema, self._schemas), json_content),
            responses=[
                (status, _response_type(response))
                for status, response in operation["responses"].items()
                if not error_codes(response)
            ],
            errors=[(status, codes) for status, codes in errors if codes],
            samples=list(samples(sample_request(self.server, method, path, operation))),
            bodies=[
                Sample(example["summary"], highlighted(example["value"]))
                for example in list(json_content.get("examples", {}).values())[1:]
            ],
            examples=list(_responses(operation)),
            json_body=json.dumps(bodies[0], indent=2, ensure_ascii=False) if bodies else None,
            can_be_tried=not content or "application/json" in content,
        )

    def _objects(self, places: Iterable[Document]) -> Iterator[NamedSchema]:
        """Yield what the places contain, at any depth, but for the errors, which are the same everywhere."""
        for name in reachable([_without_problems(place) for place in places], self._schemas):
            schema = self._schemas[name]
            yield NamedSchema(name, schema.get("description", ""), fields_of(schema, {}))


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


def _body_in_words(content: Document) -> Markup | None:
    """Return the type, unless it is one JSON object, whose fields say enough."""
    if content.keys() != {"application/json"}:
        return Markup("{}").format(" or ".join(content)) if content else None
    schema = content["application/json"]["schema"]
    return Markup() if "$ref" in schema else type_of(schema)


def _common_first(fields: Sequence[Field], content: Document) -> list[Field]:
    """Put what the examples use, which is what most requests need, before the rest."""
    bodies = [body for body in example_bodies(content) if isinstance(body, dict)]
    used = list(dict.fromkeys(name for body in bodies for name in body))
    return sorted(fields, key=lambda item: used.index(item.name) if item.name in used else len(used))


def _response_type(response: Document) -> Markup:
    types = [
        type_of(content["schema"]) if media_type == "application/json" else Markup("<code>{}</code>").format(media_type)
        for media_type, content in response.get("content", {}).items()
    ]
    return Markup(" or ").join(types) if types else Markup("no body")


def _responses(operation: Document) -> Iterator[Sample]:
    for status, response in operation["responses"].items():
        content = response.get("content", {}).get("application/json", {})
        if "example" in content:
            yield Sample(f"Response {status}", highlighted(content["example"]))


def _without_problems(place: Document) -> Document:
    return {
        status: response
        for status, response in place.items()
        if not isinstance(response, dict) or not error_codes(response)
    }


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
        body=Markup('<a href="#object-{0}">{0}</a>').format(name_of(content["schema"])),
        examples=[
            Sample(f"Example: {title}", highlighted(example["value"])) for title, example in content["examples"].items()
        ],
    )
