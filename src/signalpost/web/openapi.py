"""The OpenAPI 3.1 document, made from the endpoints: nothing in it is said a second time by hand."""

import http
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from signalpost.kit import problems, wire
from signalpost.kit.problems import Problem
from signalpost.web import idempotency
from signalpost.web.caller import PUBLIC, SIGNED_IN
from signalpost.web.examples import example_of
from signalpost.web.inputs import LIMIT_DEFAULT, LIMIT_MAX, LIST_ALL, Id, Mine
from signalpost.web.routing import Endpoint, Raw

TEMPLATE = "#/components/schemas/{name}"
PROBLEM_TYPE = "application/problem+json"
Document = dict[str, Any]


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


def problems_of(endpoint: Endpoint) -> list[type[Problem]]:
    """Every problem that this operation may answer: its own and those that come from what it asks for."""
    found: list[type[Problem]] = [problems.RateLimited, problems.InternalError, problems.Unavailable]
    found.append(problems.NotAcceptable)
    if endpoint.scope != PUBLIC:
        found += [problems.Unauthenticated, problems.InsufficientScope, problems.Forbidden]
    if endpoint.path_inputs:
        found.append(problems.NotFound)
    if endpoint.body is not None or endpoint.query is not None or endpoint.has("page") or endpoint.has("request"):
        found += [problems.MalformedRequest, problems.ValidationFailed]
    if endpoint.body is not None or endpoint.has("request"):
        found += [problems.PayloadTooLarge, problems.UnsupportedMediaType]
    if endpoint.has("if_match"):
        found.append(problems.VersionConflict)
    if endpoint.method == "POST":
        found += [idempotency.IdempotencyKeyReused, idempotency.IdempotencyInProgress, problems.ValidationFailed]
    return sorted({*found, *endpoint.raises}, key=lambda kind: (kind.status, kind.code))


def document(
    endpoints: Iterable[Endpoint],
    *,
    base_url: str,
    version: str,
    description: str,
    webhooks: Mapping[str, Any] | None = None,
    schemas: Sequence[Any] = (),
) -> Document:
    """Return the whole document. `webhooks` and the `schemas` they name are added as they are."""
    operations = [endpoint for endpoint in endpoints if not endpoint.hidden]
    kinds = [kind for endpoint in operations for kind in (endpoint.body, _answer(endpoint)) if kind is not None]
    kinds += [ProblemDocument, *schemas]
    _, components = msgspec.json.schema_components(kinds, ref_template=TEMPLATE)
    _require_all(kinds, components)
    paths: Document = {}
    for endpoint in operations:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, components, base_url)
    found: Document = {
        "openapi": "3.1.0",
        "info": {
            "title": "Signalpost API",
            "version": version,
            "description": description,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "contact": {"name": "The operator of this instance", "url": base_url},
        },
        "servers": [{"url": f"{base_url}/api/v1", "description": "This instance; /v1 is another name of the same."}],
        "tags": [{"name": tag, "description": f"{tag}."} for tag in dict.fromkeys(e.tag for e in operations)],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key (`sp_live_…`, `sp_test_…`) or an access token.",
                }
            },
            "schemas": components,
        },
    }
    if webhooks:
        found["webhooks"] = dict(webhooks)
    return found


def operation_id(endpoint: Endpoint) -> str:
    """Return the camelCase name of the handler."""
    head, *rest = endpoint.name.split("_")
    return head + "".join(part.title() for part in rest)


def _answer(endpoint: Endpoint) -> Any:
    kind = endpoint.answer
    return None if kind is None or kind is type(None) or kind is Raw or endpoint.status == 204 else kind


def _require_all(kinds: Sequence[Any], components: Document) -> None:
    """Say that answers carry every key: `Shape` leaves none out."""
    waiting = list(msgspec.inspect.multi_type_info(kinds))
    seen: set[Any] = set()
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, msgspec.inspect.StructType):
            if kind.cls in seen:
                continue
            seen.add(kind.cls)
            schema = components.get(re.sub(r"[^A-Za-z0-9._-]", "_", kind.cls.__name__))
            if schema and issubclass(kind.cls, wire.Shape) and not kind.cls.__struct_config__.omit_defaults:
                schema["required"] = list(schema["properties"])
            waiting += [field.type for field in kind.fields]
        else:
            waiting += _inner(kind)


def _inner(kind: Any) -> list[Any]:
    found: list[Any] = []
    for name in ("types", "item_types"):
        found += list(getattr(kind, name, ()))
    for name in ("item_type", "key_type", "value_type", "type"):
        if (inner := getattr(kind, name, None)) is not None and isinstance(inner, msgspec.inspect.Type):
            found.append(inner)
    return found


def _operation(endpoint: Endpoint, components: Document, base_url: str) -> Document:
    summary, _, rest = endpoint.description.partition("\n")
    found: Document = {
        "operationId": operation_id(endpoint),
        "summary": summary.rstrip("."),
        "description": _description(endpoint, rest.strip()),
        "tags": [endpoint.tag],
        "parameters": _parameters(endpoint),
        "responses": {str(endpoint.status): _success(endpoint, components)},
    }
    if endpoint.scope == PUBLIC:
        found["security"] = []
    if endpoint.body is not None:
        found["requestBody"] = {
            "required": not endpoint.body_optional,
            "content": {"application/json": _content(endpoint.body, components, endpoint.example)},
        }
    elif endpoint.documented_body is not None:
        found["requestBody"] = {"required": True, "content": dict(endpoint.documented_body)}
    for status, kinds in _by_status(problems_of(endpoint)).items():
        found["responses"][str(status)] = _refusal(kinds, endpoint, base_url)
    return found


def _description(endpoint: Endpoint, rest: str) -> str:
    if endpoint.scope == PUBLIC:
        needs = "Needs no credential."
    elif endpoint.scope == SIGNED_IN:
        needs = "Needs any valid credential."
    else:
        needs = f"Needs the scope `{endpoint.scope}`."
    return f"{rest}\n\n{needs}".strip()


def _parameters(endpoint: Endpoint) -> list[Document]:
    found: list[Document] = []
    for wish in endpoint.path_inputs:
        how = wish.how
        text = f"Id of the resource, `{how.prefix}_…`." if isinstance(how, Mine | Id) else "Part of the path."
        schema: Document = {"type": "string", "maxLength": 200}
        if isinstance(how, Mine | Id):
            schema["examples"] = [f"{how.prefix}_01M7Z0000000000000000000AB"]
        found.append({"name": wish.param, "in": "path", "required": True, "description": text, "schema": schema})
    if endpoint.query is not None:
        schema = msgspec.json.schema(endpoint.query)
        schema = schema["$defs"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
        required = schema.get("required", ())
        for name, one in schema.get("properties", {}).items():
            one.pop("default", None)
            found.append({"name": name, "in": "query", "required": name in required, "schema": one})
    if endpoint.has("page"):
        most = f"default {endpoint.limit_default}" if endpoint.limit_default != LIST_ALL else "default: all, up to 500"
        limit = {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "examples": [LIMIT_DEFAULT]}
        text = f"Most items to answer, {most}."
        found.append({"name": "limit", "in": "query", "required": False, "description": text, "schema": limit})
        text = "`nextCursor` of the page before, with the same filters."
        cursor = {"type": "string", "maxLength": 200}
        found.append({"name": "cursor", "in": "query", "required": False, "description": text, "schema": cursor})
    if endpoint.has("if_match"):
        text = "The `ETag` that was read; another version answers 412."
        found.append({"name": "If-Match", "in": "header", "required": False, "description": text, "schema": _TEXT})
    if endpoint.method == "POST":
        text = "1 to 128 visible ASCII characters; a repeat within 24 hours gets the first answer again."
        schema = {"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!-~]+$"}
        found.append(
            {"name": "Idempotency-Key", "in": "header", "required": False, "description": text, "schema": schema}
        )
    return found


_TEXT: Document = {"type": "string", "maxLength": 200}


def _content(kind: Any, components: Document, example: Any = None) -> Document:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=TEMPLATE)
    return {"schema": schema, "example": example if example is not None else example_of(schema, components)}


def _success(endpoint: Endpoint, components: Document) -> Document:
    headers = dict(_HEADERS)
    if endpoint.etag:
        headers["ETag"] = {"description": "Version, for If-Match.", "schema": _TEXT}
    found: Document = {"description": http.HTTPStatus(endpoint.status).phrase, "headers": headers}
    kind = _answer(endpoint)
    if kind is not None:
        found["content"] = {"application/json": _content(kind, components)}
    elif endpoint.documented_answer is not None:
        found["content"] = dict(endpoint.documented_answer)
    return found


_HEADERS: Document = {
    "X-Request-Id": {"description": "Name it when you report a fault.", "schema": _TEXT},
    "RateLimit": {"description": "What is left of the rate limit, and seconds until it is full.", "schema": _TEXT},
}


def _by_status(kinds: Iterable[type[Problem]]) -> dict[int, list[type[Problem]]]:
    found: dict[int, list[type[Problem]]] = {}
    for kind in kinds:
        found.setdefault(kind.status, []).append(kind)
    return found


def _refusal(kinds: Sequence[type[Problem]], endpoint: Endpoint, base_url: str) -> Document:
    return {
        "description": " · ".join(f"`{kind.code}`: {kind.title}." for kind in kinds),
        "headers": {"X-Request-Id": _HEADERS["X-Request-Id"]},
        "content": {
            PROBLEM_TYPE: {
                "schema": {"$ref": TEMPLATE.format(name="ProblemDocument")},
                "examples": {kind.code: {"value": _problem_example(kind, endpoint, base_url)} for kind in kinds},
            }
        },
    }


def _problem_example(kind: type[Problem], endpoint: Endpoint, base_url: str) -> Document:
    found: Document = {
        "type": f"{base_url}/problems/{kind.code}",
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
