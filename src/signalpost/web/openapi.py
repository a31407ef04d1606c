"""The OpenAPI 3.1 document, generated from the endpoints."""

import functools
import http
import operator
import re
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from signalpost.kit import ids, problems
from signalpost.kit.problems import Problem
from signalpost.web import idempotency
from signalpost.web.caller import PUBLIC, SIGNED_IN
from signalpost.web.components import Components, Document, members
from signalpost.web.conditional import Conditional
from signalpost.web.duplicates import DuplicateMember
from signalpost.web.examples import example_of
from signalpost.web.inputs import Mine, Segment
from signalpost.web.paging import LIMIT_DEFAULT, LIMIT_MAX, LIST_ALL
from signalpost.web.routing import Endpoint, PathInput, RawResponse

PROBLEM_TYPE = "application/problem+json"


class ProblemDocument(Struct, rename="camel", kw_only=True, omit_defaults=True):
    """An error as RFC 9457 defines it. Programs should act on `code`; `detail` and `remediation` are for people."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    request_id: str
    retryable: bool
    remediation: str | None = None
    errors: list[problems.Issue] | None = None
    limit: dict[str, Any] | None = None
    platform: dict[str, Any] | None = None


class WebhookDoc(Struct, frozen=True, kw_only=True):
    """An event as the service sends it to webhooks."""

    name: str
    summary: str
    body: Any
    examples: Mapping[str, Any]
    headers: Mapping[str, str]  # name -> description


class Texts(Struct, frozen=True, kw_only=True):
    """The parts of the document that do not come from the endpoints."""

    base_url: str
    version: str
    description: str
    tags: Mapping[str, str]  # tag -> description
    refusals: Sequence[type[Problem]] = ()  # reasons to refuse a credential, besides `unauthenticated`
    webhooks: Sequence[WebhookDoc] = ()


def problems_of(endpoint: Endpoint, refusals: Sequence[type[Problem]] = ()) -> list[type[Problem]]:
    """Return every problem this operation can respond with: its own, and those that its inputs imply."""
    kinds: list[type[Problem]] = [
        problems.MalformedRequest, problems.NotAcceptable, problems.ValidationFailed, problems.RateLimited,
        problems.UriTooLong, problems.InternalError, problems.Unavailable,
    ]  # fmt: skip
    if endpoint.scope != PUBLIC:
        kinds += [problems.Unauthenticated, problems.NotFound, problems.Forbidden, *refusals]
        if endpoint.scope != SIGNED_IN:
            kinds.append(problems.InsufficientScope)
    if endpoint.path_inputs:
        kinds.append(problems.NotFound)
    if endpoint.writes:
        kinds += [problems.PayloadTooLarge, problems.UnsupportedMediaType]
    if endpoint.body is not None:
        kinds.append(DuplicateMember)
    if endpoint.has("if_match"):
        kinds.append(problems.VersionConflict)
    if endpoint.method == "POST":
        kinds += [idempotency.IdempotencyKeyReused, idempotency.IdempotencyInProgress]
    return sorted({*kinds, *endpoint.raises}, key=lambda kind: (kind.status, kind.code))


def build_document(endpoints: Iterable[Endpoint], texts: Texts) -> Document:
    """Return the document of all endpoints that are not hidden."""
    public = [endpoint for endpoint in endpoints if not endpoint.hidden]
    kinds = [kind for endpoint in public for kind in (*_bodies(endpoint), _response_type(endpoint)) if kind is not None]
    components = Components([*kinds, ProblemDocument, *(event.body for event in texts.webhooks)])
    writer = _Writer(components, texts)
    paths: Document = {}
    for endpoint in public:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = writer.operation(endpoint)
    document: Document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Signalpost API",
            "version": texts.version,
            "description": texts.description,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "contact": {"name": "The operator of this instance", "url": texts.base_url},
        },
        "servers": [{"url": f"{texts.base_url}/api/v1", "description": "This instance. `/v1` is an alias."}],
        "tags": [
            {"name": tag, "description": texts.tags[tag]} for tag in dict.fromkeys(endpoint.tag for endpoint in public)
        ],
        "security": [{"bearer": []}],
        "paths": paths,
    }
    if texts.webhooks:
        document["tags"].append({"name": "Events", "description": texts.tags["Events"]})
        document["webhooks"] = {event.name: {"post": writer.webhook(event)} for event in texts.webhooks}
    bearer = {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key (`sp_live_…`, `sp_test_…`) or an access token.",
    }
    document["components"] = {"securitySchemes": {"bearer": bearer}, "schemas": components.schemas}
    return document


def operation_id(endpoint: Endpoint) -> str:
    """Return the camelCase name of the handler."""
    head, *rest = endpoint.name.split("_")
    return head + "".join(part.title() for part in rest)


def _bodies(endpoint: Endpoint) -> list[Any]:
    return [
        endpoint.body,
        *(kind for kind in (endpoint.documented_request_body or {}).values() if isinstance(kind, type)),
    ]


def _response_type(endpoint: Endpoint) -> Any:
    """Return the type of the JSON response; None if there is no response body or it is not JSON."""
    kind = endpoint.response_type
    if typing.get_origin(kind) is Conditional:
        (kind,) = typing.get_args(kind)
    kinds = [member for member in members(kind) if member not in (None, type(None), RawResponse)]
    return functools.reduce(operator.or_, kinds) if kinds and endpoint.status != 204 else None


class _Writer:
    def __init__(self, components: Components, texts: Texts) -> None:
        self.components = components
        self.texts = texts

    def operation(self, endpoint: Endpoint) -> Document:
        summary, rest = _first_sentence(endpoint.description)
        operation: Document = {
            "operationId": operation_id(endpoint),
            "summary": summary,
            "description": f"{rest}\n\n{_required_credential(endpoint)}".strip(),
            "tags": [endpoint.tag],
            "parameters": parameters(endpoint),
        }
        if endpoint.scope == PUBLIC:
            operation["security"] = []
        if endpoint.scope not in (PUBLIC, SIGNED_IN):
            operation["x-scope"] = endpoint.scope
        content = {} if endpoint.body is None else {"application/json": self._request(endpoint)}
        content |= {
            media_type: self._content(body) if isinstance(body, type) else body
            for media_type, body in (endpoint.documented_request_body or {}).items()
        }
        if content:
            operation["requestBody"] = {"required": not endpoint.body_optional, "content": content}
        operation["responses"] = {str(endpoint.status): self._success(endpoint)}
        if endpoint.etag and not endpoint.writes:
            operation["responses"]["304"] = {
                "description": "`If-None-Match` contains the present `ETag`. There is no body.",
                "headers": _HEADERS | {"ETag": _ETAG},
            }
        for status, kinds in _by_status(problems_of(endpoint, self.texts.refusals)).items():
            operation["responses"][str(status)] = self._error(kinds)
        return operation

    def webhook(self, event: WebhookDoc) -> Document:
        schema = self.components.of(event.body)
        return {
            "operationId": "on" + "".join(part.title() for part in re.split(r"[._]", event.name)),
            "summary": event.summary,
            "description": "Sent to every webhook subscribed to this event. Respond with any 2xx status; the response"
            " body is ignored.",
            "tags": ["Events"],
            "security": [],
            "parameters": [
                {"name": name, "in": "header", "required": True, "description": text, "schema": _TEXT}
                for name, text in event.headers.items()
            ],
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {
                        "schema": schema,
                        "examples": {name: {"value": value} for name, value in event.examples.items()},
                    }
                },
            },
            "responses": {
                "2XX": {"description": "Delivered."},
                "default": {
                    "description": "Not delivered; in mode `retry` it is sent again. Redirects are not followed."
                },
            },
        }

    def _request(self, endpoint: Endpoint) -> Document:
        if endpoint.examples is None:
            return self._content(endpoint.body, endpoint.example)
        examples = {
            re.sub(r"\W+", "-", title.lower()): {"summary": title, "value": value}
            for title, value in endpoint.examples.items()
        }
        return {"schema": self.components.of(endpoint.body), "examples": examples}

    def _content(self, kind: Any, example: Any = None) -> Document:
        schema = self.components.of(kind)
        if example is None:
            example = example_of(schema, self.components.schemas)
        return {"schema": schema, "example": example}

    def _success(self, endpoint: Endpoint) -> Document:
        headers = dict(_HEADERS)
        if endpoint.etag:
            headers["ETag"] = _ETAG
        response: Document = {"description": http.HTTPStatus(endpoint.status).phrase, "headers": headers}
        kind = _response_type(endpoint)
        content = {"application/json": self._content(kind)} if kind is not None else {}
        if content := content | dict(endpoint.documented_response or {}):
            response["content"] = content
        return response

    def _error(self, kinds: Sequence[type[Problem]]) -> Document:
        headers: Document = {}  # a problem says the id of its request itself
        if any(kind.status in (429, 503) for kind in kinds):
            headers["Retry-After"] = {
                "description": "How many seconds to wait before retrying.",
                "schema": {"type": "integer"},
            }
        return {
            "description": " · ".join(f"`{kind.code}`: {kind.title}." for kind in kinds),
            **({"headers": headers} if headers else {}),
            "content": {
                PROBLEM_TYPE: {
                    "schema": self.components.of(ProblemDocument),
                    "examples": {kind.code: {"value": self._problem(kind)} for kind in kinds},
                }
            },
        }

    def _problem(self, kind: type[Problem]) -> Document:
        problem: Document = {
            "type": f"{self.texts.base_url}/problems/{kind.code}",
            "title": kind.title,
            "status": kind.status,
            "detail": f"{kind.title}.",
            "instance": "/api/v1/posts",
            "code": kind.code,
            "requestId": "req_5f1c0de5f1c0de5f1c0d",
            "retryable": kind.retryable,
        }
        if kind.remediation:
            problem["remediation"] = kind.remediation
        if kind is problems.ValidationFailed:
            problem["errors"] = [{"path": "/name", "code": "required", "message": "This field is required."}]
        return problem


def _first_sentence(text: str) -> tuple[str, str]:
    line, _, paragraphs = text.partition("\n\n")
    first, _, more = line.replace("\n", " ").partition(". ")
    return first.rstrip("."), f"{more}\n\n{paragraphs}".strip()


def _required_credential(endpoint: Endpoint) -> str:
    if endpoint.scope == PUBLIC:
        return "No credential is required."
    if endpoint.scope == SIGNED_IN:
        return "Requires any valid credential."
    return f"Requires the scope `{endpoint.scope}`."


HEADER_CHARACTERS_MAX = 8_000
_TEXT: Document = {"type": "string", "maxLength": 200}
_HEADERS: Document = {
    "X-Request-Id": {"description": "The id of the request. Include it when you report a problem.", "schema": _TEXT},
    "RateLimit": {
        "description": "The remaining requests, and the seconds until the full limit is available again.",
        "schema": _TEXT,
    },
}
_ETAG: Document = {
    "description": "Changes with everything that the response shows; of a write, the version. For `If-Match`, which"
    " compares the version only, and for `If-None-Match`.",
    "schema": _TEXT,
}


def parameters(endpoint: Endpoint) -> list[Document]:
    """Return the path, query and header parameters."""
    result = [_path_parameter(path_input) for path_input in endpoint.path_inputs]
    result += _query(endpoint.query) if endpoint.query is not None else []
    if endpoint.has("page"):
        paged = endpoint.limit_default != LIST_ALL
        default = f"{endpoint.limit_default} by default" if paged else f"all by default, up to {LIST_ALL}"
        limit = {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "examples": [LIMIT_DEFAULT]}
        result.append(_parameter("limit", "query", f"The maximum number of items to return; {default}.", limit))
        text = "The `nextCursor` of the previous page. Keep the other parameters unchanged."
        result.append(_parameter("cursor", "query", text, _TEXT))
    if endpoint.has("if_match"):
        text = "The `ETag` that you read. If the resource has changed since, the response is 412."
        result.append(_parameter("If-Match", "header", text, {**_TEXT, "examples": ['"3"']}))
    if endpoint.etag and not endpoint.writes:
        text = "The `ETag` of the response that you have. If it is still the same, the response is 304, without a body."
        result.append(_parameter("If-None-Match", "header", text, {**_TEXT, "examples": ['"3-9f3c0de5f1c0de5f"']}))
    for name, text in (endpoint.documented_headers or {}).items():
        result.append(_parameter(name, "header", text, {"type": "string", "maxLength": HEADER_CHARACTERS_MAX}))
    if endpoint.method == "POST":
        text = "1 to 128 visible ASCII characters. A repeat within 24 hours returns the first response again."
        schema = {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!-~]+$"}
        result.append(_parameter("Idempotency-Key", "header", text, schema))
    return result


def _path_parameter(path_input: PathInput) -> Document:
    if isinstance(source := path_input.source, Segment):
        schema = {**_TEXT, "examples": [source.example]}
        return _parameter(path_input.param, "path", source.description, schema, required=True)
    id_type = source.id if isinstance(source, Mine) else source
    text = f"The id of the {id_type.noun}."
    return _parameter(path_input.param, "path", text, {**_TEXT, **ids.schema_hook(id_type)}, required=True)


def _parameter(name: str, place: str, text: str, schema: Document, *, required: bool = False) -> Document:
    return {"name": name, "in": place, "required": required, "description": text, "schema": schema}


def _query(kind: type[Struct]) -> list[Document]:
    schema = msgspec.json.schema(kind, schema_hook=ids.schema_hook)
    schema = schema["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    result = []
    for name, member in schema["properties"].items():
        options = [option for option in member.get("anyOf", [member]) if option.get("type") != "null"]
        merged = {**(options[0] if len(options) == 1 else {"anyOf": options}), **member}
        text = merged.get("description", "")
        dropped = {"default", "description"} | ({"anyOf"} if len(options) == 1 else set())
        visible = {key: value for key, value in merged.items() if key not in dropped}
        result.append(_parameter(name, "query", text, visible, required=name in schema.get("required", ())))
    return result


def _by_status(kinds: Iterable[type[Problem]]) -> dict[int, list[type[Problem]]]:
    by_status: dict[int, list[type[Problem]]] = {}
    for kind in kinds:
        by_status.setdefault(kind.status, []).append(kind)
    return by_status
