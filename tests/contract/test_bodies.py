"""Bodies: whatever is wrong with them is a 4xx that names the place, and nothing is saved."""

import json
from typing import Any

import pytest
from tests.helpers.api import Api
from tests.helpers.contract import DOCUMENT, ENDPOINTS, Sample, name_of

from signalpost.kit.db import Database
from signalpost.web import duplicates
from signalpost.web.caller import PUBLIC
from signalpost.web.routing import PUBLIC_BODY_BYTES_MAX, Endpoint

READING = [endpoint for endpoint in ENDPOINTS if endpoint.body is not None]
SILENT = [
    endpoint
    for endpoint in ENDPOINTS
    if endpoint.writes
    and endpoint.body is None
    and endpoint.documented_request_body is None
    and not endpoint.has("request")
]
SCHEMAS = DOCUMENT["components"]["schemas"]
_EVERYTHING = "select string_agg(format('select %L as name, count(*) from %I', relname, relname), ' union all ')"
_TABLES = (
    f"{_EVERYTHING} from pg_class where relkind = 'r' and not relispartition and relnamespace = 'public'::regnamespace"
)


async def _rows(database: Database) -> dict[str, int]:
    """Return how many rows each table has. What counts requests grows by requests that are refused too."""
    async with database.connection() as db:
        counts = {row[0]: row[1] for row in await db.fetch(await db.fetchval(_TABLES))}
    del counts["request_bucket"]
    return counts


def _schema(endpoint: Endpoint) -> dict[str, Any]:
    operation = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
    reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    found: dict[str, Any] = SCHEMAS[reference.rsplit("/", 1)[1]]
    return found


def _kinds(schema: dict[str, Any]) -> set[str]:
    """JSON types that fit the schema."""
    if "$ref" in schema:
        return _kinds(SCHEMAS[schema["$ref"].rsplit("/", 1)[1]])
    if "anyOf" in schema:
        return set().union(*(_kinds(option) for option in schema["anyOf"]))
    if "enum" in schema or "const" in schema:
        return {"enum"}
    return {schema.get("type", "anything")}


def _hostile(schema: dict[str, Any]) -> list[str]:
    """JSON texts that no field of this schema may take."""
    kinds = _kinds(schema)
    values = [
        '"\\u0000"',
        '"a\\u0000b"',
        json.dumps("x" * 1_000_000),
        "[[[[[[]]]]]]",
        "1e999",
        "-1" + "0" * 400,
        '"\\ud800"',
    ]
    if "string" not in kinds:
        values += ['"text"', '""']
    else:
        values += ['"' + "🦤" * 70_000 + '"']
    if not kinds & {"integer", "number"}:
        values += ["7", "1.5"]
    else:
        values += ["99999999999999999999", "-99999999999999999999"]
    if "object" not in kinds:
        values += ['{"a": 1}', "{}"]
    if "array" not in kinds:
        values += ["[]", '["x"]']
    if "boolean" not in kinds:
        values += ["true"]
    if "null" not in kinds:
        values += ["null"]
    return [] if "anything" in kinds else values


@pytest.mark.parametrize("endpoint", READING, ids=name_of)
async def test_a_field_with_a_wrong_value_is_refused_by_name(
    api: Api, sample: Sample, database: Database, endpoint: Endpoint
) -> None:
    request = sample.prepare(endpoint)
    before = await _rows(database)
    for name, schema in _schema(endpoint)["properties"].items():
        for value in _hostile(schema):
            body = json.dumps((request.body or {}) | {name: "@"}).replace('"@"', value)
            answer = await request.send(api, content=body.encode())

            shown = f"{name}={value[:40]}: {answer.status_code} {answer.text[:300]}"
            assert 400 <= answer.status_code < 500, shown
            if answer.status_code == 422 and (errors := answer.json().get("errors")):
                assert any(issue["path"].startswith(f"/{name}") for issue in errors), shown
            else:
                too_large = endpoint.scope == PUBLIC and len(body) > PUBLIC_BODY_BYTES_MAX
                assert answer.status_code == (413 if too_large else 400), shown  # 400: not JSON, or without a value
    assert await _rows(database) == before


@pytest.mark.parametrize("endpoint", READING, ids=name_of)
async def test_an_unknown_field_is_refused_by_name(
    api: Api, sample: Sample, database: Database, endpoint: Endpoint
) -> None:
    request = sample.prepare(endpoint)
    before = await _rows(database)
    answer = await request.send(api, body={**request.body, "surpriseField": 1, "a/b~c": 2})

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    found = {issue["path"]: issue["code"] for issue in answer.json()["errors"]}
    assert {"/surpriseField", "/a~1b~0c"} <= {path for path, code in found.items() if code == "unknown_field"}
    assert await _rows(database) == before


@pytest.mark.parametrize("endpoint", READING, ids=name_of)
async def test_what_is_no_object_is_refused(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    for content in (b"[]", b'"text"', b"7", b"null", b"true", b"[" * 100_000, b"{" * 10_000):
        answer = await sample.prepare(endpoint).send(api, content=content)
        too_large = endpoint.scope == PUBLIC and len(content) > PUBLIC_BODY_BYTES_MAX
        assert answer.status_code in ((413,) if too_large else (400, 422)), content[:20]


@pytest.mark.parametrize("endpoint", READING, ids=name_of)
async def test_what_is_no_json_is_a_malformed_request(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    for content in (b"{", b'{"name": }', b"\xff\xfe", b'{"name": "\xff"}', b"name=x", b'{"a": 1} x', b"\0", b"NaN"):
        answer = await sample.prepare(endpoint).send(api, content=content)
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request"), (content, answer.text)


@pytest.mark.parametrize("endpoint", READING, ids=name_of)
async def test_all_issues_are_reported_at_once(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    names = list(_schema(endpoint)["properties"])
    answer = await sample.prepare(endpoint).send(api, body={name: {"no": ["such"]} for name in names} | {"surprise": 1})
    paths = {issue["path"].split("/")[1] for issue in answer.json()["errors"]}

    typed = {
        name for name, schema in _schema(endpoint)["properties"].items() if not _kinds(schema) & {"object", "anything"}
    }
    assert answer.status_code == 422
    assert {"surprise", *typed} <= paths


@pytest.mark.parametrize("endpoint", READING, ids=name_of)
async def test_a_body_of_another_type_or_too_large_is_refused(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    request = sample.prepare(endpoint)
    form = await request.send(api, content=b"a=b", headers={"Content-Type": "application/x-www-form-urlencoded"})
    large = await request.send(api, content=b'"' + b"x" * 2_000_001 + b'"')

    assert (form.status_code, form.json()["code"]) == (415, "unsupported_media_type")
    assert (large.status_code, large.json()["code"]) == (413, "payload_too_large")


@pytest.mark.parametrize("endpoint", SILENT, ids=name_of)
async def test_a_body_where_none_is_read_is_refused(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    """Nothing that a client sends is silently dropped."""
    answer = await sample.prepare(endpoint).send(api, content=b'{"surprise": 1}')

    assert answer.status_code == 422


OPEN = [endpoint for endpoint in ENDPOINTS if endpoint.scope == PUBLIC and endpoint.writes]
READ_BY_THEMSELVES = {
    "/billing/webhook", "/api-keys/leaked", "/media/{id}/upload", "/wa/webhook",
    "/platforms/{platform}/webhook",
}  # fmt: skip
"""Public operations whose bodies are signed, or went through an announcement: each has a bound of its own."""


@pytest.mark.parametrize("length", [b"16385", None], ids=["announced", "chunked"])
@pytest.mark.parametrize("endpoint", [each for each in OPEN if not each.reads_body_itself], ids=name_of)
async def test_what_strangers_send_is_refused_by_its_length(
    api: Api, sample: Sample, endpoint: Endpoint, length: bytes | None
) -> None:
    """Nobody has shown a credential: sixteen kilobytes are read, and no more."""
    received = 0
    pieces = [bytes(8_000)] * 4

    async def receive() -> Any:
        nonlocal received
        received += 1
        return {"type": "http.request", "body": pieces.pop(), "more_body": True}

    status = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            status.append(message["status"])

    headers = [(b"content-type", b"application/json"), (b"x-forwarded-for", b"192.0.2.77")]
    headers += [(b"content-length", length)] if length else []
    path = "/api/v1" + sample.prepare(endpoint).path
    scope = {
        "type": "http", "method": endpoint.method, "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": headers, "client": ("192.0.2.78", 1), "http_version": "1.1", "scheme": "http",
    }  # fmt: skip
    await api.app(scope, receive, send)

    assert (status, received) == ([413], 0 if length else 3)


def test_public_operations_that_read_by_themselves_are_known() -> None:
    assert {endpoint.path for endpoint in OPEN if endpoint.reads_body_itself} == READ_BY_THEMSELVES


@pytest.mark.parametrize("endpoint", READING, ids=name_of)
async def test_a_member_that_is_given_twice_is_refused(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    """Of two values one would be lost, and nobody would say which."""
    request = sample.prepare(endpoint)
    body = b'{"metadata": {}, "name": "a", "rules": [{"x": ":", "y\\"": 1}, {"name": {"b": 1, "b": 2}}], "name": "a"}'
    headers = {"Content-Type": "application/json"} | request.headers
    answer = await api.call(endpoint.method, request.path, key=request.key, headers=headers, content=body)

    assert (answer.status_code, answer.json()["code"]) == (400, "duplicate_member"), answer.text
    assert [issue["path"] for issue in answer.json()["errors"]] == ["/name", "/rules/1/name/b"]


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        (b'{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}', []),
        (b'{"a":"\\"a\\":1","b":", \\"a\\":"}', []),
        (b'["a",":a","a"]', []),
        (b'{"a" : 1, "a"\n: 2}', ["/a"]),
        (b'{"a":1,"\\u0061":2}', ["/a"]),
        (b'{":b":1,"a":"p",":b":2}', ["/:b"]),
        (b'{"":1,"":2}', ["/"]),
        (b'{"a/b":[{"~":1,"~":2}]}', ["/a~1b/0/~0"]),
        (b'{"a":{"b":1},"a":{"b":1,"b":2}}', ["/a", "/a/b"]),
        (b'{"n":1e999,"m":' + b"9" * 5_000 + b',"n":1}', ["/n"]),
    ],
)
def test_duplicates_are_found_however_they_are_written(body: bytes, paths: list[str]) -> None:
    if not paths:
        duplicates.require_none(body)
        return
    with pytest.raises(duplicates.DuplicateMember) as refused:
        duplicates.require_none(body)
    assert [issue.path for issue in refused.value.errors] == paths
