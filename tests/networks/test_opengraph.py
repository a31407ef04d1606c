"""Foreign pages: what a link card takes from them, and that none of them can fail a post."""

from typing import Any

import pytest
from tests.helpers.networks.bluesky import DID, BlueskyServer

from signalpost.conformance.harness import (
    PNG,
    Clock,
    FakeHttp,
    FakeResponse,
    Headers,
    MemoryJournal,
    Request,
    outgoing,
    session,
)
from signalpost.kit.http import HttpFailure, MaybeSent, NotSent, TooLarge, UnsafeUrl
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import Published
from signalpost.networks.opengraph import Card, fetch_card, fetch_image

URL = "https://page.example/a/b"


def page(body: str | bytes, content_type: str = "text/html; charset=utf-8", status: int = 200) -> FakeResponse:
    body = body.encode() if isinstance(body, str) else body
    return FakeResponse(status, body, Headers({"Content-Type": content_type}))


def redirect(location: str) -> FakeResponse:
    return FakeResponse(302, b"", Headers({"Location": location}))


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
JOINED = (FAMILY, ENGLAND, "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0915\u094d\u200d\u0937", "a\u200eb")
"""Emoji, a flag, a Persian and an Indic word: characters without a width hold them together."""


@pytest.mark.parametrize(
    ("response", "card"),
    [
        (page("<title> A\n page </title>"), Card("A page")),
        (
            page('<meta property="og:title" content="T &amp; U"><meta name="description" content="d">'
                 '<meta property="og:image" content="../i.png"><title>other</title>'),
            Card("T & U", "d", "https://page.example/i.png"),
        ),
        (page('<META NAME="twitter:title" CONTENT=Plain>'), Card("Plain")),
        (page("<title>Grüße</title>".encode("latin-1"), "text/html; charset=iso-8859-1"), Card("Grüße")),
        (page('<meta charset="windows-1252"><title>ü</title>'.encode("cp1252"), "text/html"), Card("ü")),
        (page("<title>x</title>", "text/html; charset=klingon"), Card("x")),
        (page(f"<title>{'x' * 999}</title>"), Card("x" * 299 + "…")),
        (page("<title>a\u202eb\x00c</title>"), Card("ab c")),
        *((page(f"<title>{joined}</title>"), Card(joined)) for joined in JOINED),
        (page("<title>\u2067a\u2069\u2028\ufeffb</title>"), Card("a b")),
        (page('<meta property="og:title" content="t"><meta property="og:image" content="javascript:1">'), Card("t")),
        (page("<title></title>"), None),
        (page("no head at all"), None),
        (page("<title>x</title>", status=404), None),
        (page(PNG, "image/png"), None),
        (page(b"\x1f\x8b\x08\x00garbage"), None),
        (page("<" * 5000 + "<title"), None),
    ],
)  # fmt: skip
async def test_a_card_is_read_from_the_head_of_a_page(response: FakeResponse, card: Card | None) -> None:
    assert await fetch_card(FakeHttp(lambda request: response), URL) == card


async def test_redirects_are_followed_a_few_times() -> None:
    def serve(request: Request) -> FakeResponse:
        step = int(request.path.strip("/") or 0)
        return page("<title>there</title>") if step == 3 else redirect(f"/{step + 1}")

    assert await fetch_card(FakeHttp(serve), "https://page.example/0") == Card("there")
    assert await fetch_card(FakeHttp(lambda request: redirect("/0")), URL) is None
    assert await fetch_card(FakeHttp(lambda request: redirect("file:///etc")), URL) is None


async def test_only_an_image_is_an_image() -> None:
    assert await fetch_image(FakeHttp(lambda request: page(PNG, "text/plain")), URL, 99) == (PNG, "image/png")
    assert await fetch_image(FakeHttp(lambda request: page("<svg/>", "image/svg+xml")), URL, 99) is None


ACCOUNT: dict[str, Any] = {"remote_id": DID, "secrets": {"accessJwt": "a", "refreshJwt": "r"}}


async def publish(page_of: Any, text: str, **rest: Any) -> dict[str, Any]:
    clock = Clock()
    pds = BlueskyServer(clock)

    def serve(request: Request) -> FakeResponse:
        return pds(request) if request.path.startswith("/xrpc/") else page_of(request)

    post = outgoing(text, **rest)
    outcome = await CONNECTORS["bluesky"].publish(session(FakeHttp(serve), clock, **ACCOUNT), post, MemoryJournal())
    assert isinstance(outcome, Published), outcome
    (record,) = pds.records.values()
    return dict(record)


def site(request: Request) -> FakeResponse:
    if request.path == "/i.png":
        return page(PNG, "image/png")
    return page('<title>Site</title><meta property="og:image" content="/i.png">')


async def test_the_first_address_of_a_text_gets_a_card_with_its_picture() -> None:
    external = (await publish(site, f"see {URL}. and https://other.example"))["embed"]["external"]
    assert (external["uri"], external["title"], external["thumb"]["mimeType"]) == (URL, "Site", "image/png")


async def test_a_card_can_be_declined_and_an_unreadable_page_gets_none() -> None:
    assert "embed" not in await publish(site, f"see {URL}", options={"linkCard": False})
    assert "embed" not in await publish(lambda request: page("", status=500), f"see {URL}")


async def test_own_words_win_over_the_page() -> None:
    external = (await publish(site, "see", link=URL, options={"linkCard": {"title": "Mine"}}))["embed"]["external"]
    assert (external["title"], "thumb" in external) == ("Mine", True)


@pytest.mark.parametrize("failure", [NotSent("x", stage="lookup"), MaybeSent("x"), TooLarge("x"), UnsafeUrl("x")])
async def test_no_failure_of_a_page_fails_the_post(failure: HttpFailure) -> None:
    def broken(request: Request) -> FakeResponse:
        raise failure

    record = await publish(broken, "see", link=URL)
    assert record["embed"]["external"] == {"uri": URL, "title": "page.example", "description": ""}
