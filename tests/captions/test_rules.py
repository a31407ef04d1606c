"""Captions by rules: what fits, what is cut and where, and what is never cut."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.growth import require_linear

from signalpost.captions import rules
from signalpost.captions.markup import without_markup
from signalpost.captions.rules import Caption, Source
from signalpost.captions.units import Unit, joined, pieces_of, units_of
from signalpost.networks import CONNECTORS
from signalpost.networks.contract import Facts, TextRule
from signalpost.networks.counting import clusters, graphemes
from signalpost.posts.documents import Utm

BLUESKY, MASTODON = CONNECTORS["bluesky"].facts, CONNECTORS["mastodon"].facts
SINGLE = replace(BLUESKY, key="single", name="Single", thread_parts_max=0)
FAMILY = "\U0001f469‍\U0001f469‍\U0001f467"
LINK = "https://example.com/menu?a=1&b=(2)"


def allowing(length: int, **rule: object) -> Facts:
    """A network without threads that allows texts of this length."""
    return replace(SINGLE, text=TextRule(max_length=length, **rule))  # type: ignore[arg-type] # rules by name


def caption(facts: Facts, text: str, **source: object) -> Caption:
    return rules.captions_of(facts, Source(text, **source), 1)[0]  # type: ignore[arg-type] # members by name


def codes(notes: list[rules.Note]) -> list[str]:
    return [note.code for note in notes]


@pytest.mark.parametrize(
    ("length", "text", "result"),
    [
        (40, "Hello world.", "Hello world."),
        (40, "One two three. Four five six. Seven eight nine ten.", "One two three. Four five six."),
        (30, "He met Dr. Smith in the U.S. and they talked about it.", "He met Dr. Smith in the U.S.…"),
        (24, "Yes. And then nothing that ends soon enough to be cut.", "Yes. And then nothing…"),
        (20, "It costs 3.50 euros now, which is too much.", "It costs 3.50 euros…"),
        (12, "今日は晴れです。明日は雨でしょう。", "今日は晴れです。"),
        (9, "「東京」へ行きました、それから京都へ", "「東京」へ行きま…"),
        (16, "هل وصلت؟ نعم وصلت إلى البيت", "هل وصلت؟"),
        (14, "שלום עולם. מה שלומך היום?", "שלום עולם."),
        (15, "यह पहला है। यह दूसरा वाक्य है।", "यह पहला है।"),
        (5, FAMILY * 8, FAMILY * 4 + "…"),
        (6, "🇩🇪🇫🇷🇮🇹🇪🇸🇵🇹🇳🇱🇧🇪", "🇩🇪🇫🇷🇮🇹🇪🇸🇵🇹…"),
        (3, "नमस्ते", "नमस्ते"),
        (10, "x" * 5_000, "x" * 9 + "…"),
        (60, f"Read it here: {LINK}. " + "And so on, and so forth. " * 5, f"Read it here: {LINK}."),
        (64, "A first sentence. " + "And so on, and so forth. " * 5 + LINK, f"A first sentence.\n\n{LINK}"),
        (30, "One line of it\nAnother line of the text that is long", "One line of it"),
        (25, "Thank you, @ada.example.com, for all of this", "Thank you…"),
    ],
)
def test_a_text_is_cut_where_a_reader_would(length: int, text: str, result: str) -> None:
    made = caption(allowing(length), text)

    assert made.text == result
    assert graphemes(made.text) <= length
    assert ("shortened" in codes(made.changes)) == (result != text)


def test_without_keep_links_a_link_goes_with_its_text() -> None:
    text = "A first sentence. " + "And so on, and so forth. " * 5 + LINK

    assert caption(allowing(64), text, keep_links=False).text == "A first sentence. And so on, and so forth."
    assert LINK in caption(allowing(64), text).text


def test_links_that_do_not_fit_are_reported() -> None:
    links = [f"https://example.com/{number:020}" for number in range(5)]
    made = caption(allowing(100), "A word or two before them. " * 5 + " ".join(links))

    assert links[0] in made.text
    assert links[4] not in made.text
    assert codes(made.warnings) == ["links_removed"]


def test_a_link_longer_than_a_post_is_not_cut() -> None:
    link = "https://example.com/" + "a" * 400
    for facts in (SINGLE, BLUESKY):
        made = caption(facts, f"Look at {link}")
        assert all(link in text or "https" not in text for text in (made.text, *made.thread))
        assert link in made.text + " ".join(made.thread) or "links_removed" in codes(made.warnings)
    alone = caption(SINGLE, link)
    assert alone.text == link
    assert not rules.fits(SINGLE, Source(link), alone)


def test_a_long_text_becomes_a_thread_where_there_are_threads() -> None:
    sentences = [f"Sentence number {number} is about the spring menu of our bakery." for number in range(30)]
    made = caption(BLUESKY, " ".join(sentences))
    parts = [made.text, *made.thread]

    assert " ".join(parts) == " ".join(sentences)
    assert all(part.endswith(".") and graphemes(part) <= 300 for part in parts)
    assert codes(made.changes) == ["split"]
    assert made.warnings == []


def test_a_thread_is_cut_at_paragraphs_first() -> None:
    first, second = "A sentence. " * 20, "Another sentence. " * 10
    made = caption(BLUESKY, f"{first}\n\n{second}")

    assert [made.text, *made.thread] == [first.strip(), second.strip()]


def test_a_thread_longer_than_the_network_allows_says_what_is_left_out() -> None:
    made = caption(replace(BLUESKY, thread_parts_max=3), "A sentence of some words. " * 100)

    assert len(made.thread) == 2
    assert codes(made.warnings) == ["text_left_out"]


def test_every_network_counts_its_own_way() -> None:
    """Mastodon counts a link as 23 characters and a remote mention without its server."""
    text = "@ada@a-server-with-a-long-name.example " + "https://example.com/" + "a" * 440 + " " + "word " * 80

    assert caption(MASTODON, text).thread == []
    assert caption(BLUESKY, text).thread != []


def test_bytes_count_too() -> None:
    """300 families are 5,400 bytes; Bluesky stores 3,000."""
    made = caption(BLUESKY, FAMILY * 300)

    parts = [made.text, *made.thread]
    assert "".join(parts) == FAMILY * 300
    assert all(len(part.encode()) <= 3_000 for part in parts)


def test_the_link_of_a_post_is_counted() -> None:
    """It is added when the post is sent."""
    source = Source("word " * 8, link="https://example.com/a", has_media=True)
    made = rules.captions_of(allowing(40), source, 1)[0]

    assert made.text == "word word word…"
    assert rules.fits(allowing(40), source, made)


def test_campaign_parameters_of_a_post_are_counted() -> None:
    """They are added when it is sent: `?utm_source=single` to each link."""
    source = Source("A first sentence. Read https://example.com/a and https://example.com/b today.", utm=Utm())
    made = rules.captions_of(allowing(80), source, 1)[0]
    untracked = rules.captions_of(allowing(80), Source(source.text), 1)[0]

    assert untracked.text == source.text
    assert made.text != source.text
    assert max(map(graphemes, rules.sent(allowing(80), source, made))) <= 80


@pytest.mark.parametrize(
    ("source", "text", "hashtags", "changes"),
    [
        (Source("#a #b\n\nHello."), "Hello.\n\n#a #b", ["#a", "#b"], ["hashtags_moved"]),
        (Source("Hello. #a #b"), "Hello. #a #b", ["#a", "#b"], []),
        (Source("I love #coffee"), "I love #coffee", ["#coffee"], []),
        (Source("Hello.\n\n#a #A #b"), "Hello.\n\n#a #b", ["#a", "#b"], ["hashtags_removed"]),
        (Source("Hello. #a #b #c", hashtags_max=2), "Hello. #a #b", ["#a", "#b"], ["hashtags_removed"]),
        (Source("A #x and #y. #z", hashtags_max=1), "A #x and y.", ["#x"], ["hashtags_removed"]),
        (Source("Hello.", default_hashtags=["bakery", "#Spring"]), "Hello.\n\n#bakery #Spring", ["#bakery", "#Spring"],
         ["hashtags_added"]),
        (Source("Hello #Bakery.", default_hashtags=["#bakery"]), "Hello #Bakery.", ["#Bakery"], []),
        (Source("Hello. #a", default_hashtags=["#b"], hashtags_max=1), "Hello. #a", ["#a"], []),
        (Source("今日は #晴れ です"), "今日は #晴れ です", ["#晴れ"], []),
        (Source("#a"), "#a", ["#a"], []),
        (Source("We are #1"), "We are #1", [], []),
    ],
)  # fmt: skip
def test_hashtags(source: Source, text: str, hashtags: list[str], changes: list[str]) -> None:
    made = rules.captions_of(BLUESKY, source, 1)[0]

    assert (made.text, sorted(made.hashtags), codes(made.changes)) == (text, sorted(hashtags), changes)


def test_hashtags_stand_in_the_first_part_of_a_thread() -> None:
    made = caption(BLUESKY, "A sentence of some words. " * 30 + "\n\n#a #b")

    assert made.text.endswith("words.\n\n#a #b")
    assert not any("#" in part for part in made.thread)


def test_hashtags_of_the_profile_never_cost_text() -> None:
    text = "x" * 290
    assert caption(BLUESKY, text, default_hashtags=["#averylonghashtag"]).text == text


@pytest.mark.parametrize(
    ("markup", "plain"),
    [
        ("**Bold** and *it* and __that__ and ~~no~~ `code`", "Bold and it and that and no code"),
        ("[our menu](https://example.com/m)", "our menu https://example.com/m"),
        ("![a cat](https://example.com/c.jpg)", "a cat https://example.com/c.jpg"),
        ("## News\nText", "News\nText"),
        ("<p>One</p><b>two</b><br/>three", "One\ntwo\nthree"),
        ("Fish &amp; chips &lt;3", "Fish & chips <3"),
        ("I <3 you, 2*3*4, snake_case_name, a < b > c", "I <3 you, 2*3*4, snake_case_name, a < b > c"),
        (
            "https://example.com/__init__.py and @under_score_ stay_",
            "https://example.com/__init__.py and @under_score_ stay_",
        ),
        ("* a list\n* of things", "* a list\n* of things"),
        ("[[ok]] [not a link] (or this)", "[[ok]] [not a link] (or this)"),
        ("a\u202eb\u2066c\u0000d", "abcd"),
        ("**太字**の", "太字の"),
        ("&amp;lt;b&amp;gt;", "&lt;b&gt;"),
    ],
)
def test_markup_that_would_be_shown_is_removed(markup: str, plain: str) -> None:
    assert without_markup(markup) == plain


def test_variants_differ() -> None:
    text = "A first sentence. " + "And then some more of it. " * 20 + "\n\n#a #b"
    made = rules.captions_of(BLUESKY, Source(text), 3)

    assert len({(each.text, *each.thread) for each in made}) == 3
    assert made[0].thread
    assert all(rules.fits(BLUESKY, Source(text), each) for each in made)


def test_there_are_no_more_variants_than_differ() -> None:
    assert len(rules.captions_of(BLUESKY, Source("Hello."), 3)) == 1


def test_a_title_is_kept_where_there_are_titles() -> None:
    titled = replace(SINGLE, title=TextRule(max_length=10))

    assert caption(titled, "x", title="A **long** title of a post").title == "A long ti…"
    assert caption(titled, "x", title="Short").title == "Short"
    without = caption(SINGLE, "x", title="Short")
    assert (without.title, codes(without.changes)) == (None, ["title_left_out"])


WORDS = st.sampled_from(
    [
        *("word", "Satz.", "#tag ", "@ada.test", "@ada@b.test", "https://a.test/b", "東京タワー", "「鍵」。", "مرحبا"),
        *(FAMILY, "🇩🇪🇫🇷", "e\u0301\u0301", "한국어", "นี่คือ", "\n\n", "\n", "**", "_", "<b>", "x" * 60),
        *("#東京 ", "ｶﾞ", "(https://a.test/(b))"),
    ]
)


@settings(max_examples=150)
@given(
    words=st.lists(st.tuples(WORDS, st.sampled_from([" ", "", "\n"])), max_size=60),
    length=st.integers(min_value=1, max_value=60),
    threads=st.booleans(),
    tags_max=st.none() | st.integers(min_value=0, max_value=3),
    unit=st.sampled_from(["grapheme", "code_point", "utf16", "weighted"]),
)
def test_nothing_is_cut_inside_and_all_that_can_fit_fits(
    words: list[tuple[str, str]], length: int, threads: bool, tags_max: int | None, unit: str
) -> None:
    text = "".join(word + space for word, space in words)
    facts = replace(allowing(length, unit=unit), thread_parts_max=5 if threads else 0)
    source = Source(text, hashtags_max=tags_max)
    plain = without_markup(text)
    units = units_of(plain)
    characters = set(clusters(plain)) | set(clusters("…\n #" + plain.replace("#", "")))
    atoms = {atom for unit_ in units for atom in (*unit_.links, *unit_.mentions)}

    for made in rules.captions_of(facts, source, 3):
        parts = [made.text, *made.thread]
        assert rules.fits(facts, source, made) or _is_too_large(facts, units)
        for part in parts:
            assert set(clusters(part)) <= characters
            assert {atom for unit_ in units_of(part) for atom in (*unit_.links, *unit_.mentions)} <= atoms
        if tags_max is not None:
            assert len(made.hashtags) <= tags_max


def _is_too_large(facts: Facts, units: list[Unit]) -> bool:
    """Whether a single link, mention, tag or character is more than a whole post."""
    pieces = [piece for unit in units for piece in ([unit] if unit.is_whole else pieces_of(unit))]
    return any(not rules._holds(facts.text, joined([piece]) + "…") for piece in pieces)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["a", "a ", "a. ", "東", "🇩🇪", FAMILY, "\u0301", "#a ", "#", "@a ", "@a@", "https://", "https://a.b/ ", "[a](", "[",
     "*a", "**a** ", "_a_", "`", "<", "<b ", "&amp;", "\n", "\n\na", "# a\n", "ｶﾞ", "https://a.b/......", "#1",
     "(", "…"],
)  # fmt: skip
def test_a_text_takes_time_in_proportion_to_its_length(text: str) -> None:
    short = replace(allowing(20, url_length=23), thread_parts_max=5)  # so that no length fits

    def rewrite(value: str) -> None:
        rules._prepared.cache_clear()
        rules.captions_of(short, Source(value), 3)

    require_linear(rewrite, lambda size: text * (size // len(text)), 8_000)


MANY_TAGS = "hello world.\n\n" + " ".join(f"#\u00e9{number:x}" for number in range(9_000))


@pytest.mark.parametrize("key", ["x", "mastodon"])
@pytest.mark.parametrize("hashtags_max", [None, 5])
@pytest.mark.parametrize(
    "text",
    ["\u4e2d" + "\u201c" * 24_000, MANY_TAGS, MANY_TAGS.replace(" #", ",#")],
    ids=["opening marks", "hashtags at the end", "hashtags without spaces"],
)
def test_what_once_took_minutes_takes_time_in_proportion(key: str, hashtags_max: int | None, text: str) -> None:
    facts = CONNECTORS[key].facts

    def rewrite(value: str) -> None:
        rules._prepared.cache_clear()
        rules.captions_of(facts, Source(value, hashtags_max=hashtags_max), 3)

    require_linear(rewrite, lambda size: text[:size], 24_000, ratio_max=6, steps=(1,))


def test_a_long_run_of_opening_marks_loses_nothing() -> None:
    text = "\u4e2d" + "\u201c" * 40 + "\u4e2d\u300c\u6771"
    assert joined(units_of(text)) == text
