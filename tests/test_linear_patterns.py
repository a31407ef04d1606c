"""Every pattern of every room takes time in proportion to the text, whatever the text is."""

import pytest
from tests.faults.scene import sizes
from tests.helpers.growth import require_linear
from tests.helpers.patterns import Pattern, all_patterns, look, patterns_in_place, texts

OUR_TEXTS = {"console.markdown": "guides of the package", "console.samples": "examples of the published document"}
"""Modules whose patterns never see a text of a stranger."""
PATTERNS = {
    pattern.name: pattern
    for pattern in (*all_patterns(), *patterns_in_place())
    if pattern.name.partition(": ")[0] not in OUR_TEXTS
}
BOUNDED: dict[str, tuple[int, str]] = {
    "networks.connectors.bluesky.rich_text._HANDLE": (253, "HANDLE_LENGTH_MAX"),
}
"""Patterns that may read a part of the text again: the longest text that they see, and what bounds it."""


@pytest.mark.slow
@sizes("size", quick=5_000, heavy=20_000)
@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_a_pattern_takes_time_in_proportion_to_the_text(pattern: Pattern, size: int) -> None:
    size = min(size, pattern.length_max or BOUNDED.get(pattern.name, (size, ""))[0])
    for method in {"findall" if method in ("finditer", "sub", "subn") else method for method in pattern.looks}:
        for name, text_of in texts(pattern.compiled, each_max=3 if size < 20_000 else 100):
            try:
                require_linear(look(pattern, method), text_of, size, ratio_max=6)
            except AssertionError as failure:
                raise AssertionError(f"{pattern.name}.{method}, {name}: {failure}") from None


def test_only_patterns_that_exist_are_bounded_by_others() -> None:
    assert set(BOUNDED) <= set(PATTERNS)
    assert {pattern.name.partition(": ")[0] for pattern in patterns_in_place()} > OUR_TEXTS.keys()
