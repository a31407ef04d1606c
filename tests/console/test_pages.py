"""Pages as responses: their headers, their content, what they refuse."""

import asyncio
import dataclasses
import html
import json
import re
import secrets

import httpx
import pytest

from signalpost.context import AppContext
from signalpost.identity import tokens
from signalpost.identity.actions import sign_up
from signalpost.kit.problems import Problem
from signalpost.main import app
from signalpost.networks import PLATFORMS

FORM = {"email": "ada@example.test", "password": "correct horse battery", "workspaceName": "Bakery <b>& Söhne</b>"}
HTML = {"Accept": "text/html,application/xhtml+xml"}


@pytest.mark.parametrize(
    "path", ["/", "/problems", "/problems/not_found", "/first-run", "/first-run?token=x", "/reset-password"]
)
async def test_every_page_has_security_headers(visit: httpx.AsyncClient, path: str) -> None:
    answer = await visit.get(path)

    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self';")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["x-request-id"]
    assert not re.search(r"<script|<style|style=|javascript:|\son\w+=", answer.text)
    assert not re.findall(r'(?:src|href|action)="(?:https?:)?//(?!signalpost\.test)', answer.text)


async def test_static_content_is_cached_and_compressed(visit: httpx.AsyncClient) -> None:
    first = await visit.get("/docs", headers={"Accept-Encoding": "gzip"})
    again = await visit.get("/docs", headers={"If-None-Match": first.headers["etag"]})
    plain = await visit.get("/docs", headers={"Accept-Encoding": "identity"})
    [sheet] = re.findall(r'rel="stylesheet" href="([^"]+)"', first.text)
    style = await visit.get(sheet)

    assert first.headers["content-encoding"] == "gzip"
    assert (again.status_code, again.content) == (304, b"")
    assert plain.text == first.text
    assert style.headers["content-type"].startswith("text/css")
    assert "immutable" in style.headers["cache-control"]


async def test_head_has_no_body(visit: httpx.AsyncClient) -> None:
    answer = await visit.head("/docs")

    assert (answer.status_code, answer.content) == (200, b"")


async def test_every_code_has_a_page(visit: httpx.AsyncClient, empty: AppContext) -> None:
    """The `type` of every error links to it; below the API it is JSON unless the client accepts HTML."""
    listed = (await visit.get("/problems")).text
    for code in ("not_found", "validation_failed", "rate_limited", "preflight_failed"):
        assert f'href="/problems/{code}"' in listed
        kind = Problem.registry[code]
        page = await visit.get(f"/problems/{code}", headers=HTML)
        data = await visit.get(f"/api/v1/problems/{code}")
        accepted = await visit.get(f"/v1/problems/{code}", headers=HTML)

        assert f"<h1>{kind.title}" in page.text
        assert data.json() == {
            "type": f"{empty.base_url}/problems/{code}", "code": code, "status": kind.status, "title": kind.title,
            "remediation": kind.remediation, "retryable": kind.retryable,
        }  # fmt: skip
        assert accepted.headers["content-type"].startswith("text/html")
        await asyncio.sleep(0)
    assert (await visit.get("/problems/no_such_code")).status_code == 404


async def test_the_page_about_invalid_values_shows_a_response(visit: httpx.AsyncClient) -> None:
    """Whoever reads that `errors` lists them sees what that looks like."""
    page = (await visit.get("/problems/validation_failed", headers=HTML)).text
    [shown] = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    example = json.loads(html.unescape(shown))

    assert (example["code"], example["status"]) == ("validation_failed", 422)
    assert {issue["path"] for issue in example["errors"]} == {"/platforms/0", "/message"}


async def test_the_first_owner_is_created_once(visit: httpx.AsyncClient, token: str) -> None:
    url = f"/first-run?token={token}"
    shown = await visit.get(url)
    made = await visit.post(url, data=FORM, headers={"Sec-Fetch-Site": "same-origin"})
    again = await visit.post(url, data=FORM | {"email": "eve@example.test"})
    later = await visit.get(url)

    assert shown.status_code == 200
    assert token not in shown.text
    assert (made.status_code, made.headers["location"], made.text) == (303, "/console", "")
    assert made.headers["cache-control"] == "no-store"
    headers = {"X-Console": "1", "Sec-Fetch-Site": "same-origin"}  # the client keeps the cookie
    me = (await visit.get("/api/v1/auth/me", headers=headers)).json()
    assert me["user"]["email"] == FORM["email"]
    assert (me["workspace"]["name"], me["workspace"]["timezoneChosen"]) == (FORM["workspaceName"], False)
    assert me["role"] == "owner"
    assert (await visit.get("/api/v1/api-keys", headers=headers)).json()["data"] == []
    assert (again.status_code, later.status_code) == (410, 410)


async def test_parallel_requests_create_one_owner(visit: httpx.AsyncClient, token: str) -> None:
    forms = [FORM | {"email": f"ada{number}@example.test"} for number in range(4)]
    answers = await asyncio.gather(*(visit.post(f"/first-run?token={token}", data=form) for form in forms))

    assert sorted(answer.status_code for answer in answers) == [303, 410, 410, 410]


async def test_an_invalid_form_is_shown_again_with_its_errors(visit: httpx.AsyncClient, token: str) -> None:
    """All errors at once, next to their fields; the input is kept except for the password. The link stays valid."""
    form = {"email": "no address", "password": "short", "workspaceName": ""}
    answer = await visit.post(f"/first-run?token={token}", data=form)

    assert answer.status_code == 422
    errors = {"email-error", "password-error", "workspaceName-error"}
    assert errors <= set(re.findall(r'id="([\w-]+)"', answer.text))
    assert "Must be an e-mail address." in answer.text
    assert "Must have at least 10 characters" in answer.text
    assert "no address" in answer.text
    assert "short" not in answer.text
    assert (await visit.get(f"/first-run?token={token}")).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://signalpost.test"},
    ],
)
async def test_a_form_of_another_site_is_refused(visit: httpx.AsyncClient, token: str, headers: dict[str, str]) -> None:
    answer = await visit.post(f"/first-run?token={token}", data=FORM, headers=headers)

    assert answer.status_code == 403
    assert (await visit.get(f"/first-run?token={token}")).status_code == 200


async def test_hostile_forms_get_error_pages(visit: httpx.AsyncClient, token: str) -> None:
    url = f"/first-run?token={token}"
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    cases = [
        (b"{}", {"Content-Type": "application/json"}, 415),
        (b"a=" + b"x" * 20_000, kind, 413),
        (b"\xff\xfe=1", kind, 400),
        (b"email=%ff", kind, 400),
        (b"&".join(b"a%d=1" % number for number in range(50)), kind, 400),
        (b"email=a%00b&password=correct+horse+battery&workspaceName=x%00&timezone=UTC", kind, 422),
    ]
    for body, headers, status in cases:
        answer = await visit.post(url, content=body, headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8"), body[:20]
    for query in ("", "?token=", "?token=%00", "?token=" + "x" * 500, "?token=a&token=b", "?token=%ff"):
        answer = await visit.get("/first-run" + query)
        assert answer.status_code in (400, 410, 422), query


async def test_guesses_are_limited_by_address(visit: httpx.AsyncClient) -> None:
    statuses = [(await visit.post(f"/first-run?token=guess{n}", data=FORM)).status_code for n in range(12)]

    assert statuses == [410] * 10 + [429] * 2


async def test_pages_are_limited_by_address(visit: httpx.AsyncClient) -> None:
    served = 0
    while (answer := await visit.get("/problems/not_found")).status_code == 200:
        served += 1

    assert 30 <= served < 60, "30 at once, and one every two seconds"
    assert answer.status_code == 429
    assert answer.headers["content-type"].startswith("text/html")
    assert int(answer.headers["retry-after"]) >= 1


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing/here", 404, "not_found"),
        ("GET", "/api/v1/nothing", 404, "not_found"),
        ("GET", "/api/v1/posts", 401, "unauthenticated"),
        ("GET", "/v1/posts/pst_x?limit=1", 401, "unauthenticated"),
        ("PUT", "/api/v1/posts", 405, "method_not_allowed"),
        ("POST", "/docs", 405, "method_not_allowed"),
        ("POST", "/api/v1/auth/login", 422, "validation_failed"),
        ("GET", "/<script>alert(1)</script>", 404, "not_found"),
    ],
)
async def test_a_browser_gets_a_page_and_a_program_the_problem(
    visit: httpx.AsyncClient, method: str, path: str, status: int, code: str
) -> None:
    """The same status and code; what came with the request is text in the page, never markup."""
    page, data = [
        await visit.request(method, path, headers=headers, json={} if method == "POST" else None)
        for headers in (HTML | {"Sec-Fetch-Mode": "navigate"}, {"Accept": "*/*"})
    ]

    assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert page.headers["vary"] == "accept"
    assert f'href="/problems/{code}"' in page.text
    assert page.headers["x-request-id"] in page.text
    assert "<script" not in page.text
    assert (data.status_code, data.headers["content-type"]) == (status, "application/problem+json")
    assert data.json()["code"] == code
    assert page.headers.get("allow") == data.headers.get("allow")
    assert page.headers.get("www-authenticate") == data.headers.get("www-authenticate")


async def test_an_expired_link_names_the_command_that_creates_a_user(empty: AppContext) -> None:
    """With the data folder in use, but only to whoever sits at that machine."""
    shown = []
    for address, headers in (("127.0.0.1", {}), ("127.0.0.1", {"X-Forwarded-For": "203.0.113.7"}), ("203.0.113.7", {})):
        transport = httpx.ASGITransport(app=app.create(empty), client=(address, 50_000))
        async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test", headers=headers) as client:
            answer = await client.get("/first-run?token=expired")
        assert answer.status_code == 410
        assert "signalpost create-owner --email you@example.com --workspace Me --data-dir " in answer.text
        shown.append(str(empty.settings.data_dir) in answer.text)

    assert shown == [True, False, False]


async def test_without_a_base_url_every_address_is_the_one_that_the_client_uses(empty: AppContext, token: str) -> None:
    """Behind `--host 0.0.0.0` or a proxy, only the client knows it. What is not a host name is not repeated."""
    context = dataclasses.replace(empty, settings=dataclasses.replace(empty.settings, base_url=None))
    context.listening_url = "http://192.0.2.1:9000"
    transport = httpx.ASGITransport(app=app.create(context), client=("203.0.113.7", 50_000))
    shown = {}
    async with httpx.AsyncClient(transport=transport, base_url="http://x.test") as client:
        for host in ("social.test", "10.0.0.1:8000", "[::1]:8000", "a&b", "127.0.0.1:8000:9", "192.0.2.1:9000"):
            headers = {"Host": host, "X-Forwarded-Proto": "https" if host == "social.test" else "http"}
            document = (await client.get("/openapi.json", headers=headers)).json()
            page = (await client.get("/docs/posts", headers=headers)).text
            problem = (await client.get("/api/v1/posts", headers=headers)).json()
            url = document["servers"][0]["url"].removesuffix("/api/v1")
            assert f"curl {url}/api/v1/posts" in page
            assert problem["type"] == f"{url}/problems/unauthenticated"
            shown[host] = url

    assert shown == {
        "social.test": "https://social.test", "10.0.0.1:8000": "http://10.0.0.1:8000",
        "[::1]:8000": "http://[::1]:8000", "a&b": "http://192.0.2.1:9000", "127.0.0.1:8000:9": "http://192.0.2.1:9000",
        "192.0.2.1:9000": "http://192.0.2.1:9000",
    }  # fmt: skip


async def test_the_start_page_shows_the_next_step(visit: httpx.AsyncClient, token: str) -> None:
    before = await visit.get("/")
    await visit.post(f"/first-run?token={token}", data=FORM)
    after = await visit.get("/")

    assert "No user exists yet" in before.text
    assert token not in before.text
    assert "No user exists yet" not in after.text


@pytest.fixture
async def reset(empty: AppContext) -> str:
    """The token of a mailed link to choose a new password."""
    text = secrets.token_hex(32)
    async with empty.database.transaction() as db:
        owner = await sign_up.create_owner(
            empty, db, email=FORM["email"], password=FORM["password"], workspace_name="Bakery"
        )
        await db.execute(
            "insert into one_time_token (hash, purpose, user_id, expires_at)"
            " values ($1, 'password_reset', $2, now() + interval '30 minutes')",
            tokens.digest(text), owner.user_id,
        )  # fmt: skip
    return text


async def test_a_new_password_is_chosen_on_the_page_of_the_mailed_link(visit: httpx.AsyncClient, reset: str) -> None:
    """Opening it, as scanners of mail do, uses nothing up; neither does a password that is too short."""
    url = f"/reset-password?token={reset}"
    pages = [await visit.get(url) for _ in range(3)]
    short = await visit.post(url, data={"password": "short"})
    foreign = await visit.post(url, data={"password": "chosen on the page"}, headers={"Sec-Fetch-Site": "cross-site"})
    made = await visit.post(url, data={"password": "chosen on the page"}, headers={"Sec-Fetch-Site": "same-origin"})
    again = await visit.post(url, data={"password": "another password"})

    assert [page.status_code for page in pages] == [200] * 3
    assert (short.status_code, foreign.status_code, made.status_code, again.status_code) == (422, 403, 200, 410)
    assert "Must have at least 10 characters; it has 5." in short.text
    assert "users reset-password" in again.text  # this instance sends no mail
    assert reset not in "".join(page.text for page in (*pages, short, made, again))
    for password, status in (("chosen on the page", 200), (FORM["password"], 401)):
        login = {"email": FORM["email"], "password": password}
        assert (await visit.post("/api/v1/auth/login", json=login)).status_code == status


async def test_a_link_that_is_none_is_not_valid(visit: httpx.AsyncClient) -> None:
    for query, status in (("", 410), ("?token=", 410), ("?token=x", 410), ("?token=" + "x" * 500, 410)):
        assert (await visit.get("/reset-password" + query)).status_code == status
        assert (await visit.post("/reset-password" + query, data={"password": "long enough"})).status_code == status


async def test_an_address_that_is_nearly_right_leads_on(visit: httpx.AsyncClient) -> None:
    for path in ("/posts", "/api/posts"):
        answer = await visit.get(path)
        assert (answer.status_code, answer.json()["detail"]) == (
            404,
            f"No operation at {path}. Did you mean /api/v1/posts?",
        )
    assert (await visit.get("/nothing")).json()["detail"] == "No operation at /nothing."
    for folder in ("guides", "reference"):
        answer = await visit.get(f"/docs/{folder}")
        assert (answer.status_code, answer.headers["location"]) == (302, "/docs")


async def test_the_example_of_an_error_names_the_networks_of_today(visit: httpx.AsyncClient) -> None:
    page = await visit.get("/problems/validation_failed", headers=HTML)

    assert all(platform in page.text for platform in PLATFORMS)


async def test_registering_on_the_page_signs_in(visit: httpx.AsyncClient) -> None:
    """What is wrong stands at its field; an address that is taken is said there, and opens nobody's session."""
    form = {"email": "new@example.test", "password": "correct horse battery", "name": "", "workspaceName": "Bakery"}
    shown = await visit.get("/register")
    short = await visit.post("/register", data=form | {"password": "short"})
    foreign = await visit.post("/register", data=form, headers={"Sec-Fetch-Site": "cross-site"})
    made = await visit.post("/register", data=form, headers={"Sec-Fetch-Site": "same-origin"})
    visit.cookies.clear()
    again = await visit.post("/register", data=form | {"email": "NEW@example.test"})

    assert [answer.status_code for answer in (shown, short, foreign, made, again)] == [200, 422, 403, 303, 422]
    assert re.search(r'id="password-error">Must have at least 10 characters', short.text)
    assert 'value="new@example.test"' in short.text
    assert (made.headers["location"], "session=" in made.headers["set-cookie"]) == ("/console", True)
    assert re.search(r'id="email-error">A user with this e-mail address already exists', again.text)
    assert "set-cookie" not in again.headers
    assert form["password"] not in short.text + again.text
    me = await visit.get("/api/v1/auth/me", headers={"Cookie": made.headers["set-cookie"].partition(";")[0]})
    assert (me.json()["workspace"]["name"], me.json()["role"]) == ("Bakery", "owner")


async def test_where_nobody_may_register_the_page_says_so(empty: AppContext) -> None:
    settings = dataclasses.replace(empty.settings, registration="invite")
    transport = httpx.ASGITransport(app=app.create(dataclasses.replace(empty, settings=settings)))
    async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test") as closed:
        answers = [await closed.get("/register"), await closed.post("/register", data=FORM)]
        login = await closed.get("/login")

    assert [answer.status_code for answer in answers] == [403, 403]
    assert "invitation" in answers[0].text
    assert "/register" not in login.text
