"""Records of decisions say whether they hold, what they change and whom they concern, in a form that can be read."""

import re
from pathlib import Path
from typing import Final

import pytest
from tests.counterparts.tools import CHECKOUT

FOLDER: Final = CHECKOUT / "docs" / "decisions"
RECORDS: Final = {path.name[:4]: path for path in sorted(FOLDER.glob("*.md"))}
LINES_MAX: Final = 60
WIDTH_MAX: Final = 130
OUTSIDE: Final = {"bench", "build", "clients", "docs", "simulator", "tests"}
"""What is not a package of `src/signalpost` and has decisions."""
BACK: Final = {
    "amends": "amended by",
    "amended by": "amends",
    "supersedes": "superseded by",
    "superseded by": "supersedes",
}
_LINK: Final = re.compile(r"\[(\d{4})\]\(([^)]+)\)")
every_record = pytest.mark.parametrize("path", RECORDS.values(), ids=RECORDS)


def relations(path: Path) -> dict[str, list[str]]:
    """Return what the status of a record says: `accepted` without records, and each relation with theirs."""
    status = path.read_text(encoding="utf-8").splitlines()[2]
    found = re.fullmatch(r"- Status: (.+)\.", status)
    assert found, f"{path.name}: the third line is `- Status: accepted.`, perhaps with `; amends [0001](0001-name.md)`"
    said: dict[str, list[str]] = {}
    for part in found[1].split("; "):
        verb = part.partition(" [")[0]
        links = _LINK.findall(part)
        assert verb in {"accepted", *BACK}, f"{path.name}: {verb}"
        assert [RECORDS[number].name for number, _ in links] == [name for _, name in links]
        said[verb] = [number for number, _ in links]
    return said


def test_numbers_are_given_once() -> None:
    assert len(RECORDS) == len(list(FOLDER.iterdir()))


@every_record
def test_a_record_has_a_title_a_status_and_rooms(path: Path) -> None:
    title, blank, _, rooms, *_ = path.read_text(encoding="utf-8").splitlines()
    said = relations(path)

    assert re.fullmatch(rf"# {path.name[:4]}: .+[^.]", title)
    assert blank == ""
    assert ("accepted" in said) != ("superseded by" in said)
    assert ("superseded by" in said) == path.name[5:].startswith("superseded-")
    named = re.findall(r"`(\w+)`", rooms)
    assert rooms == f"- Rooms: {', '.join(f'`{room}`' for room in named)}."
    assert named
    assert {room for room in named if not (CHECKOUT / "src" / "signalpost" / room).is_dir()} <= OUTSIDE


@every_record
def test_a_record_is_short(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()

    assert len(lines) <= LINES_MAX
    whole = ("|", "- Status: ", "```")  # rows of tables and the list of links cannot be broken
    assert [line for line in lines if len(line) > WIDTH_MAX and not line.startswith(whole)] == []


def test_amendments_point_both_ways() -> None:
    said = {
        (number, verb, other)
        for number, path in RECORDS.items()
        for verb, others in relations(path).items()
        for other in others
    }
    assert {(number, verb, other) for number, verb, other in said if (other, BACK[verb], number) not in said} == set()


def test_decisions_that_the_code_names_are_there() -> None:
    """As `decision 0123` at a line that looks as if it could be simpler."""
    named: dict[str, list[str]] = {}
    for path in [*(CHECKOUT / "src").rglob("*.py"), *(CHECKOUT / "src").rglob("*.sql")]:
        for number in re.findall(r"\bdecision (\d{4})\b", path.read_text(encoding="utf-8")):
            named.setdefault(number, []).append(path.name)
    assert {number: files for number, files in named.items() if number not in RECORDS} == {}
    assert len(named) >= POINTERS_MIN


POINTERS_MIN: Final = 15
"""A record that nothing points at is not found by whoever is about to undo it."""
