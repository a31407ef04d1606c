"""What wrong requests say: what is wrong, where, and what to do. Hundreds of them, over all operations.

People read these messages while they integrate, so none may end in a riddle: every answer names the value or field at
fault and a next step, in plain English.
"""

import ast
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.counterparts.tools import CHECKOUT
from tests.helpers.api import Api
from tests.helpers.contract import BY_QUEUE_SECRET, DOCUMENT, ENDPOINTS, Sample, name_of, prefix_of
from tests.helpers.messages import Expected, Wrong, faults_of

from signalpost.kit.problems import Problem
from signalpost.web.caller import PUBLIC, SIGNED_IN
from signalpost.web.routing import Endpoint

SCHEMAS = DOCUMENT["components"]["schemas"]
UNKNOWN = "01M7Z0000000000000000000AB"


# --- for every operation ---------------------------------------------------------------------------------------------

Generate = Callable[[Sample, Endpoint, dict[str, str]], Iterator[Wrong]]
GUARDED = [endpoint for endpoint in ENDPOINTS if endpoint.scope != PUBLIC and endpoint.path not in BY_QUEUE_SECRET]


def without_a_credential(sample: Sample, endpoint: Endpoint, _: dict[str, str]) -> Iterator[Wrong]:
    key = sample.owner.key
    for headers, says in (
        ({}, "no credential"),
        ({"X-API-Key": key}, "x-api-key"),
        ({"Authorization": key}, "Bearer is missing"),
        ({"Authorization": "Bearer "}, "Nothing follows"),
        ({"Authorization": f"Basic {key}"}, "another scheme"),
        ({"Authorization": f"Bearer {key[:-1]}"}, "API key"),
        ({"Authorization": "Bearer eyJhbGciOi"}, "neither an API key nor an access token"),
    ):
        request = sample.prepare(endpoint)
        yield Wrong(request, Expected(401, says), {"key": None, "headers": request.headers | headers})


def without_the_scope(sample: Sample, endpoint: Endpoint, narrow_keys: dict[str, str]) -> Iterator[Wrong]:
    if endpoint.scope != SIGNED_IN:
        yield Wrong(sample.prepare(endpoint, key=narrow_keys[endpoint.scope]), Expected(403, endpoint.scope))


def with_another_id(sample: Sample, endpoint: Endpoint, _: dict[str, str]) -> Iterator[Wrong]:
    for prefix in filter(None, map(prefix_of, endpoint.path_inputs)):
        other = "pst" if prefix != "pst" else "acc"
        for spoilt, says in (
            (f"{prefix}_{UNKNOWN}", f"{prefix}_{UNKNOWN}"),
            (f"{other}_{UNKNOWN}", f"{other}_ begins the id of a"),
            ("4711", f"its id is {prefix}_"),
        ):
            request = sample.prepare(endpoint)
            yield Wrong(request, Expected(404, says), {"path": request.path.replace(sample.ids[prefix], spoilt)})


def with_an_unknown_parameter(sample: Sample, endpoint: Endpoint, _: dict[str, str]) -> Iterator[Wrong]:
    request = sample.prepare(endpoint)
    yield Wrong(request, Expected(422, "pagge", "pagge"), {"params": request.params | {"pagge": "2"}})


def with_a_wrong_parameter(sample: Sample, endpoint: Endpoint, _: dict[str, str]) -> Iterator[Wrong]:
    request = sample.prepare(endpoint)
    for parameter in DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]["parameters"]:
        name, schema = parameter["name"], parameter["schema"]
        if parameter["in"] == "query" and ("enum" in schema or schema.get("type") in ("integer", "boolean")):
            yield Wrong(request, Expected(422, name, name), {"params": request.params | {name: "no such value"}})


def with_a_wrong_body(sample: Sample, endpoint: Endpoint, _: dict[str, str]) -> Iterator[Wrong]:
    request = sample.prepare(endpoint)
    if endpoint.body is None or not isinstance(request.body, dict):
        return
    yield Wrong(request, Expected(422, "/surprise", "/surprise"), {"body": request.body | {"surprise": 1}})
    for name, schema in _properties(endpoint).items():
        if not _kinds(schema) & {"object", "anything"}:
            body = request.body | {name: {"of": "the wrong type"}}
            yield Wrong(request, Expected(422, f"/{name}", f"/{name}"), {"body": body})
    yield Wrong(request, Expected(422, "The body", ""), {"content": b"[]"})
    yield Wrong(request, Expected(400, "not valid JSON"), {"content": b'{"a": '})
    yield Wrong(request, Expected(400, "UTF-8"), {"content": b'{"a": "\xff"}'})
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    yield Wrong(request, Expected(415, "application/x-www-form-urlencoded"), {"content": b"a=b", "headers": form})
    for name in _schema(endpoint).get("required", ()):
        body = {member: value for member, value in request.body.items() if member != name}
        yield Wrong(request, Expected(422, f"/{name}", f"/{name}"), {"body": body})


def with_a_wrong_header(sample: Sample, endpoint: Endpoint, _: dict[str, str]) -> Iterator[Wrong]:
    request = sample.prepare(endpoint)
    if endpoint.method == "POST" and not endpoint.has("request"):
        headers = request.headers | {"Idempotency-Key": "x" * 129}
        yield Wrong(request, Expected(422, "Idempotency-Key", "Idempotency-Key"), {"headers": headers})
    if endpoint.has("if_match") and endpoint.method == "PATCH":
        yield Wrong(request, Expected(412, "version"), {"headers": request.headers | {"If-Match": '"999"'}})


def _schema(endpoint: Endpoint) -> dict[str, Any]:
    operation = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
    reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    schema: dict[str, Any] = SCHEMAS[reference.rsplit("/", 1)[1]]
    return schema


def _properties(endpoint: Endpoint) -> dict[str, Any]:
    properties: dict[str, Any] = _schema(endpoint)["properties"]
    return properties


def _kinds(schema: dict[str, Any]) -> set[str]:
    if "$ref" in schema:
        return _kinds(SCHEMAS[schema["$ref"].rsplit("/", 1)[1]])
    if "anyOf" in schema:
        return set().union(*(_kinds(option) for option in schema["anyOf"]))
    return {"text"} if "enum" in schema or "const" in schema else {schema.get("type", "anything")}


GENERATED: dict[str, tuple[list[Endpoint], Generate]] = {
    "without a credential": (GUARDED, without_a_credential),
    "without the scope": (GUARDED, without_the_scope),
    "with another id": ([each for each in GUARDED if each.path_inputs], with_another_id),
    "with an unknown parameter": ([each for each in GUARDED if "callback" not in each.path], with_an_unknown_parameter),
    "with a wrong parameter": ([each for each in GUARDED if each.query], with_a_wrong_parameter),
    "with a wrong body": ([each for each in ENDPOINTS if each.body], with_a_wrong_body),
    "with a wrong header": (GUARDED, with_a_wrong_header),
}


COUNTS_MIN = {
    "without a credential": 300, "without the scope": 40, "with another id": 90, "with an unknown parameter": 60,
    "with a wrong parameter": 5, "with a wrong body": 200, "with a wrong header": 20,
}  # fmt: skip
"""How many requests each makes at least: a table that shrinks unnoticed shows nothing."""


@pytest.mark.parametrize("name", GENERATED)
async def test_a_wrong_request_is_answered_with_a_next_step(
    api: Api, sample: Sample, narrow_keys: dict[str, str], name: str
) -> None:
    endpoints, generate = GENERATED[name]
    faults, count = [], 0
    for endpoint in endpoints:
        for wrong in generate(sample, endpoint, narrow_keys):
            answer = await wrong.request.send(api, **wrong.changed)
            faults += [f"{name_of(endpoint)} {wrong.changed}: {fault}" for fault in faults_of(answer, wrong.expected)]
            count += 1
    assert faults == []
    assert count >= COUNTS_MIN[name]


@pytest.mark.parametrize("path", sorted({endpoint.path for endpoint in ENDPOINTS}))
async def test_a_wrong_method_is_answered_with_the_right_ones(api: Api, sample: Sample, path: str) -> None:
    here = [endpoint for endpoint in ENDPOINTS if endpoint.path == path]
    request = sample.prepare(here[0])
    methods = sorted(endpoint.method for endpoint in here)
    wrong = next(method for method in ("PUT", "PATCH", "POST") if method not in methods)
    answer = await api.call(wrong, request.path, key=request.key)

    assert faults_of(answer, Expected(405, f"it supports {', '.join(methods)}")) == []


def test_every_problem_says_what_to_do() -> None:
    assert [code for code, kind in Problem.registry.items() if not kind.remediation] == []


def without_detail(source: str) -> Iterator[int]:
    """Yield the lines on which a problem is raised or returned with nothing but its title."""
    names = {kind.__name__ for kind in Problem.registry.values()} - {"InternalError"}  # that one reveals nothing
    for node in ast.walk(ast.parse(source)):
        value = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Return) else None
        call = value if isinstance(value, ast.Call) else None
        name = call.func if call else value if isinstance(node, ast.Raise) else None
        last = name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
        if last in names and not (call and (call.args or {word.arg for word in call.keywords} - {"headers"})):
            yield node.lineno


def test_no_problem_is_raised_without_saying_what_happened() -> None:
    modules = CHECKOUT.glob("src/**/*.py")
    assert [f"{path.name}:{line}" for path in modules for line in without_detail(path.read_text())] == []


def test_a_problem_without_a_detail_is_noticed() -> None:
    sources = ("raise NotFound", "raise problems.NotFound", "raise NotFound(headers={})", "return Forbidden()")
    assert [[*without_detail(source)] for source in sources] == [[1]] * 4
    assert [*without_detail("raise NotFound('No post pst_x.')\nraise ValidationFailed(errors=issues)\nreturn x")] == []
