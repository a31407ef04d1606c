"""The texts of the console, and what its catalogs say for them in each language."""

import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from tests.console.pages import FOLDER

from signalpost.console.texts import DEFAULT, LANGUAGES

MESSAGES = FOLDER / "messages"
MODULES = sorted(
    path for path in FOLDER.rglob("*.js") if not {"vendor", "messages"} & {*path.relative_to(FOLDER).parts}
)
FRAME = "frame"
TRANSLATED = [code for code in LANGUAGES if code != DEFAULT]
OF_OPTIONS = ("options", "options-sites", "options-messengers", "values")
"""Catalogs of what the API says of options; the composer loads them all."""
_TEXT = re.compile(r'\bt\(\s*(?:"((?:[^"\\]|\\.)*)")')
_PLURAL = re.compile(r'\btn\([^"]*"([^"]*)",\s*"([^"]*)",?\s*\)')
_ENTRY = re.compile(r'^ *(\w+|"(?:[^"\\]|\\.)*"):\s*("(?:[^"\\]|\\.)*"),?$', re.MULTILINE)
_IN_BUTTONS = (
    re.compile(r"<\$\{Button\}.*?<//>", re.DOTALL),
    re.compile(r"\b(?:submit|action)=\$\{t[^}]*"),
    re.compile(r"(?:const tabs =|tabs=\$\{).*?\]\s*(?:;|\})", re.DOTALL),
)
_LABEL = re.compile(r"[\w-]+=\$\{t\([^)]*\)\}")  # what is read aloud takes no room


def texts_in(source: str) -> set[str]:
    """All that is the literal argument of `t` or `tn`."""
    singles = {json.loads(f'"{text}"') for text in _TEXT.findall(source)}
    return singles | {text for pair in _PLURAL.findall(source) for text in pair}


def _texts(path: Path) -> set[str]:
    source = path.read_text(encoding="utf-8")
    found = texts_in(source)
    if path.name == "badge.js":  # the words of states are translated where they are shown
        states = source[source.index("const STATES") : source.index("});", source.index("const STATES"))]
        found |= set(re.findall(r'\["\w+", "\w+", "([^"]+)"\]', states))
    return found


def plurals() -> set[str]:
    """Every text for more than one."""
    return {plural for path in MODULES for _, plural in _PLURAL.findall(path.read_text(encoding="utf-8"))}


def in_buttons() -> set[str]:
    """What stands on buttons and tabs."""
    parts = (part for path in MODULES for kind in _IN_BUTTONS for part in kind.findall(path.read_text("utf-8")))
    return {text for part in parts for text in texts_in(_LABEL.sub("", part))}


def texts_by_catalog() -> dict[str, set[str]]:
    """What each catalog must hold: a page's own texts in its own; the frame's, and what two pages share, in `FRAME`."""
    users = defaultdict[str, set[str]](set)
    for path in MODULES:
        for text in _texts(path):
            users[text].add(path.stem.partition("-")[0] if path.parent.name in ("pages", "texts") else FRAME)
    catalogs = defaultdict[str, set[str]](set)
    for text, pages in users.items():
        catalogs[pages.pop() if len(pages) == 1 else FRAME].add(text)
    return catalogs


@cache
def catalog(language: str, page: str) -> dict[str, str]:
    """What a catalog says; empty if there is none."""
    file = MESSAGES / language / f"{page}.js"
    source = file.read_text(encoding="utf-8") if file.exists() else ""
    return {json.loads(f'"{key.strip(chr(34))}"'): json.loads(value) for key, value in _ENTRY.findall(source)}


@cache
def everything(language: str) -> dict[str, str]:
    """What all catalogs of a language say."""
    names = sorted(file.stem for file in (MESSAGES / language).glob("*.js"))
    return {text: said for name in names for text, said in catalog(language, name).items()}
