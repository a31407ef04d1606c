"""What pages of other sites, frames and a shared browser can do with a session: nothing.

Every operation and page of the route tables is tried, so a new one is covered without an edit here.
"""

import re
from collections.abc import Awaitable, Callable
from itertools import count, product

import httpx
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.contract import ENDPOINTS, Sample

from signalpost.context import AppContext
from signalpost.identity.actions import sign_in
from signalpost.web import session_cookie
from signalpost.web.caller import PUBLIC

WRITING = [endpoint for endpoint in ENDPOINTS if endpoint.writes and endpoint.scope != PUBLIC]
READING = [endpoint for endpoint in ENDPOINTS if not endpoint.writes and not endpoint.path_inputs]
# What a form of any site can send without asking first, and what a script can after it asked.
BODIES = {
    "application/x-www-form-urlencoded": b"name=x&text=x",
    "multipart/form-data; boundary=x": b'--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--x--\r\n',
    "text/plain": b'{"name": "x", "text": "x"}',
    "application/json": b'{"name": "x", "text": "x"}',
    "": b'{"name": "x"}',
}
SENT_BY = (
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": "cross-site", "X-Console": "1", "Origin": "http://signalpost.test"},
    {"Origin": "https://evil.example"},
    {"Origin": "null", "X-Console": "1"},
    {"Origin": "http://signalpost.test.evil.example", "X-Console": "1"},
    {},
)
PAGES = {
    "/", "/docs", "/login", "/console", "/console/posts", "/console/billing", "/console/team",
    "/console/media", "/status", "/status/subscribe", "/problems",
}  # fmt: skip
"""Some that certainly are pages; which others there are, the routes say."""


async def _cookie(context: AppContext, sample: Sample) -> str:
    async with context.database.transaction() as db:
        signed_in = await sign_in.sign_in(context, db, sample.owner.user_id, "203.0.113.7", "login", second_factor=True)
    value = sign_in.session_cookie(context, signed_in.access_token)
    return f"{session_cookie.cookie_name(context)}={value}"


@holds("S17")
async def test_no_page_of_another_site_acts_for_whoever_is_signed_in(
    context: AppContext, api: Api, sample: Sample, record: Record
) -> None:
    cookie = await _cookie(context, sample)
    everything = "select (select count(*) from audit where workspace_id = $1), (select count(*) from idempotency)"
    async with context.database.connection() as db:
        before = await db.fetchrow(everything, sample.owner.workspace_id)
    wrong, tried = [], 0
    for endpoint, (media_type, body), sent in product(WRITING, BODIES.items(), SENT_BY):
        prepared = sample.prepare(endpoint)
        headers = {"Cookie": cookie, **prepared.headers, **sent}
        headers |= {"Content-Type": media_type} if media_type else {}
        answer = await api.call(endpoint.method, prepared.path, content=body, headers=headers)
        tried += 1
        if (answer.status_code, answer.json()["code"]) != (403, "forbidden"):
            wrong.append((endpoint.name, media_type, sent, answer.status_code))
    async with context.database.connection() as db:
        after = await db.fetchrow(everything, sample.owner.workspace_id)

    record("S17", tried={"requests of other sites": tried}, measured={"requests that acted": len(wrong)})
    assert wrong == []
    assert before == after


def _browser(api: Api, headers: dict[str, str]) -> Callable[[str], Awaitable[httpx.Response]]:
    """Return what opens an address as a browser does: errors are pages, too. Each time from another network."""
    transport, numbers = httpx.ASGITransport(app=api.app, client=("127.0.0.1", 50_000)), count()

    async def opened(path: str) -> httpx.Response:
        address = {"X-Forwarded-For": f"10.200.{next(numbers)}.1", "Accept": "text/html"}
        async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test") as client:
            return await client.get(path, headers=headers | address)

    return opened


def _addresses(api: Api) -> set[str]:
    """Every path of the route tables once, with something in the place of its parameters; a stream never ends."""
    paths = {route.path for route in api.app.router.routes if route.method == "GET"}
    once = {path for path in paths if not path.startswith("/v1/") and not path.endswith("/events/stream")}
    return {re.sub(r"\{\w+\}", "x", path) for path in once}


@holds("S18")
async def test_no_site_frames_a_page_and_no_browser_keeps_what_a_session_read(
    context: AppContext, api: Api, sample: Sample, record: Record
) -> None:
    """Each address that answers a browser with a page, errors included, and what operations answer with a cookie."""
    cookie = await _cookie(context, sample)
    ours = {"Cookie": cookie, "Sec-Fetch-Site": "same-origin", "Accept": "application/json"}
    framed, kept, pages = [], [], set()
    browser = _browser(api, ours)
    for path in sorted(PAGES | _addresses(api)):
        page = await browser(path)
        if not page.headers.get("content-type", "").startswith("text/html"):
            continue
        pages.add(path)
        policy = page.headers.get("content-security-policy", "")
        if "frame-ancestors 'none'" not in policy or page.headers.get("x-frame-options") != "DENY":
            framed.append(path)
        if "unsafe-inline" in policy or "script-src *" in policy:
            framed.append(f"{path}: {policy}")
        if "public" in page.headers["cache-control"]:
            kept.append(path)
    assert pages > PAGES
    for endpoint in READING:
        answer = await api.call("GET", endpoint.path, headers=ours)
        if "no-store" not in answer.headers["cache-control"] and endpoint.scope != PUBLIC:
            kept.append(endpoint.path)
    out = await api.call("POST", "/logout", bare=True, headers=ours)
    if out.headers.get("clear-site-data") != '"cache"':
        kept.append("after signing out")

    record(
        "S18",
        tried={"pages": len(pages), "responses": len(READING)},
        measured={"pages that can be framed": len(framed), "responses that are kept": len(kept)},
    )
    assert (framed, kept) == ([], [])
