"""The OpenAPI document is valid and complete, and its examples are correct."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import msgspec
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.helpers.api import Api
from tests.helpers.contract import DOCUMENT, ENDPOINTS, name_of

from signalpost.console.openapi import headers
from signalpost.console.samples import example_bodies
from signalpost.events import PUBLIC_EVENTS
from signalpost.web import validation
from signalpost.web.caller import PUBLIC, SIGNED_IN
from signalpost.web.compact import compact
from signalpost.web.examples import PLACEHOLDER
from signalpost.web.routing import Endpoint
from signalpost.webhooks import signing

READING = [endpoint for endpoint in ENDPOINTS if endpoint.decoder is not None]


def operation_of(endpoint: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
    return operation


def validate(value: Any, schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schema | {"components": DOCUMENT["components"]}).validate(value)


def contents(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in (operation.get("requestBody", {}), *operation["responses"].values()):
        yield from part.get("content", {}).values()


def test_the_document_is_valid() -> None:
    """Other tools check it too: `make check-openapi`."""
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_paths_have_no_prefix() -> None:
    """`servers` contains it."""
    assert all(not path.startswith(("/api/", "/v1/")) for path in DOCUMENT["paths"])


@pytest.mark.parametrize("path", ["/openapi.json", "/api/v1/openapi.json", "/v1/openapi.json"])
async def test_programs_can_read_the_document(api: Api, path: str) -> None:
    answer = await api.get(path, bare=True)

    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["paths"].keys() == DOCUMENT["paths"].keys()


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
def test_every_operation_is_described(endpoint: Endpoint) -> None:
    operation = operation_of(endpoint)

    assert re.fullmatch(r"[a-z][A-Za-z0-9]+", operation["operationId"])
    assert 5 <= len(operation["summary"]) <= 130
    assert re.fullmatch(r"[A-Z].*[^.]", operation["summary"])
    assert operation["description"]
    assert operation["tags"] == [endpoint.tag]
    assert all(parameter["description"] for parameter in operation["parameters"]), operation["parameters"]
    if endpoint.scope == PUBLIC:
        assert operation["security"] == []
    elif endpoint.scope != SIGNED_IN:
        assert operation["x-scope"] == endpoint.scope
    assert {"400", "422", "429", "500", "503"} <= operation["responses"].keys()
    assert ("401" in operation["responses"]) or endpoint.scope == PUBLIC


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
def test_examples_fit_their_schemas(endpoint: Endpoint) -> None:
    operation = operation_of(endpoint)
    for content in contents(operation):
        for example in [content["example"]] if "example" in content else content.get("examples", {}).values():
            validate(example["value"] if "examples" in content else example, content["schema"])
    success = operation["responses"][str(endpoint.status)].get("content", {})
    assert all("example" in content for kind, content in success.items() if kind == "application/json")


@pytest.mark.parametrize("endpoint", READING, ids=name_of)
def test_the_endpoint_accepts_the_example_of_its_body(endpoint: Endpoint) -> None:
    content = operation_of(endpoint)["requestBody"]["content"]["application/json"]

    assert endpoint.decoder is not None
    for example in example_bodies(content):
        assert validation.decode_body(endpoint.decoder, json.dumps(example).encode()) is not None
        assert example or endpoint.body_optional, "an empty example explains nothing"


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
def test_no_example_is_a_placeholder(endpoint: Endpoint) -> None:
    """A string needs an example at its field, unless an id or an enum generates one."""
    examples = [content["example"] for content in contents(operation_of(endpoint)) if "example" in content]

    assert f'"{PLACEHOLDER}"' not in json.dumps(examples)


def test_every_event_is_documented_with_examples_that_fit() -> None:
    assert DOCUMENT["webhooks"].keys() == PUBLIC_EVENTS.keys()
    for name, item in DOCUMENT["webhooks"].items():
        content = item["post"]["requestBody"]["content"]["application/json"]
        assert content["examples"]
        for example in content["examples"].values():
            validate(example["value"], content["schema"])
            assert list(example["value"]) == ["id", "type", "createdAt", "data"]
            assert example["value"]["type"] == name
            if name.startswith("post."):
                assert list(example["value"]["data"])[:4] == ["postId", "published", "failed", "total"]


def test_the_headers_of_a_delivery_are_documented() -> None:
    sent = signing.headers(
        brand="Acme",
        event_type="post.queued",
        delivery_id="evt_1",
        attempt_number=1,
        timestamp=1,
        secrets=["whsec_QQ=="],
        body=b"",
    )

    assert {*headers("Acme"), "Content-Type"} == set(sent)


def test_every_member_of_a_body_is_described() -> None:
    undescribed = [
        f"{name}.{member}"
        for name, schema in DOCUMENT["components"]["schemas"].items()
        if schema.get("additionalProperties") is False
        for member, member_schema in schema["properties"].items()
        if not member_schema.get("description")
    ]

    assert undescribed == []


def test_responses_require_every_member() -> None:
    """A response always has every member of its schema; a body lists the required ones."""
    for name, schema in DOCUMENT["components"]["schemas"].items():
        if schema.get("type") == "object" and "properties" in schema and name not in ("ProblemDocument", "Issue"):
            optional = set(schema["properties"]) - set(schema.get("required", ()))
            assert schema.get("additionalProperties") is False or not optional or name in _EVENT_DATA, (name, optional)


_EVENT_DATA = {"TargetData", "PostData", "AccountData"}
"""Their members without a value are left out (contract C13)."""


COMPACT = compact(DOCUMENT)


def _resolved(part: dict[str, Any]) -> dict[str, Any]:
    found: Any = COMPACT
    for key in part.get("$ref", "#/").removeprefix("#/").split("/"):
        found = found[key] if key else part
    return dict(found)


def test_the_compact_document_is_valid_and_small() -> None:
    OpenAPIV31SpecValidator(COMPACT).validate()
    assert len(msgspec.json.encode(COMPACT)) <= 3_000 * len(ENDPOINTS)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
def test_the_compact_document_says_the_same_of_each_operation(endpoint: Endpoint) -> None:
    """Parameters, headers, schemas, and each code; what every operation can have stands in `default`."""
    plain, operation = operation_of(endpoint), COMPACT["paths"][endpoint.path][endpoint.method.lower()]
    responses = {status: _resolved(response) for status, response in operation["responses"].items()}

    assert [{"required": False} | _resolved(parameter) for parameter in operation["parameters"]] == plain["parameters"]
    for status, expected in plain["responses"].items():
        response = responses.get(status, responses["default"])
        wanted, content = expected.get("content", {}), response.get("content", {})
        assert content.keys() == wanted.keys()
        codes = wanted.get("application/problem+json", {}).get("examples", {})
        for code, example in codes.items():
            if status in responses:
                assert _resolved(content["application/problem+json"]["examples"][code]) == example
            else:
                assert f"{status} `{code}`" in response["description"]
        for kind, body in content.items():
            assert body["schema"] == wanted[kind]["schema"]
        headers = {name: _resolved(header) for name, header in response.get("headers", {}).items()}
        assert headers.items() >= expected.get("headers", {}).items()


def test_a_compact_schema_accepts_what_the_plain_one_does() -> None:
    """Also null, and nothing else: the examples of every member that may be null, and a value of a wrong type."""
    compared = 0
    for name, schema in DOCUMENT["components"]["schemas"].items():
        for member, plain in schema.get("properties", {}).items():
            short = COMPACT["components"]["schemas"][name]["properties"][member]
            if plain == short:
                continue
            compared += 1
            for value in (None, 7, "text", [], {}, True, *plain.get("examples", ())):
                assert _accepts(plain, value) == _accepts(short, value), (name, member, value)
    assert compared > 100


def _accepts(schema: dict[str, Any], value: Any) -> bool:
    return jsonschema.Draft202012Validator(schema | {"components": DOCUMENT["components"]}).is_valid(value)
