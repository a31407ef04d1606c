"""Finds every pattern of the product, wherever it is written, and the texts that could make it slow."""
# ruff: noqa: RUF001 - the universe has characters that look alike

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import regex

import signalpost

LOOKS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")
# One of each kind that patterns of the product tell apart, and of each mark with a meaning of its own.
_UNIVERSE = (
    *map(chr, range(128)),
    *"éßДعक中のア가，。、「」“”‘’…（）［〈《【〔〖｛＃！？ー・ﾞ٣Ⅷ¼€†«»。",
    "\u0301", "\u0316", "\u200d", "\ufe0f", "\u200b", "\u2028", "\ufeff", "\x85", "\xa0", "\u3000", "\ud800",
    "👩", "❤", "🇩", "\u0600", "\u1100", "\u1161", "\u094d", "\u202a",
)  # fmt: skip
_ATOM = re.compile(
    r"\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\[wWdDsS]|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[^A-Za-z\s]|[^\\()|?*+{}^$\sA-Za-z]"
)
_IN_PLACE = re.compile(rf"\bpattern=|\b(?:re|regex)\.(?:{'|'.join(LOOKS)})\(")
_WORD = re.compile(r"(?:[A-Za-z0-9_:/<!`'\"&;=-]|\\[^A-Za-z\s]){2,}")


class Pattern(NamedTuple):
    """`looks`: the methods by which the product uses it; all of them where it is handed on.

    `length_max`: of the texts that it sees, where the same line bounds it.
    """

    name: str
    compiled: Any
    looks: tuple[str, ...]
    length_max: int | None = None


def modules() -> Iterator[ModuleType]:
    """Yield all modules of the product that can be imported."""
    for found in pkgutil.walk_packages(signalpost.__path__, "signalpost."):
        if "__main__" not in found.name:
            yield importlib.import_module(found.name)


def all_patterns() -> list[Pattern]:
    """Return all patterns that modules keep, each once, by itself or in a container."""
    found: dict[int, Pattern] = {}
    for module in modules():
        for name, value in vars(module).items():
            values = [value]
            if isinstance(value, (dict, list, tuple)):
                values = [*value, *value.values()] if isinstance(value, dict) else list(value)
                values += [part for entry in values if isinstance(entry, tuple) for part in entry]
            for index, entry in enumerate(values):
                if isinstance(entry, (re.Pattern, regex.Pattern)):
                    label = f"{module.__name__.removeprefix('signalpost.')}.{name}" + (f"[{index}]" if index else "")
                    found.setdefault(id(entry), Pattern(label, entry, _looks(name)))
    return list(found.values())


def patterns_in_place() -> list[Pattern]:
    """Return all patterns that are written where they are used: in a call of `re`, and at the fields of bodies."""
    found: dict[tuple[str, str], Pattern] = {}
    root = Path(signalpost.__path__[0])
    for path in sorted(root.rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts)
        if "__main__" in module:
            continue
        source = path.read_text(encoding="utf-8")
        if not _IN_PLACE.search(source):  # to parse all of them takes seconds
            continue
        for node in ast.walk(ast.parse(source)):
            pattern = _of_call(module, node) if isinstance(node, ast.Call) else None
            if pattern is not None:
                found.setdefault((pattern.compiled.pattern, "".join(pattern.looks)), pattern)
    return list(found.values())


def _of_call(module: str, node: ast.Call) -> Pattern | None:
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    engine: Any = re
    if function == "Meta":
        written, looks, bound = named.get("pattern"), ("search",), named.get("max_length")
    elif function in LOOKS and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) in ("re", "regex"):
        engine = regex if ast.unparse(node.func.value) == "regex" else re
        written, looks, bound = (node.args or [None])[0], (function,), None
    else:
        return None
    if not isinstance(written, ast.Constant) or not isinstance(written.value, (str, bytes)):
        return None
    length_max = bound.value if isinstance(bound, ast.Constant) else None
    return Pattern(f"{module}: {written.value!r}", engine.compile(written.value), looks, length_max)


@cache
def _uses() -> dict[str, set[str]]:
    """Return the methods that are called on each name anywhere in the product."""
    found: dict[str, set[str]] = {}
    call, called = re.compile(rf"\.({'|'.join(LOOKS)})\("), re.compile(r"(\w+)(?:\[[^\]]*\])?\Z")
    for path in Path(signalpost.__path__[0]).rglob("*.py"):
        source = path.read_text()
        for use in call.finditer(source):
            if name := called.search(source, max(0, use.start() - 200), use.start()):
                found.setdefault(name[1], set()).add(use[1])
    return found


def _looks(name: str) -> tuple[str, ...]:
    return tuple(sorted(_uses().get(name, LOOKS)))


def representatives(compiled: Any) -> list[str]:
    """Return one character for each way in which the pattern's classes and literals can tell characters apart."""
    source = compiled.pattern if isinstance(compiled.pattern, str) else compiled.pattern.decode("latin-1")
    atoms = []
    for atom in dict.fromkeys(_ATOM.findall(source)):
        try:
            atoms.append(regex.compile(atom, compiled.flags & regex.IGNORECASE))
        except regex.error:
            continue
    kinds: dict[tuple[bool, ...], str] = {}
    for char in _UNIVERSE:
        kinds.setdefault(tuple(atom.fullmatch(char) is not None for atom in atoms), char)
    return list(kinds.values())


def words(compiled: Any) -> list[str]:
    """Return the runs of literal characters of the pattern."""
    source = compiled.pattern if isinstance(compiled.pattern, str) else compiled.pattern.decode("latin-1")
    return list(dict.fromkeys(word.replace("\\", "") for word in _WORD.findall(source)))


def texts(compiled: Any, *, each_max: int) -> Iterator[tuple[str, Callable[[int], str]]]:
    """Yield texts of any length, each with its name: runs of each character, led by others, and in turns with them.

    `each_max`: how many other characters each one meets; which ones differs from character to character.
    """
    chars, literals = representatives(compiled), words(compiled)
    for index, char in enumerate(chars):
        others = ((chars[index:] + chars[:index]) * 2)[1 : 1 + min(each_max, len(chars))]
        for lead in ["", *literals, *others]:
            yield f"{lead!r} + {char!r}*", partial(_text, lead, char)
            if lead:
                yield f"{lead + char!r}*", partial(_text, "", lead + char)
    for word in literals:
        yield f"{word!r}*", partial(_text, "", word)


def _text(lead: str, unit: str, size: int) -> str:
    return (lead + unit * (size // len(unit) + 1))[:size]


def look(pattern: Pattern, method: str) -> Callable[[str], object]:
    """Return a use of the pattern."""
    compiled = pattern.compiled
    call = {"sub": lambda text: compiled.sub("", text), "subn": lambda text: compiled.subn("", text)}.get(method)
    if method == "finditer":
        call = compiled.findall
    call = call or getattr(compiled, method)
    if isinstance(compiled.pattern, str):
        return call
    return lambda text: call(text.encode("latin-1", "replace"))
