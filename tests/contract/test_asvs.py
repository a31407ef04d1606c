"""The table of ASVS is whole: each requirement once, in order, with a state and what shows it."""

import re

from tests.counterparts.tools import CHECKOUT

PAGE = CHECKOUT / "docs" / "security" / "asvs.md"
CHAPTERS = 17
SECTIONS = {
    1: {1: 2, 2: 9, 3: 11, 4: 3, 5: 2},
    2: {1: 3, 2: 3, 3: 4, 4: 1},
    3: {2: 2, 3: 4, 4: 6, 5: 5, 7: 2},
    4: {1: 3, 2: 1, 3: 2, 4: 4},
    5: {1: 1, 2: 3, 3: 2, 4: 3},
    6: {1: 3, 2: 12, 3: 4, 4: 4, 5: 5, 6: 3, 8: 4},
    7: {1: 3, 2: 4, 3: 2, 4: 5, 5: 2, 6: 2},
    8: {1: 2, 2: 3, 3: 1, 4: 1},
    9: {1: 3, 2: 4},
    10: {1: 2, 2: 2, 3: 4, 4: 11, 5: 5, 6: 2, 7: 3},
    11: {1: 2, 2: 3, 3: 3, 4: 4, 5: 1, 6: 1},
    12: {1: 3, 2: 2, 3: 4},
    13: {1: 1, 2: 5, 3: 2, 4: 5},
    14: {1: 2, 2: 4, 3: 3},
    15: {1: 3, 2: 3, 3: 7},
    16: {1: 1, 2: 5, 3: 4, 4: 3, 5: 3},
    17: {1: 1, 2: 4, 3: 2},
}
"""How many requirements of levels 1 and 2 each section of version 5.0.0 has, by chapter; numbers have no gaps."""


def test_each_requirement_has_a_state_and_what_shows_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+)\.(\d+)\.(\d+) \| (.+?) \| (met|no|open) \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) == text.count("\n| ") - CHAPTERS  # nothing but rows, and the head of each chapter
    numbers = [tuple(map(int, row[:3])) for row in rows]
    assert numbers == sorted(set(numbers))
    assert set(numbers) == {
        (chapter, section, number)
        for chapter, sections in SECTIONS.items()
        for section, count in sections.items()
        for number in range(1, count + 1)
    }
    assert len(SECTIONS) == CHAPTERS
    counts = {state: sum(row[4] == state for row in rows) for state in ("met", "open", "no")}
    assert f"{counts['met']} met, {counts['open']} open, {counts['no']} do not apply." in text

    for *number, _, state, where in rows:
        links = re.findall(r"\]\(([^)]+)\)", where)
        assert bool(links) == (state == "met"), number
        for link in links:
            assert (PAGE.parent / link).is_file(), (number, link)
