"""Everything that looks at the text of a user or of a server takes time in proportion to its length."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from tests.faults.scene import sizes
from tests.helpers.growth import require_linear

from signalpost.conformance.harness import outgoing
from signalpost.kit.http import Response
from signalpost.kit.unicode import nfc
from signalpost.networks import CONNECTORS, opengraph, preflight, responses
from signalpost.networks.connectors import sandbox
from signalpost.networks.connectors.bluesky import rich_text
from signalpost.networks.connectors.bluesky.calls import expires_at
from signalpost.networks.connectors.mastodon.find import fingerprint_of_html
from signalpost.networks.contract import ApiError, TextRule
from signalpost.networks.counting import length

# fmt: off
REPEATED = (
    "a", "é", " ", "\0", "\u0301", "\u0316\u0301", "👩\u200d", "❤\ufe0f", "🇩", "🇩🇪", "🇩\u0301", "\u0600",
    "\u0600🇩", "क\u094d", "क\u094d\u200d", "\u1100", "\u1100\u1161", "\r\n", ".", "-", "(", "@", "@a", "@a.",
    "@a-", " @a@", "@a@-", "#", "#a", " #.", " #1", "$A ", "https://", "https://a.", "https://a.b/(",
    "https://a.b/()", "https://a.b/. ", "http://a-", "eyJ", "eyJ.", "bearer ", 'token":"abc', "[", "[[",
    "[[fail:", "[[slow:1]]", "<", "<a ", "<a b=", '<a b="', "<a b='\"", "</", "<!", "<!--", "<![", "<![<p>",
    "<?", "<!doctype [<!", "<meta ", "<meta name=a content=b>", '<meta a="', "<title>", "<script>",
    "<noscript>", "&", "&#", "&a", "&#9", "&ampa", "[[]],", "{}", '"a":', "1e308,",
)
LED = (
    ("a", "\u0301"), ("@a", "."), ("@a@a", "-"), ("@", "a"), ("#", "."), ("#", "1"), ("#a", "."), ("#", ".a"),
    ("bearer", " "), ("<title>", "<"), ("<title>&#", "9"), ("<!--", "-"), ("<a", " b"), ("<meta ", "a "),
    ("<meta ", "a=b "), ("<meta ", "/"), ("<script>", "</scrip"), ("https://", "a"), ("https://", "a."),
    ("https://a.b/", "."), ("https://a.b/", "(a"), ("https://a.b/(", "a"), ("[", "["), ('"', "\\u00e9"),
    ("0.", "1"), ("&#", "9"), ("&", "a"),
)
# fmt: on


def _led(first: str, rest: str) -> Callable[[int], str]:
    return lambda size: (first + rest * size)[:size]


TEXTS = {
    **{f"{text!r}*": _led("", text) for text in REPEATED},
    **{f"{first!r}+{rest!r}*": _led(first, rest) for first, rest in LED},
    "marks sorted the wrong way": lambda size: "a" + "\u0301" * (size // 2) + "\u0316" * (size // 2),
    "tag with a letter at its end": lambda size: "#a" + "." * size + "b",
    "thirty marks, often": lambda size: ("a" + "\u0316\u0301" * 15) * (size // 31),
}

_fresh = count()
URLS = TextRule(max_length=500, url_length=23, mentions_count_local_part_only=True)
WEIGHTED = TextRule(max_length=280, unit="weighted", url_length=23)


def _uncached(rule: TextRule) -> Callable[[str], int]:
    """Count as for a text that was not counted before."""
    return lambda text: length(rule, text + str(next(_fresh)))


def _response(text: str) -> Response:
    return Response(400, {"Retry-After": text[:8000]}, text.encode("utf-8", "replace"), 0)


def _explain(key: str) -> Callable[[str], object]:
    connector = CONNECTORS[key]
    return lambda text: connector.explain(ApiError(_response(text), "POST /x"))


def _facets(text: str) -> object:
    return rich_text.facets_of(text, {})


def _preflight(text: str) -> object:
    post = outgoing(text + str(next(_fresh)))
    return [preflight.check(connector, post, {}) for connector in CONNECTORS.values()]


LOOKS: dict[str, Callable[[str], Any]] = {
    "count": _uncached(TextRule(max_length=1)),
    "count with addresses": _uncached(URLS),
    "count weighted": _uncached(WEIGHTED),
    "normalize": nfc,
    "preflight": _preflight,
    "facets": _facets,
    "markers": sandbox._markers,
    "fingerprint": fingerprint_of_html,
    "redact": responses.redacted,
    "head": opengraph._read_head,
    "page": lambda text: opengraph._text(_response(text)),
    "claims": lambda text: expires_at(f"x.{text}.y"),
    "wait": lambda text: responses.wait_seconds(_response(text)),
    **{f"explain {key}": _explain(key) for key in CONNECTORS},
}


@pytest.mark.slow
@sizes("size", quick=20_000, heavy=60_000)
@pytest.mark.parametrize("text_of", TEXTS.values(), ids=TEXTS)
def test_no_text_takes_quadratic_time(text_of: Callable[[int], str], size: int) -> None:
    for name, look in LOOKS.items():
        try:
            require_linear(look, text_of, size)
        except AssertionError as failure:
            raise AssertionError(f"{name}: {failure}") from None


CHARSETS = (
    "utf-8", "utf-16", "utf-16le", "us-ascii", "iso-8859-1", "windows-1252", "koi8-r", "mbcs", "shift_jis",
    "euc-jp", "iso-2022-jp", "gb18030", "big5", "idna", "punycode", "undefined", "unicode_escape", "rot13",
    "zip", "utf-7", "iso-8859-12", "klingon",
)  # fmt: skip


@pytest.mark.parametrize("charset", CHARSETS)
@pytest.mark.parametrize("piece", [b"\xff", b"\x81", b"\x1b$B\x80", b"\xa4\xa2", b"\\u", b"\x00\xd8", b"xn--a."])
def test_a_page_is_decoded_by_every_charset_that_it_names(charset: str, piece: bytes) -> None:
    body = b"<title>x</title>" + piece * 20_000
    response = Response(200, {"Content-Type": f"text/html; charset={charset}"}, body, 0)
    assert opengraph._text(response)


@pytest.mark.parametrize(
    "body",
    [b"[" * 1_000_000, b'{"a":' * 100_000, b"[[]]," * 200_000, b"[" + b"1e308," * 150_000 + b"1]", b"9" * 900_000],
)
def test_json_that_costs_more_than_it_is_worth_is_not_read(body: bytes) -> None:
    assert responses.members(Response(200, {}, body, 0)) == {}


@pytest.mark.parametrize(
    "value",
    [7, None, "", "a\0b", "x" * 10_000, ["a"], {"a": 1}, True, 1e308],
)
def test_a_member_that_cannot_be_stored_is_not_a_string(value: object) -> None:
    assert responses.string(value) is None


@pytest.mark.parametrize(
    ("value", "number"), [(7, 7), (0, 0), (True, None), (-1, None), (1 << 31, None), ("7", None), (1.5, None)]
)
def test_a_number_fits_a_column(value: object, number: int | None) -> None:
    assert responses.number(value) == number
