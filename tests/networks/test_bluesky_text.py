import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.counterparts import tools

from signalpost.networks.connectors.bluesky import rich_text
from signalpost.networks.counting import graphemes

TEXTS = [
    "plain",
    "https://example.com",
    "see https://example.com/a?b=1&c=2#d, then http://example.org.",
    "(https://example.com/a_(b)) and (https://example.com/c)",
    "https://example.com/ä/日本語?q=ü! end",
    "text:https://example.com no space before",
    "mail me@example.com, not @example",
    "@alice.test @bob.bsky.social. (@carol.test) @dave.test",
    "@eve.test's and @frank.test_x and @grace.test-",
    "#one #two, #three! #4 #5a #a5 #_ #-",
    "#日本語 #Fußball #café #naïve\u0301 #🎈 #👩‍👩‍👧 #️⃣",
    "\uff03full #a#b #c_d #e-f. #g... (#h)",
    "#" + "x" * 64 + " #" + "y" * 65,
    "#" + "👍🏽" * 64 + " #" + "👍🏽" * 65,
    "مرحبا #وسم بكم @alice.test https://example.com/مرحبا",
    "שלום #תג https://example.co.il",
    "e\u0301\u0323 #e\u0301tude 🇩🇪🇫🇷 #🇩🇪",
    "$TSLA and $brk, $TOOLONG $5 ($aapl) a$bc",
    "line\n#two\n@alice.test\nhttps://example.com\n",
    "zero\u200bwidth #tag\u200bmore #so\u00adft",
    "क्षि नमस्ते #हिन्दी ก็ #ไทย 한국어 #한국",
    "tab\t#tab\u00a0#nbsp \u3000#ideographic",
]

PIECES = [
    "a",
    "ä",
    "日",
    "🎈",
    "👩‍👩‍👧",
    "\n",
    "(",
    ")",
    ".",
    "#",
    "@",
    "$",
    "/",
    "5",
    " ",
    "https://a.b/",
    "#tag",
    "@a.test",
]


def facets_of(text: str) -> list[list[object]]:
    handles = {handle: handle for handle in rich_text.handles(text)}
    return [
        [
            facet["index"]["byteStart"],
            facet["index"]["byteEnd"],
            facet["features"][0]["$type"].split("#")[1],
            next(value for key, value in facet["features"][0].items() if key != "$type"),
        ]
        for facet in rich_text.facets_of(text, handles)
    ]


def test_it_finds_what_the_official_library_finds() -> None:
    """Same bytes, same kinds, same values, same length; the library is the one its own app uses."""
    script = tools.beside_packages("pds", Path(__file__).with_name("detect.mjs"))
    done = subprocess.run([tools.node(), script], input=json.dumps(TEXTS), capture_output=True, text=True, check=True)

    for text, official in zip(TEXTS, json.loads(done.stdout), strict=True):
        assert facets_of(text) == sorted(official["facets"]), text
        assert graphemes(text) == official["graphemes"], text


def test_a_url_needs_its_scheme() -> None:
    """`node.js` and `README.md` are not sites; the official app needs a list of all top level domains to guess."""
    assert rich_text.spans("see node.js and example.com") == []


def test_spans_do_not_overlap() -> None:
    assert [span.kind for span in rich_text.spans("https://a.b/(@alice.test and (@alice.test")] == ["link", "mention"]


def test_a_mention_without_a_did_stays_text() -> None:
    assert rich_text.facets_of("hi @nobody.test", {}) == []


@given(
    st.lists(
        st.sampled_from(
            [
                *["a", "ä", "日", "🎈", "👩\u200d👩\u200d👧", "\n", "(", ")", ".", "#", "@", "$", "/", "5"],
                " ",
                "https://a.b/",
                "#tag",
                "@a.test",
            ]
        )
    )
)
def test_facets_cut_the_text_where_the_span_says(pieces: list[str]) -> None:
    """Byte offsets always fall between characters, in order, without overlap, and hold the very text they mean."""
    text = "".join(pieces)
    handles = dict.fromkeys(rich_text.handles(text), "did:plc:x")
    end = 0
    for facet, span in zip(rich_text.facets_of(text, handles), rich_text.spans(text), strict=True):
        start, stop = facet["index"]["byteStart"], facet["index"]["byteEnd"]
        piece = text.encode()[start:stop].decode()
        assert start >= end
        assert piece == text[span.start : span.end]
        assert piece.casefold().endswith(span.value.removeprefix("$").casefold())
        end = stop


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    for facet in rich_text.facets_of(text, {}):
        piece = text.encode()[facet["index"]["byteStart"] : facet["index"]["byteEnd"]].decode()
        assert piece in text


@pytest.mark.parametrize(("text", "link"), [("a https://x.y/z. b https://q", "https://x.y/z"), ("none", None)])
def test_the_first_link(text: str, link: str | None) -> None:
    assert rich_text.first_link(text) == link
