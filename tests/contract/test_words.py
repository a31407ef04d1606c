"""One word for one meaning: the words in the second table of `docs/glossary.md` are not used."""

import ast
import functools
import io
import json
import os
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.counterparts import tools
from tests.counterparts.tools import CHECKOUT

GLOSSARY = CHECKOUT / "docs" / "glossary.md"
MODULES = [
    *(path for path in CHECKOUT.glob("src/**/*.py") if "versions" not in path.parts),  # revisions are never edited
    *(path for path in CHECKOUT.glob("clients/**/*.py") if "_generated" not in path.parts),  # texts of the reference
    *CHECKOUT.glob("scripts/generate-docs"),
]
TEXTS = [
    *(page for page in (*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md")) if page != GLOSSARY),
    *CHECKOUT.glob("clients/*/*.md"),
    *CHECKOUT.glob("src/**/*.html"),
]
SCRIPTS = [
    path
    for pattern in ("src/**/*.js", "scripts/**/*.mjs", "tests/**/*.js", "tests/**/*.mjs")
    for path in CHECKOUT.glob(pattern)
    if not {"vendor", "bundle"} & {*path.relative_to(CHECKOUT).parts}
]
_ROW = re.compile(r"^\| (?P<words>`.+?) \| (?P<instead>.+) \| (?P<where>everywhere|names) \|$", re.MULTILINE)


def unused(where: str) -> list[str]:
    """Return the words of the table that are checked there."""
    rows = [row for row in _ROW.finditer(GLOSSARY.read_text()) if row["where"] == where]
    return sorted(word for row in rows for word in re.findall(r"`([^`]+)`", row["words"]))


def pattern(word: str) -> str:
    """Match a word in any case, unless the table writes it with a capital."""
    return f"(?i:{word})" if word.islower() else word


EVERYWHERE = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(map(pattern, unused('everywhere')))})(?! longer)(?![A-Za-z])")
NAMES = set(unused("names"))


def instead_of(use: str) -> str:
    """Return what the table says in place of a word, as it was found."""
    rows = _ROW.finditer(GLOSSARY.read_text())
    return next(
        row["instead"]
        for row in rows
        for word in re.findall(r"`([^`]+)`", row["words"])
        if re.fullmatch(pattern(word), use)
    )


def spaced(name: str) -> str:
    """Return `load_UserKeys` as `load User Keys`, so that its parts are words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name)


def tokens(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of names, strings and comments."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], spaced(token.string)
        elif token.type in (tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)):
            yield token.start[0], token.string


def definitions(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, name) of every variable, parameter, function and class, without leading underscores."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id.lstrip("_")
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg.lstrip("_")
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name.lstrip("_")


def in_module(source: str) -> Iterator[str]:
    """Yield every use of an unused word in Python source as `line: word`."""
    for line, text in tokens(source):
        for match in EVERYWHERE.finditer(text):
            yield f"{line + text.count(chr(10), 0, match.start())}: {match[0]}"
    yield from (f"{line}: {name}" for line, name in definitions(source) if name in NAMES)


@functools.cache
def words_of(*scripts: Path) -> dict[str, dict[str, list[tuple[int, str]]]]:
    """Read JavaScript in one process: `texts` (names, strings, comments, templates) and declared `names` of each file.

    Of a catalog of translations, only the English texts are read.
    """
    done = subprocess.run(
        [tools.node(), CHECKOUT / "scripts" / "javascript" / "words.mjs", *scripts],
        env=os.environ | {"CONSOLE_TOOLS": str(tools.node_packages("console"))},
        capture_output=True,
        text=True,
        check=True,
    )
    words: dict[str, dict[str, list[tuple[int, str]]]] = json.loads(done.stdout)
    return words


def in_script(words: dict[str, list[tuple[int, str]]]) -> Iterator[str]:
    """Yield every use of an unused word in JavaScript as `line: word`."""
    for line, text in words["texts"]:
        for match in EVERYWHERE.finditer(spaced(text)):
            yield f"{line + spaced(text).count(chr(10), 0, match.start())}: {match[0]}"
    yield from (f"{line}: {name}" for line, name in words["names"] if name.lstrip("_") in NAMES)


def in_text(text: str) -> Iterator[str]:
    """Yield every use of an unused word in prose as `line: word`."""
    for number, line in enumerate(text.splitlines(), 1):
        yield from (f"{number}: {match[0]}" for match in EVERYWHERE.finditer(line))


def test_no_file_holds_both_sides_of_a_merge() -> None:
    marks = re.compile(r"^(<{7} |>{7} )", re.MULTILINE)
    assert [path for path in (*MODULES, *TEXTS, *SCRIPTS) if marks.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.xdist_group("words")  # all scripts are read by one process
@pytest.mark.parametrize(
    "folder", sorted({path.parent for path in (*MODULES, *TEXTS, *SCRIPTS)}), ids=lambda path: path.name
)
def test_plain_words_are_used(folder: Path) -> None:
    uses = [f"{path.name}:{use}" for path in MODULES if path.parent == folder for use in in_module(path.read_text())]
    uses += [f"{path.name}:{use}" for path in TEXTS if path.parent == folder for use in in_text(path.read_text())]
    scripts = [path for path in SCRIPTS if path.parent == folder]
    uses += [f"{path.name}:{use}" for path in scripts for use in in_script(words_of(*SCRIPTS)[str(path)])]

    assert [f"{use} (docs/glossary.md: {instead_of(use.rpartition(': ')[2])})" for use in uses] == []


def test_the_places_of_the_glossary_exist() -> None:
    used, _, _ = GLOSSARY.read_text().partition("## Words we do not use")
    places = [
        place for row in re.findall(r"\| ([^|]+) \|$", used, re.MULTILINE) for place in re.findall(r"`([^`]+)`", row)
    ]
    folders = (CHECKOUT, CHECKOUT / "src" / "signalpost")
    missing = [
        place
        for place in places
        if not place.startswith("<")
        and not any((folder / f"{place}{end}").exists() for folder in folders for end in ("", ".py"))
    ]

    assert missing == []


def test_the_check_looks_at_names_strings_comments_and_definitions() -> None:
    source = 'def compose(found):  # anew\n    """This is no time; it is no longer."""\n    OldWishes = my_wish = 1\n'

    assert instead_of("found").startswith("the noun")
    assert all(instead_of(use.partition(": ")[2]) for use in in_module(source))
    assert sorted(in_module(source)) == ["1: anew", "1: compose", "1: found", "2: This is no", "3: Wishes", "3: wish"]


def test_the_check_looks_at_names_strings_comments_and_definitions_of_scripts(tmp_path: Path) -> None:
    page = tmp_path / "page.js"
    page.write_text(
        "// anew\n"
        "/** @param {string} shown */\n"
        "const show = (shown, { id: kept, ...found }) => html`<p>\n  told ${shown.oldWishes} it is no longer</p>`;\n"
        'import { known as made, open } from "./twin.js";\n'
        "for (const [each] of []) try { show(each); } catch (one) { open(one.found); }\n"
    )
    catalog = tmp_path / "messages" / "de.js"
    catalog.parent.mkdir()
    catalog.write_text('export default { "A wish": "told" };\n')

    words = words_of(page, catalog)

    assert sorted(in_script(words[str(page)])) == [
        *("1: anew", "2: shown", "3: found", "3: kept", "3: shown", "4: Wishes", "4: told"),
        *("5: made", "5: twin", "6: each", "6: one"),
    ]
    assert list(in_script(words[str(catalog)])) == ["1: wish"]
