"""Values from outside: text for people is cleaned and cut, an id, number or date that cannot be right is refused."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from signalpost.kit import foreign

MANY = ["x"] * 2_000


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("value", "line", "text"),
    [
        ("a\x00b", "a b", "a b"),
        ("\ud800x", "\ufffdx", "\ufffdx"),
        (" a \n\tb\r\x85\u2028c ", "a b c", " a \n\tb  \u2028c "),
        ("\u202eevil\u2066\ufeff", "evil", "evil"),
        ("\x1b[31m", "[31m", " [31m"),
        ("x" * 600, "x" * 499 + "…", "x" * 600),
        ("", "", ""), (None, "", ""), (7, "", ""), (["a"], "", ""), (b"a", "", ""),
    ],
)  # fmt: skip
def test_text_for_people_is_cleaned_and_cut(value: Any, line: str, text: str) -> None:
    assert foreign.line(value) == line
    assert foreign.text(value) == text
    assert foreign.line_or_none(value) == (line or None)


@pytest.mark.parametrize("value", ["did:plc:x", "42@mastodon.test", "a b", "é", "x" * 500])
def test_an_id_stays_as_it_is(value: str) -> None:
    assert foreign.identifier(value) == value


@pytest.mark.parametrize("value", ["", "a\x00", "\ud800", "x" * 501, "a\nb", None, 7, True, ["a"], b"a"])
def test_an_id_is_never_changed_or_cut(value: Any) -> None:
    """A part of an id, or an id without some of its characters, would be someone else's."""
    assert foreign.identifier(value) is None


@pytest.mark.parametrize(
    "value", ["javascript:alert(1)", "//x.test", "https://x.test/\x00", "https://" + "x" * 2_048, 7]
)
def test_an_address_that_no_browser_should_follow_is_refused(value: Any) -> None:
    assert foreign.url("https://x.test/a?b#c") == "https://x.test/a?b#c"
    assert foreign.url(value) is None


@pytest.mark.parametrize("value", [-1, 1 << 31, 10**30, True, 1.0, "7", None, float("nan")])
def test_a_number_out_of_range_is_refused(value: Any) -> None:
    assert foreign.integer((1 << 31) - 1) == (1 << 31) - 1
    assert foreign.integer(value) is None


def test_dates_are_of_this_century_and_have_a_zone() -> None:
    now = datetime(2026, 11, 22, tzinfo=UTC)

    assert foreign.instant(now) == now
    for value in (now.replace(tzinfo=None), now - timedelta(days=20_000), datetime.max.replace(tzinfo=UTC), 7, None):
        assert foreign.instant(value) is None


def test_seconds_are_bounded() -> None:
    assert [foreign.seconds(value, maximum=60) for value in (1, 0.5, 1e300, float("inf"))] == [1.0, 0.5, 60.0, 60.0]
    assert [foreign.seconds(value, maximum=60) for value in (-1, float("nan"), True, "1", None)] == [None] * 5


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ({"a\x00": ["b\x00", 1, True, None, 0.5]}, {"a": ["b ", 1, True, None, 0.5]}),
        (
            {"n": 10**30, "f": float("inf"), "nan": float("nan"), "o": object()},
            {"n": None, "f": None, "nan": None, "o": None},
        ),
        (deep(8), deep(8)),
        ("\ud800", "\ufffd"),
    ],
)
def test_json_is_cleaned_at_every_level(value: Any, cleaned: Any) -> None:
    assert foreign.json(value) == cleaned


@pytest.mark.parametrize(
    "value", [MANY, {"a": MANY, "b": MANY}, [MANY] * 50, deep(5_000), dict.fromkeys(map(str, MANY))]
)
def test_json_is_bounded(value: Any) -> None:
    assert len(msgspec.json.encode(foreign.json(value))) < 10_000
