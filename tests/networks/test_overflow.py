"""Where what does not fit into a post begins: at a character as readers see it, or an address counted as a whole."""

import pytest

from signalpost.networks import counting
from signalpost.networks.contract import TextRule

FAMILY, ACCENTED = "👩‍👩‍👧", "e\u0301"
ADDRESS = "https://example.com/" + "a" * 60
PLAIN = TextRule(max_length=5)
SHORTENED = TextRule(max_length=30, unit="weighted", url_length=23)
CASES = [
    (PLAIN, "abcde", None),
    (PLAIN, "abcdef", 5),
    (PLAIN, f"abcd{FAMILY}x", 4 + len(FAMILY)),
    (PLAIN, f"abcde{FAMILY}", 5),
    (PLAIN, ACCENTED * 6, 5 * len(ACCENTED)),
    (TextRule(max_length=5, unit="utf16"), f"ab{FAMILY}", 2),
    (TextRule(max_length=5, bytes_max=4), "ääx", 4 // 2),
    (SHORTENED, f"hello {ADDRESS}", None),
    (SHORTENED, f"hello {ADDRESS} yes", len(f"hello {ADDRESS} ")),
    (SHORTENED, f"hello, you: {ADDRESS}", len("hello, you: ")),
    (TextRule(max_length=6, mentions_count_local_part_only=True), "hi @mina@example.social", 3),
]


@pytest.mark.parametrize(("rule", "text", "at"), CASES)
def test_what_does_not_fit_begins_at_a_whole_character(rule: TextRule, text: str, at: int | None) -> None:
    assert counting.overflow(rule, text) == at
    assert (counting.overflow(rule, text) is None) == (
        counting.length(rule, text) <= rule.max_length and len(text.encode()) <= (rule.bytes_max or len(text.encode()))
    )


@pytest.mark.parametrize("rule", [PLAIN, SHORTENED, TextRule(max_length=3_000, unit="emoji_bytes")])
@pytest.mark.parametrize("text", ["x", FAMILY, ACCENTED, f"{ADDRESS} ", "@a@b.c "])
def test_of_a_very_long_text_the_same_place_is_found_as_of_its_beginning(rule: TextRule, text: str) -> None:
    long = text * (100_000 // len(text))
    at = counting.overflow(rule, long)

    assert at is not None
    assert counting.length(rule, long[:at]) <= rule.max_length
    assert counting.overflow(rule, long[: at + 10_000]) == at
