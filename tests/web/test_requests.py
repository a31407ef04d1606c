"""What every endpoint gets from web, seen from outside."""

import asyncio
import contextlib
import copy
import json
from typing import Any

import asyncpg
import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.web.conftest import CALLERS, SmallApp

from signalpost.kit import clock, ids
from signalpost.kit.writes import Writes
from signalpost.web import idempotency


async def names(small_app: SmallApp, name: str) -> int:
    async with small_app.database.connection() as db:
        return int(await db.fetchval("select count(*) from small.thing where name = $1", name))


async def test_all_findings_of_a_body_come_at_once_with_pointers(small_app: SmallApp) -> None:
    """One round trip per mistake is what people hate most about strict APIs."""
    body = {"name": "", "number": 11, "tags": ["long", 1, "c"], "inner": {"label": "abcdef", "x": 1}, "y": 1}
    answer = await small_app.api.post("/things", json=body, key="ann")

    assert answer.status_code == 422
    found = {(issue["path"], issue["code"]) for issue in answer.json()["errors"]}
    assert found == {
        ("/name", "too_short"), ("/number", "out_of_range"), ("/tags", "too_long"), ("/tags/0", "too_long"),
        ("/tags/1", "type"), ("/inner/label", "too_long"), ("/inner/x", "unknown_field"), ("/y", "unknown_field"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"{", 400), (b"\xff", 400), (b"NaN", 400), (b"[" * 100_000, 400), (b'{"name":"\\ud800"}', 400),
        (b'{"name":"\\ud800x"}', 400), (b'{"name":"\xed\xa0\x80"}', 400),
        (b"[]", 422), (b"null", 422), (b"1e999", 422), (b'{"name":"a","number":1e999}', 422),
        (b'{"name":"a","number":99999999999999999999999}', 422), (b'{"name":"a\\u0000"}', 422),
        (b'{"name":"a","extra":{"k\\u0000":1}}', 422), (b'{"name":"a","extra":{"k":["\\u0000"]}}', 422),
        (b'{"name":"' + b"a" * 1_000_000 + b'"}', 422), (b'{"name":"' + b"a" * 2_100_000 + b'"}', 413),
        (b'{"name":"a","extra":' + b'{"a":' * 5_000 + b"1" + b"}" * 5_000 + b"}", 400),
    ],
)  # fmt: skip
async def test_hostile_bodies_are_refused(small_app: SmallApp, body: bytes, status: int) -> None:
    answer = await small_app.api.post("/things", content=body, headers={"content-type": "application/json"}, key="ann")

    assert answer.status_code == status, answer.text


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "The body is empty. This operation needs a JSON object."), (b"  ", "The body is empty."),
        (b"{'name': 'a'}", "Names and strings need double quotes."),
        (b'{"name": \'a\'}', "Names and strings need double quotes."), (b'{"name": "a"', "it ends too early."),
    ],
)  # fmt: skip
async def test_what_people_type_by_mistake_is_explained(small_app: SmallApp, body: bytes, detail: str) -> None:
    answer = await small_app.api.post("/things", content=body, headers={"content-type": "application/json"}, key="ann")

    assert answer.status_code == 400
    assert detail in answer.json()["detail"]


async def test_an_escaped_backslash_before_u0000_is_no_nul(small_app: SmallApp) -> None:
    answer = await small_app.api.post("/things", content=rb'{"name":"\\u0000"}', key="ann")

    assert answer.status_code == 201


@pytest.mark.parametrize(
    "path",
    [
        "/things/pst_", "/things/x", "/things/" + "a" * 5_000, "/things/prof_00000000000000000000000000",
        "/things/pst_ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "/things/pst_0000000000000000000000000%00", "/things/%ff",
        "/things/pst_01M7Z0000000000000000000AB", "/nothing", "/things/a/b",
    ],
)  # fmt: skip
async def test_what_is_not_there_is_a_404_problem(small_app: SmallApp, path: str) -> None:
    answer = await small_app.api.get(path, key="ann")

    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


async def test_a_full_disk_is_called_so(small_app: SmallApp) -> None:
    """Whatever was written, and wherever; and the database is, when not even a connection can be opened."""
    answer = await small_app.api.get("/archive")
    assert (answer.status_code, answer.json()["detail"]) == (503, "There is no space for files right now.")
    assert answer.headers["retry-after"] == "300"

    database = copy.copy(small_app.database)
    database.writes = Writes()
    problem = database.unavailable(asyncpg.DiskFullError("could not write init file: No space left on device"))
    assert problem.detail == "The database accepts no changes: its disk is full."
    assert database.unavailable(OSError("no route")).detail == problem.detail  # until a probe succeeds


async def test_credentials_and_scopes(small_app: SmallApp) -> None:
    assert (await small_app.api.get("/me")).status_code == 401
    assert (await small_app.api.get("/me", headers={"Authorization": "Basic YTpi"})).status_code == 401
    assert (await small_app.api.get("/me", key="nobody")).json()["code"] == "unauthenticated"
    refused = await small_app.api.post("/things", json={"name": "a"}, key="reader")
    assert refused.status_code == 403
    assert refused.json()["code"] == "insufficient_scope"
    assert (await small_app.api.get("/open")).status_code == 200


async def test_both_prefixes_serve_the_same(small_app: SmallApp) -> None:
    assert (await small_app.api.get("/v1/me", key="ann")).json()["id"] == "ann"
    assert (await small_app.api.get("/api/v1/me", key="ann")).json()["id"] == "ann"


async def test_method_media_type_and_accept_are_checked(small_app: SmallApp) -> None:
    wrong = await small_app.api.put("/me", key="ann")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert "GET" in wrong.headers["allow"]
    form = await small_app.api.post("/things", data={"name": "a"}, key="ann")
    assert (form.status_code, form.json()["code"]) == (415, "unsupported_media_type")
    picky = await small_app.api.get("/me", key="ann", headers={"accept": "image/png"})
    assert (picky.status_code, picky.json()["code"]) == (406, "not_acceptable")


async def test_a_failing_commit_is_never_a_201(small_app: SmallApp) -> None:
    """The commit comes before the answer: what was promised is there."""
    with pytest.raises(AssertionError):
        await small_app.api.post("/things", json={"name": "late"}, key="ann")

    assert await names(small_app, "late") == 0


async def test_a_fault_of_ours_tells_nothing_and_saves_nothing(small_app: SmallApp) -> None:
    with pytest.raises(AssertionError) as caught:  # the client of the tests refuses every 500; its message has the body
        await small_app.api.post("/things", json={"name": "broken"}, key="ann")

    assert "internal_error" in str(caught.value)
    assert "secret of the inside" not in str(caught.value)
    assert await names(small_app, "broken") == 0


@pytest.mark.parametrize("path", ["/links/s3cret/well", "/links/s3cret/badly", "/links/s3cret/late", "/links/s3cret"])
async def test_a_token_in_the_path_is_not_logged(
    small_app: SmallApp, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    """Not when the request fails, either."""
    with contextlib.suppress(AssertionError):  # the client of the tests refuses every 500
        await small_app.api.get(path, bare=path.endswith("s3cret"))  # a page

    written = capsys.readouterr().err
    assert "/links/{" in written
    assert "s3cret" not in written


@pytest.mark.parametrize("name", ["os error", "argument"])
async def test_a_fault_of_ours_is_not_blamed_on_the_database(small_app: SmallApp, name: str) -> None:
    """An OSError, or a value that no column holds, is a fault of ours; 503 would have clients try it again for ever."""
    with pytest.raises(AssertionError) as caught:
        await small_app.api.post("/things", json={"name": name}, key="ann")

    assert "internal_error" in str(caught.value)


async def test_a_connection_that_is_gone_is_503(small_app: SmallApp) -> None:
    answer = await small_app.api.post("/things", json={"name": "cut off"}, key="ann")

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")


async def test_a_list_is_paged_without_gaps_or_repeats(small_app: SmallApp) -> None:
    name = "p" + str(ids.new_id().int)[-6:]
    for _ in range(7):
        await small_app.api.post("/things", json={"name": name}, key="ann")
    seen: list[str] = []
    cursor = ""
    while True:
        page = (await small_app.api.get(f"/things?color={name}&limit=3&cursor={cursor}", key="ann")).json()
        seen += [thing["id"] for thing in page["data"]]
        assert page["hasMore"] == (page["nextCursor"] is not None)
        if not page["hasMore"]:
            break
        cursor = page["nextCursor"]

    assert len(seen) == len(set(seen)) == 7
    assert seen == sorted(seen, reverse=True)


async def test_cursors_are_ours_and_belong_to_their_list(small_app: SmallApp) -> None:
    for _ in range(3):
        await small_app.api.post("/things", json={"name": "cursor"}, key="ann")
    cursor = (await small_app.api.get("/things?limit=1&color=cursor", key="ann")).json()["nextCursor"]

    assert (await small_app.api.get(f"/things?limit=1&color=cursor&cursor={cursor}", key="ann")).status_code == 200
    for query, key in ((f"cursor={cursor}", "ann"), (f"color=cursor&cursor={cursor}", "ben")):
        assert (await small_app.api.get(f"/things?{query}", key=key)).json()["code"] == "malformed_request"
    other_end = "BA" if cursor.endswith("AA") else "AA"
    for broken in ("x", cursor[:-1], cursor[:-2] + other_end, "é", "a" * 5_000):
        answer = await small_app.api.get("/things", params={"color": "cursor", "cursor": broken}, key="ann")
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed_request")


@pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "1.5", "99999999999999999999", "٣"])
async def test_limit_has_bounds(small_app: SmallApp, limit: str) -> None:
    answer = await small_app.api.get("/things", params={"limit": limit}, key="ann")

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "limit")


async def test_unknown_and_repeated_parameters_are_named(small_app: SmallApp) -> None:
    """A misspelt filter that is dropped answers the wrong question."""
    assert (await small_app.api.get("/things?colour=red", key="ann")).json()["errors"][0]["path"] == "colour"
    assert (await small_app.api.get("/me?x=1", key="ann")).json()["errors"][0]["code"] == "unknown_field"
    assert (await small_app.api.get("/things?color=a&color=b", key="ann")).status_code == 422
    assert (await small_app.api.get("/things?color=%00", key="ann")).status_code == 422
    assert (await small_app.api.get("/things?color=%ff", key="ann")).status_code == 400
    assert (await small_app.api.get("/everything", key="ann")).json()["data"][0]["id"] == "500"


async def test_a_test_key_may_set_its_clock_and_a_live_key_may_not(small_app: SmallApp) -> None:
    when = {"X-Test-Now": "2031-01-02T03:04:05Z"}

    assert (await small_app.api.get("/me", key="tester", headers=when)).json()["at"] == "2031-01-02T03:04:05.000Z"
    assert not (await small_app.api.get("/me", key="ann", headers=when)).json()["at"].startswith("2031")
    assert (await small_app.api.get("/me", key="tester", headers={"X-Test-Now": "soon"})).status_code == 422


async def test_if_match(small_app: SmallApp) -> None:
    made = await small_app.api.post("/things", json={"name": "etag"}, key="ann")
    path = "/things/" + made.json()["id"]

    assert made.headers["etag"] == '"1"'
    assert (await small_app.api.patch(path, key="ann", headers={"If-Match": '"1"'})).status_code == 200
    assert (await small_app.api.patch(path, key="ann")).status_code == 200
    for wrong in ('"2"', "nonsense", '"99999999999999999"'):
        answer = await small_app.api.patch(path, key="ann", headers={"If-Match": wrong})
        assert (answer.status_code, answer.json()["code"]) == (412, "version_conflict")


CURL = {"User-Agent": "curl/8.5.0"}


async def test_curl_gets_lines_that_a_person_can_read(small_app: SmallApp) -> None:
    """The same JSON with the length that it then has; long and other responses as they are."""
    api, thing = small_app.api, {"name": "a", "inner": {"label": "b"}}
    for body, status in ((thing, 201), ({"name": 7}, 422)):
        plain, read = [
            await api.post("/things", json=body, key="ann", headers=headers)
            for headers in ({}, CURL | {"X-Request-Id": "r" * 16})
        ]
        assert (plain.status_code, read.status_code) == (status, status)
        assert "\n" not in plain.text
        assert read.text == json.dumps(read.json(), indent=2, ensure_ascii=False) + "\n"
        assert read.headers["content-length"] == str(len(read.content))
        assert read.json().keys() == plain.json().keys()


async def test_the_console_gets_long_json_compressed(small_app: SmallApp) -> None:
    """With the length that it then has, and only the console: programs get it as before."""
    for _ in range(12):
        await small_app.api.post("/things", json={"name": "squeeze"}, key="ann")
    for headers, coding in (
        ({"X-Console": "1"}, "gzip"),
        ({"X-Console": "1", "Accept-Encoding": "identity"}, None),
        ({}, None),
    ):
        answer = await small_app.api.get("/things?color=squeeze", key="ann", headers=headers)
        short = await small_app.api.get("/me", key="ann", headers=headers)
        assert (answer.headers.get("content-encoding"), len(answer.json()["data"])) == (coding, 12)
        assert int(answer.headers["content-length"]) == answer.num_bytes_downloaded
        assert "content-encoding" not in short.headers


async def test_204_has_no_body_and_request_ids_are_echoed(small_app: SmallApp) -> None:
    made = (await small_app.api.post("/things", json={"name": "gone"}, key="ann")).json()
    answer = await small_app.api.delete(f"/things/{made['id']}", key="ann", headers={"X-Request-Id": "mine-12345"})

    assert (answer.status_code, answer.content, answer.headers["x-request-id"]) == (204, b"", "mine-12345")
    injected = await small_app.api.get("/me", key="ann", headers={"X-Request-Id": "bad id {}"})
    assert injected.headers["x-request-id"].startswith("req_")


async def test_rate_limits_tell_and_hold(small_app: SmallApp) -> None:
    answers = [await small_app.api.get("/me", key="slow") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[0].headers["ratelimit-policy"] == '"requests";q=3;w=60'
    assert answers[0].headers["ratelimit"].startswith('"requests";r=2;t=')
    assert answers[0].headers["x-ratelimit-remaining"] == "2"
    limited = answers[3]
    assert limited.json()["code"] == "rate_limited"
    assert limited.json()["retryable"] is True
    assert 1 <= int(limited.headers["retry-after"]) <= 21


async def test_addresses_without_a_credential_are_limited(small_app: SmallApp) -> None:
    here = {"X-Forwarded-For": "203.0.113.9"}
    began = clock.monotonic()

    async def allowed(**options: Any) -> int:
        """How many requests of this address are answered until one is refused."""
        count = 0
        while (await small_app.api.get(headers=here, **options)).status_code != 429:
            count += 1
        return count

    assert 30 <= await allowed(path="/open") <= 30 + (clock.monotonic() - began) / 2, "one comes back every two seconds"
    assert await allowed(path="/me", key="guess") <= (clock.monotonic() - began) / 2
    assert (await small_app.api.get("/healthy", headers=here)).status_code == 200
    other = {"X-Forwarded-For": "2001:db8:1:2::1"}
    logins = [(await small_app.api.post("/sign-in", headers=other)).status_code for _ in range(11)]
    assert logins == [201] * 10 + [429]
    same_network = {"X-Forwarded-For": "2001:db8:1:2:ffff::9"}
    assert (await small_app.api.post("/sign-in", headers=same_network)).status_code == 429


async def test_an_outage_uses_up_nobodys_limit(small_app: SmallApp) -> None:
    """Who asks again and again until the database is back must not be locked out when it is."""
    here = {"X-Forwarded-For": "203.0.113.10"}
    answers = [await small_app.api.get("/me", key="database is away", headers=here) for _ in range(40)]

    assert {answer.status_code for answer in answers} == {503}
    assert (await small_app.api.get("/me", key="guess", headers=here)).status_code == 401


async def test_an_idempotency_key_has_one_effect(small_app: SmallApp) -> None:
    options = {"json": {"name": "once"}, "key": "ann", "headers": {"Idempotency-Key": "k-once"}}
    first = await small_app.api.post("/things", **options)
    again = await small_app.api.post("/things", **options)

    assert (first.status_code, first.json()) == (again.status_code, again.json())
    assert again.headers["idempotent-replayed"] == "true"
    assert again.headers["etag"] == first.headers["etag"]
    assert "idempotent-replayed" not in first.headers
    assert await names(small_app, "once") == 1
    other = await small_app.api.post(
        "/things", json={"name": "twice"}, key="ann", headers={"Idempotency-Key": "k-once"}
    )
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert (await small_app.api.post("/things", **(options | {"key": "ben"}))).json()["id"] != first.json()["id"]
    assert await names(small_app, "once") == 2


@pytest.mark.parametrize("path", ["/things", "/reserved"])
async def test_a_refusal_is_kept_and_changes_nothing(small_app: SmallApp, path: str) -> None:
    options = {"json": {"name": "refused"}, "key": "ann", "headers": {"Idempotency-Key": "k-refused" + path[1:]}}
    runs = sum(small_app.runs.values())
    first = await small_app.api.post(path, **options)
    again = await small_app.api.post(path, **options)

    assert (first.status_code, again.status_code) == (409, 409)
    assert again.headers["idempotent-replayed"] == "true"
    assert first.json()["detail"] == again.json()["detail"]
    assert sum(small_app.runs.values()) == runs + 1
    assert await names(small_app, "refused") == 0


@pytest.mark.parametrize("path", ["/things", "/reserved"])
async def test_twins_at_once_have_one_effect(small_app: SmallApp, path: str) -> None:
    """The second one is told to come back instead of being let through or left hanging."""
    small_app.gate.clear()
    options = {"json": {"name": "waits"}, "key": "ben", "headers": {"Idempotency-Key": "k-twin" + path[1:]}}
    before, runs = await names(small_app, "waits"), sum(small_app.runs.values())
    first = asyncio.create_task(small_app.api.post(path, **options))
    while sum(small_app.runs.values()) == runs:
        await asyncio.sleep(0)
    twin = await small_app.api.post(path, **options)
    small_app.gate.set()

    assert (twin.status_code, twin.json()["code"]) == (409, "idempotency_in_progress")
    assert twin.headers["retry-after"] == "1"
    assert (await first).status_code == 201
    assert (await small_app.api.post(path, **options)).json() == (await first).json()
    assert await names(small_app, "waits") == before + 1


async def test_a_key_that_is_used_meanwhile_undoes_what_came_second(small_app: SmallApp) -> None:
    """Another request wrote it without the lock, as posts do that are written together."""
    small_app.gate.clear()
    key, before, runs = "k-meanwhile", await names(small_app, "waits"), small_app.runs.get("waits", 0)
    options = {"json": {"name": "waits"}, "key": "ben", "headers": {"Idempotency-Key": key}}
    waiting = asyncio.create_task(small_app.api.post("/things", **options))
    while small_app.runs.get("waits", 0) == runs:
        await asyncio.sleep(0)
    other = idempotency.KeyRow(CALLERS["ben"].credential, key, b"another request", 201, {}, b"sealed")
    async with small_app.database.transaction() as db:
        await idempotency.keep(db, other)
    small_app.gate.set()

    assert (await waiting).json()["code"] == "idempotency_key_reused"
    assert await names(small_app, "waits") == before


async def test_an_answer_that_may_change_is_not_kept(small_app: SmallApp) -> None:
    options = {"json": {"name": "busy"}, "key": "ann", "headers": {"Idempotency-Key": "k-busy"}}
    runs = small_app.runs.get("reserved:busy", 0)

    for _ in range(2):
        assert (await small_app.api.post("/reserved", **options)).status_code == 503
    assert small_app.runs["reserved:busy"] == runs + 2


async def test_kept_answers_are_sealed(small_app: SmallApp) -> None:
    """Some answers hold a secret that is shown once: a copy of the database must not show it again."""
    await small_app.api.post("/things", json={"name": "sealed"}, key="ann", headers={"Idempotency-Key": "k-sealed"})

    async with small_app.database.connection() as db:
        kept = await db.fetchval("select body from idempotency where key = 'k-sealed'")
    assert b"sealed" not in kept


@pytest.mark.parametrize("key", ["", "a b", "é", "a" * 129])
async def test_idempotency_keys_are_visible_ascii(small_app: SmallApp, key: str) -> None:
    answer = await small_app.api.post(
        "/things", json={"name": "a"}, key="ann", headers={"Idempotency-Key": key.encode()}
    )

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "Idempotency-Key")


async def test_problems_say_what_to_do(small_app: SmallApp) -> None:
    problem = (await small_app.api.get("/me")).json()

    assert json.dumps(problem)
    assert problem["type"] == "http://signalpost.test/problems/unauthenticated"
    assert problem["instance"] == "/api/v1/me"
    assert "Authorization" in problem["remediation"]


async def test_a_byte_order_mark_is_skipped(api: Api, make: Make) -> None:
    """RFC 8259, section 8.1. Editors and shells of Windows write one."""
    owner = await make.owner()
    body = b'\xef\xbb\xbf{"name": "Marked"}'
    answer = await api.post("/profiles", content=body, headers={"Content-Type": "application/json"}, key=owner.key)

    assert (answer.status_code, answer.json()["name"]) == (201, "Marked")
