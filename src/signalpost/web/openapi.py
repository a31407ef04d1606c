"""The OpenAPI 3.1 document, made from the endpoints: nothing in it is said a second time by hand."""

import functools
import http
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Struct

from signalpost.kit import ids, problems
from signalpost.kit.problems import Problem
from signalpost.web import idempotency
from signalpost.web.caller import PUBLIC, SIGNED_IN
from signalpost.web.components import Components, Document, members
from signalpost.web.examples import example_of
from signalpost.web.paging import LIMIT_DEFAULT, LIMIT_MAX, LIST_ALL
from signalpost.web.routing import Endpoint, Raw

PROBLEM_TYPE = "application/problem+json"


class ProblemDocument(Struct, rename="camel", kw_only=True, omit_defaults=True):
    """What went wrong, as RFC 9457 says it: `code` is stable, `detail` and `remediation` are for a person."""

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


@dataclass(frozen=True, kw_only=True)
class WebhookDoc:
    """A request that the service sends to its subscribers: an event."""

    name: str
    summary: str
    body: Any
    examples: Mapping[str, Any]
    headers: Mapping[str, str]  # name -> what it holds


@dataclass(frozen=True, kw_only=True)
class Texts:
    """What the endpoints cannot say themselves."""

    base_url: str
    version: str
    description: str
    tags: Mapping[str, str]  # group -> what it is about
    refusals: Sequence[type[Problem]] = ()  # what a credential may be refused with, beside `unauthenticated`
    webhooks: Sequence[WebhookDoc] = ()
    parameters: Mapping[str, str] = field(default_factory=dict)  # name -> what it means, where the struct is silent
    fields: Mapping[str, str] = field(default_factory=dict)  # the same of bodies: name, or Struct.name


def problems_of(endpoint: Endpoint, refusals: Sequence[type[Problem]] = ()) -> list[type[Problem]]:
    """Every problem that this operation may answer: its own and those that come from what it asks for."""
    found: list[type[Problem]] = [
        problems.MalformedRequest, problems.NotAcceptable, problems.ValidationFailed, problems.RateLimited,
        problems.InternalError, problems.Unavailable,
    ]  # fmt: skip
    if endpoint.scope != PUBLIC:
        found += [problems.Unauthenticated, problems.NotFound, problems.Forbidden, *refusals]
        if endpoint.scope != SIGNED_IN:
            found.append(problems.InsufficientScope)
    if endpoint.path_inputs:
        found.append(problems.NotFound)
    if endpoint.writes:
        found += [problems.PayloadTooLarge, problems.UnsupportedMediaType]
    if endpoint.has("if_match"):
        found.append(problems.VersionConflict)
    if endpoint.method == "POST":
        found += [idempotency.IdempotencyKeyReused, idempotency.IdempotencyInProgress]
    return sorted({*found, *endpoint.raises}, key=lambda kind: (kind.status, kind.code))


def document(endpoints: Iterable[Endpoint], texts: Texts) -> Document:
    """Return the whole document."""
    shown = [endpoint for endpoint in endpoints if not endpoint.hidden]
    kinds = [kind for endpoint in shown for kind in (*_bodies(endpoint), _answer(endpoint)) if kind is not None]
    components = Components([*kinds, ProblemDocument, *(event.body for event in texts.webhooks)])
    _explain(components.schemas, texts.fields)
    writer = _Writer(components, texts)
    paths: Document = {}
    for endpoint in shown:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = writer.operation(endpoint)
    found: Document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Signalpost API",
            "version": texts.version,
            "description": texts.description,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "contact": {"name": "The operator of this instance", "url": texts.base_url},
        },
        "servers": [
            {"url": f"{texts.base_url}/api/v1", "description": "This instance; /v1 is another name of the same."}
        ],
        "tags": [{"name": tag, "description": texts.tags[tag]} for tag in dict.fromkeys(each.tag for each in shown)],
        "security": [{"bearer": []}],
        "paths": paths,
    }
    if texts.webhooks:
        found["tags"].append({"name": "Events", "description": texts.tags["Events"]})
        found["webhooks"] = {event.name: {"post": writer.webhook(event)} for event in texts.webhooks}
    bearer = {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key (`sp_live_…`, `sp_test_…`) or an access token.",
    }
    found["components"] = {"securitySchemes": {"bearer": bearer}, "schemas": components.schemas}
    return found


def _explain(schemas: Document, texts: Mapping[str, str]) -> None:
    """Describe members of bodies that have no description at the field or in its type."""
    for name, schema in schemas.items():
        if schema.get("additionalProperties") is not False:
            continue
        for member, member_schema in schema.get("properties", {}).items():
            if text := texts.get(f"{name}.{member}", texts.get(member)):
                member_schema.setdefault("description", text)


def operation_id(endpoint: Endpoint) -> str:
    """Return the camelCase name of the handler."""
    head, *rest = endpoint.name.split("_")
    return head + "".join(part.title() for part in rest)


def _bodies(endpoint: Endpoint) -> list[Any]:
    return [endpoint.body, *(kind for kind in (endpoint.documented_body or {}).values() if isinstance(kind, type))]


def _answer(endpoint: Endpoint) -> Any:
    """Return what the answer is as JSON; None where there is none, or only bytes of another type."""
    kept = [kind for kind in members(endpoint.answer) if kind not in (None, type(None), Raw)]
    return functools.reduce(operator.or_, kept) if kept and endpoint.status != 204 else None


class _Writer:
    def __init__(self, components: Components, texts: Texts) -> None:
        self.components = components
        self.texts = texts

    def operation(self, endpoint: Endpoint) -> Document:
        summary, rest = _first_sentence(endpoint.description)
        found: Document = {
            "operationId": operation_id(endpoint),
            "summary": summary,
            "description": f"{rest}\n\n{_needs(endpoint)}".strip(),
            "tags": [endpoint.tag],
            "parameters": parameters(endpoint, self.texts.parameters),
        }
        if endpoint.scope == PUBLIC:
            found["security"] = []
        if endpoint.scope not in (PUBLIC, SIGNED_IN):
            found["x-scope"] = endpoint.scope
        if endpoint.body is not None:
            content = {"application/json": self._content(endpoint.body, endpoint.example)}
            found["requestBody"] = {"required": not endpoint.body_optional, "content": content}
        elif endpoint.documented_body is not None:
            content = {
                media_type: self._content(given) if isinstance(given, type) else given
                for media_type, given in endpoint.documented_body.items()
            }
            found["requestBody"] = {"required": True, "content": content}
        found["responses"] = {str(endpoint.status): self._success(endpoint)}
        for status, kinds in _by_status(problems_of(endpoint, self.texts.refusals)).items():
            found["responses"][str(status)] = self._refusal(kinds, endpoint)
        return found

    def webhook(self, event: WebhookDoc) -> Document:
        schema = self.components.of(event.body)
        return {
            "operationId": "on" + "".join(part.title() for part in re.split(r"[._]", event.name)),
            "summary": event.summary,
            "description": "Sent to every webhook that listens to this event. Answer 2xx; the body is not read.",
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
                    "description": "Not delivered, and sent again in mode `retry`. Redirects are not followed."
                },
            },
        }

    def _content(self, kind: Any, example: Any = None) -> Document:
        schema = self.components.of(kind)
        shown = example if example is not None else example_of(schema, self.components.schemas)
        return {"schema": schema, "example": shown}

    def _success(self, endpoint: Endpoint) -> Document:
        headers = dict(_HEADERS)
        if endpoint.etag:
            headers["ETag"] = {"description": "Version, for If-Match.", "schema": _TEXT}
        found: Document = {"description": http.HTTPStatus(endpoint.status).phrase, "headers": headers}
        kind = _answer(endpoint)
        content = {"application/json": self._content(kind)} if kind is not None else {}
        if content := content | dict(endpoint.documented_answer or {}):
            found["content"] = content
        return found

    def _refusal(self, kinds: Sequence[type[Problem]], endpoint: Endpoint) -> Document:
        headers = {"X-Request-Id": _HEADERS["X-Request-Id"]}
        if any(kind.status in (429, 503) for kind in kinds):
            headers["Retry-After"] = {"description": "Seconds to wait.", "schema": {"type": "integer"}}
        return {
            "description": " · ".join(f"`{kind.code}`: {kind.title}." for kind in kinds),
            "headers": headers,
            "content": {
                PROBLEM_TYPE: {
                    "schema": self.components.of(ProblemDocument),
                    "examples": {kind.code: {"value": self._problem(kind, endpoint)} for kind in kinds},
                }
            },
        }

    def _problem(self, kind: type[Problem], endpoint: Endpoint) -> Document:
        found: Document = {
            "type": f"{self.texts.base_url}/problems/{kind.code}",
            "title": kind.title,
            "status": kind.status,
            "detail": f"{kind.title}.",
            "instance": f"/api/v1{endpoint.path}",
            "code": kind.code,
            "requestId": "req_5f1c0de5f1c0de5f1c0d",
            "retryable": kind.retryable,
        }
        if kind.remediation:
            found["remediation"] = kind.remediation
        if kind is problems.ValidationFailed:
            found["errors"] = [{"path": "/name", "code": "required", "message": "This field is required."}]
        return found


def _first_sentence(text: str) -> tuple[str, str]:
    line, _, paragraphs = text.partition("\n\n")
    first, _, more = line.replace("\n", " ").partition(". ")
    return first.rstrip("."), f"{more}\n\n{paragraphs}".strip()


def _needs(endpoint: Endpoint) -> str:
    if endpoint.scope == PUBLIC:
        return "Needs no credential."
    if endpoint.scope == SIGNED_IN:
        return "Needs any valid credential."
    return f"Needs the scope `{endpoint.scope}`."


_TEXT: Document = {"type": "string", "maxLength": 200}
_HEADERS: Document = {
    "X-Request-Id": {"description": "Name it when you report a fault.", "schema": _TEXT},
    "RateLimit": {"description": "What is left of the rate limit, and seconds until it is full.", "schema": _TEXT},
}


def parameters(endpoint: Endpoint, texts: Mapping[str, str]) -> list[Document]:
    """Return what stands in the path, the query and the headers; `texts` by name, where the types say nothing."""
    found: list[Document] = []
    for wish in endpoint.path_inputs:
        if wish.id is not None:
            text, schema = f"Id of the {wish.id.noun}.", {**_TEXT, **ids.schema_hook(wish.id)}
        else:
            text, schema = texts.get(wish.param, ""), dict(_TEXT)
        found.append(_parameter(wish.param, "path", text, schema, required=True))
    found += _query(endpoint.query, texts) if endpoint.query is not None else []
    if endpoint.has("page"):
        most = f"default {endpoint.limit_default}" if endpoint.limit_default != LIST_ALL else "default: all, up to 500"
        limit = {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "examples": [LIMIT_DEFAULT]}
        found.append(_parameter("limit", "query", f"Most items to answer, {most}.", limit))
        text = "`nextCursor` of the page before, with the same filters."
        found.append(_parameter("cursor", "query", text, _TEXT))
    if endpoint.has("if_match"):
        text = "The `ETag` that was read; another version answers 412."
        found.append(_parameter("If-Match", "header", text, {**_TEXT, "examples": ['"3"']}))
    if endpoint.method == "POST":
        text = "1 to 128 visible ASCII characters; a repeat within 24 hours gets the first answer again."
        schema = {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!-~]+$"}
        found.append(_parameter("Idempotency-Key", "header", text, schema))
    return found


def _parameter(name: str, place: str, text: str, schema: Document, *, required: bool = False) -> Document:
    return {"name": name, "in": place, "required": required, "description": text, "schema": schema}


def _query(kind: type[Struct], texts: Mapping[str, str]) -> list[Document]:
    schema = msgspec.json.schema(kind, schema_hook=ids.schema_hook)
    schema = schema["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    found = []
    for name, member in schema["properties"].items():
        options = [option for option in member.get("anyOf", [member]) if option.get("type") != "null"]
        merged = {**(options[0] if len(options) == 1 else {"anyOf": options}), **member}
        text = str(merged.get("description") or texts.get(name, ""))
        dropped = {"default", "description"} | ({"anyOf"} if len(options) == 1 else set())
        shown = {key: value for key, value in merged.items() if key not in dropped}
        found.append(_parameter(name, "query", text, shown, required=name in schema.get("required", ())))
    return found


def _by_status(kinds: Iterable[type[Problem]]) -> dict[int, list[type[Problem]]]:
    found: dict[int, list[type[Problem]]] = {}
    for kind in kinds:
        found.setdefault(kind.status, []).append(kind)
    return found
