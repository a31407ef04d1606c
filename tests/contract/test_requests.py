"""What holds for every request, whatever it asks for: headers, methods, prefixes, queries, lists."""

from typing import Any

import httpx
import pytest
from tests.helpers.api import Api
from tests.helpers.contract import DOCUMENT, ENDPOINTS, Sample, name_of, session_of

from signalpost.web.paging import LIST_ALL
from signalpost.web.request import Request
from signalpost.web.routing import Endpoint

READS = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET"]
PAGED = [endpoint for endpoint in ENDPOINTS if endpoint.has("page")]
LISTED = [endpoint for endpoint in READS if "Listing" in str(endpoint.response_type)]


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
async def test_every_answer_names_itself_and_its_limit(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    """Refusals too: a stranger's request stands for those."""
    request = sample.prepare(endpoint)
    for key in (request.key, None):
        if endpoint.writes and key:
            continue  # what it does is shown in test_success.py
        answer = await request.send(api, key=key, headers={"X-Request-Id": "my-own-request-1"})

        assert answer.headers["x-request-id"] == "my-own-request-1"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "cache-control" in answer.headers
        if not endpoint.unlimited:
            names = ("ratelimit-policy", "ratelimit", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")
            assert [name for name in names if name not in answer.headers] == []
            assert int(answer.headers["x-ratelimit-remaining"]) < int(answer.headers["x-ratelimit-limit"])


@pytest.mark.parametrize("endpoint", READS, ids=name_of)
async def test_both_prefixes_serve_the_same(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    request = sample.prepare(endpoint)
    first = await request.send(api, path="/api/v1" + request.path)
    second = await request.send(api, path="/v1" + request.path)

    assert first.status_code == second.status_code
    if first.status_code == 200 and "json" in first.headers["content-type"]:
        assert first.json().keys() == second.json().keys()


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=name_of)
async def test_an_operation_is_reached_and_not_hidden_behind_another(
    api: Api, sample: Sample, endpoint: Endpoint
) -> None:
    """`/posts/stats` must not be read as the post called `stats`."""
    path = "/api/v1" + sample.prepare(endpoint).path
    route = api.app.router.match(Request({"method": endpoint.method, "path": path, "headers": []}, nothing))

    assert route.path == f"/api/v1{endpoint.path}"


async def nothing() -> Any:
    raise AssertionError("the router does not read the body")


@pytest.mark.parametrize("endpoint", READS, ids=name_of)
async def test_head_says_what_get_says_without_the_body(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    request = sample.prepare(endpoint)
    seen = await request.send(api)
    request.method = "HEAD"
    answer = await api.call("HEAD", request.path, key=request.key, params=request.params)

    assert answer.status_code == seen.status_code
    assert answer.content == b""
    assert answer.headers.get("content-type") == seen.headers.get("content-type")


@pytest.mark.parametrize("path", sorted({endpoint.path for endpoint in ENDPOINTS}))
async def test_an_unknown_method_names_the_allowed_ones(api: Api, sample: Sample, path: str) -> None:
    here = [endpoint for endpoint in ENDPOINTS if endpoint.path == path]
    there = {endpoint.method for endpoint in here}
    request = sample.prepare(here[0])
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - there:
        answer = await api.call(method, request.path, key=request.key)
        if answer.status_code == 404:
            continue  # another path with a parameter takes this one
        if answer.status_code == 405:
            allowed = {name.strip() for name in answer.headers["allow"].split(",")}
            assert there <= allowed


# What a network adds to its answer is not ours to refuse.
@pytest.mark.parametrize("endpoint", [each for each in ENDPOINTS if "/callback" not in each.path], ids=name_of)
async def test_an_unknown_parameter_is_refused_by_name(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    request = sample.prepare(endpoint)
    answer = await request.send(api, params={**request.params, "surprise": "1"})

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert "surprise" in {issue["path"] for issue in answer.json()["errors"]}


@pytest.mark.parametrize("endpoint", READS, ids=name_of)
async def test_a_parameter_with_a_wrong_value_is_refused_by_name(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    """Where any text fits, only what no text of ours may be: too long, or with U+0000."""
    request = sample.prepare(endpoint)
    for parameter in DOCUMENT["paths"][endpoint.path]["get"]["parameters"]:
        if parameter["in"] != "query":
            continue
        name, free = parameter["name"], parameter["schema"].get("type") == "string"
        for value in ("a\0b", "x" * 5_000) if free else ("a\0b", "x" * 5_000, "no such value", "1e999", "[]", "-1"):
            answer = await request.send(api, params={**request.params, name: value})

            assert 400 <= answer.status_code < 500, (name, value[:20], answer.text)
            if answer.status_code == 422:
                assert name in {issue["path"] for issue in answer.json()["errors"]}, (name, value[:20], answer.text)


@pytest.mark.parametrize("query", ["limit=%ff", "%ff=1", "limit=1&limit=2", "&".join(f"a{i}=1" for i in range(200))])
async def test_a_query_that_cannot_be_read_is_refused(api: Api, sample: Sample, query: str) -> None:
    answer = await api.get("/posts?" + query, key=sample.owner.key)

    assert answer.status_code in (400, 422)


@pytest.mark.parametrize("endpoint", LISTED, ids=name_of)
async def test_a_list_is_bounded_and_in_its_envelope(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    request = sample.prepare(endpoint)
    whole = await request.send(api)

    assert whole.json().keys() == {"data", "nextCursor", "hasMore"}
    assert len(whole.json()["data"]) <= LIST_ALL
    if not endpoint.has("page"):
        return
    one = await request.send(api, params={**request.params, "limit": "1"})
    assert len(one.json()["data"]) <= 1
    assert one.json()["hasMore"] == (one.json()["nextCursor"] is not None)
    if one.json()["hasMore"]:
        following = await request.send(api, params={**request.params, "limit": "1", "cursor": one.json()["nextCursor"]})
        assert following.json()["data"] != one.json()["data"]
        if endpoint.name != "list_requests":  # grows by the calls of this very test
            assert following.json()["data"][0] in whole.json()["data"]


@pytest.mark.parametrize("endpoint", PAGED, ids=name_of)
async def test_limits_and_cursors_that_are_none_are_refused(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    request = sample.prepare(endpoint)
    for limit in ("0", "101", "-1", "1.5", "x", "9" * 40, "٣", "%00"):
        answer = await request.send(api, params={**request.params, "limit": limit})
        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "limit"), limit
    for cursor in ("x", "AAAA", "🦤", "a" * 500, "A" * 48):
        answer = await request.send(api, params={**request.params, "cursor": cursor})
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request"), cursor


@pytest.mark.parametrize("endpoint", READS, ids=name_of)
async def test_an_unacceptable_media_type_is_refused(api: Api, sample: Sample, endpoint: Endpoint) -> None:
    answer = await sample.prepare(endpoint).send(api, headers={"Accept": "image/avif"})

    pages = ("/callback", "/platform-invites/{token}/connect", "/media/{id}/content", "/calendar/{token}")
    if any(page in endpoint.path for page in pages):
        assert answer.status_code in (422, 404)  # pages and files: the type is not checked before the path
    else:
        assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")


@pytest.mark.parametrize("path", ["/nothing", "/posts/x/y/z", "/../etc/passwd", "/posts//status", "/%00", "/posts/"])
async def test_a_path_that_is_not_there_is_a_problem_like_any_other(api: Api, path: str) -> None:
    for prefix in ("/api/v1", "/v1"):
        answer = await api.get(prefix + path)
        assert answer.status_code in (404, 401), path


_BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("path", "headers", "is_page"),
    [
        ("/api/v1/posts/x", {"Accept": _BROWSER}, False),
        ("/v1/posts/x", {"Accept": "text/html"}, False),
        ("/api/v1/nothing", {"Accept": _BROWSER}, False),
        ("/api/v1/posts/x", {"Accept": _BROWSER, "Sec-Fetch-Mode": "cors"}, False),
        ("/api/v1/posts/x", {"Accept": _BROWSER, "Sec-Fetch-Mode": "navigate"}, True),
        ("/api/v1/posts/x", {"Accept": "*/*", "Sec-Fetch-Mode": "navigate"}, False),
        ("/nothing", {"Accept": _BROWSER}, True),
        ("/nothing", {"Accept": "*/*, text/html"}, False),
        ("/nothing", {"Accept": _BROWSER, "Sec-Fetch-Mode": "no-cors"}, False),
    ],
)
async def test_a_problem_is_a_page_only_for_who_navigates(
    api: Api, path: str, headers: dict[str, str], *, is_page: bool
) -> None:
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app=api.app), base_url="http://signalpost.test")
    answer = await client.get(path, headers={"X-Forwarded-For": "192.0.2.81"} | headers)

    assert answer.status_code in (401, 404)
    expected = "text/html" if is_page else "application/problem+json"
    assert answer.headers["content-type"].startswith(expected), answer.headers["content-type"]


@pytest.mark.parametrize(("length", "status"), [(16_000, 404), (17_000, 414), (60_000, 414)])
async def test_a_path_that_is_too_long_is_a_problem_like_any_other(
    api: Api, sample: Sample, length: int, status: int
) -> None:
    answer = await api.get("/posts/" + "a" * length, key=sample.owner.key)
    assert answer.status_code == status
    searched = await api.get("/posts?q=" + "a" * length, key=sample.owner.key)
    assert (searched.status_code, searched.json()["code"]) == (
        (414, "uri_too_long") if status == 414 else (422, "validation_failed")
    )


@pytest.mark.parametrize(
    ("accept", "status"), [("application/vnd.apache.parquet", 200), ("text/csv", 200), ("image/avif", 406)]
)
async def test_a_type_that_an_operation_documents_is_acceptable(
    api: Api, sample: Sample, accept: str, status: int
) -> None:
    path = "/analytics/export?format=parquet"
    answer = await api.get(path, key=sample.owner.key, headers={"Accept": accept})
    assert answer.status_code == status, answer.text
    if status == 406:
        assert "application/vnd.apache.parquet" in answer.json()["detail"]


async def test_a_session_without_the_scope_of_staff_is_no_api_key(api: Api, sample: Sample) -> None:
    tokens = await session_of(sample, sample.owner)
    refused = await api.post("/admin/sync-metrics-cron", json={}, key=tokens.access_token)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    key = await api.post("/admin/sync-metrics-cron", json={}, key=sample.owner.key)
    assert (key.status_code, key.json()["code"]) == (403, "insufficient_scope")


async def test_a_test_key_never_administers_the_installation(api: Api, sample: Sample) -> None:
    staff = await sample.make.staff()
    tokens = await session_of(sample, staff)
    body = {"name": "Robot", "mode": "test", "scopes": ["posts:read", "instance:admin"]}
    refused = await api.post("/api-keys", json=body, key=tokens.access_token)
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "/scopes/1"), refused.text
    assert (await api.post("/api-keys", json=body | {"mode": "live"}, key=tokens.access_token)).status_code == 201
