"""What `docs/design.md` says in numbers, taken from the styles: `python -m tests.console.design` writes them there."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import NamedTuple

from tests.console import styles
from tests.console.styles import Look, Rule
from tests.counterparts import tools

PAGE = tools.CHECKOUT / "docs/design.md"
SURFACES = {
    "console": ("paper", "canvas", "raised"),
    "public": ("paper", "canvas", "raised"),
    "link page": ("paper",),
}
"""On what text stands where its rule does not say so."""
TEXTS = ("ink", "soft", "link", "accent", "ok", "bad", "warn", "info", "unknown")
"""Each of them may stand on each surface and each tint: rules do not say what lies in what."""
TINTS = ("accent-soft", "ok-soft", "bad-soft", "warn-soft", "info-soft", "unknown-soft")
LEAST, LEAST_LARGE = 7.0, 4.5
"""AAA of WCAG 2.2. Large is what has 24 px, or is bold with 18.7 px."""
EXEMPT = {
    ".link-preview li": "the colour of the client, large and bold: black or white on it has 4.58 at least",
    ".links a": "the colour of the client, as above; tests/link_pages tries colours",
}
ON_PICTURES = {
    ".pv-screen": "var(--screen)",
    ".pv-upon .pv-soft, .pv-upon .pv-link, .pv-upon .pv-more": "var(--veil)",
}
"""Rules of text that lies on a picture, on what is between: measured over white, where it is read worst."""
_LARGE = re.compile(r"var\(--text-(xl|xxl)\)")
_COLOURED = re.compile(r"(var\(--|color-mix\(|#)")
_ROW = re.compile(r"^\| `--([\w-]+)` \|.*\| ([^|]*) \|$", re.MULTILINE)


class Pair(NamedTuple):
    """A text on a ground, as their rules write them, and where."""

    text: str
    ground: str
    is_large: bool
    place: str


def pairs(group: str) -> list[Pair]:
    """Return what meets in a group: by rules that say both, on the surfaces where they do not, and on tints."""
    names = styles.tokens(group, styles.LOOKS[0])
    everywhere = [ground for ground in (*SURFACES[group], *TINTS) if ground in names]
    of_client = {"accent"} if group == "link page" else set()
    texts = [text for text in TEXTS if text in names and text not in of_client]
    common = [Pair(f"var(--{text})", f"var(--{ground})", False, "any") for text in texts for ground in everywhere]
    return [*common, *(pair for rule in styles.rules(group) for pair in _pairs_of(group, rule))]


def _pairs_of(group: str, rule: Rule) -> Iterator[Pair]:
    text, background = rule.values.get("color", ""), rule.values.get("background", "")
    if not _COLOURED.match(text) or "print" in " ".join(rule.within) or rule.selector in EXEMPT:
        return
    grounds = [f"var(--{name})" for name in SURFACES[group]]
    if _COLOURED.match(background):
        grounds = [background]
    elif rule.selector in ON_PICTURES:
        grounds = [ON_PICTURES[rule.selector]]
    is_large = bool(_LARGE.search(rule.values.get("font-size", "")))
    spelled = [value for ground in grounds for value in _spelled(group, ground)]
    for one, other in product(_spelled(group, text), spelled):
        yield Pair(one, other, is_large, f"{rule.sheet}: {rule.selector}")


@cache
def _local(group: str) -> Mapping[str, list[str]]:
    """The values that rules give to tokens of their own, such as the colour of a state."""
    values: dict[str, list[str]] = {}
    for rule in styles.rules(group):
        if rule.selector != ":root":
            for name, value in rule.values.items():
                if name.startswith("--"):
                    values.setdefault(name, []).append(value)
    return values


def _spelled(group: str, value: str) -> list[str]:
    """Return the value once for each that a token of a rule in it has."""
    for name, values in _local(group).items():
        if f"var({name})" in value:
            return [value.replace(f"var({name})", own) for own in values]
    return [value]


def ratio(group: str, pair: Pair, look: Look) -> float:
    """Return the contrast of a pair in a look. What lets a picture through is measured over white."""
    names = styles.tokens(group, look)
    ground = styles.colour(pair.ground, names)
    return styles.contrast(styles.colour(pair.text, names), ground.over(styles.Colour(255, 255, 255)))


def _worst(group: str, name: str, look: Look) -> float | None:
    ratios = [ratio(group, pair, look) for pair in _by_text(group).get(f"var(--{name})", ())]
    return min(ratios, default=None)


@cache
def _by_text(group: str) -> Mapping[str, list[Pair]]:
    texts: dict[str, list[Pair]] = {}
    for pair in pairs(group):
        texts.setdefault(pair.text, []).append(pair)
    return texts


def group_of(name: str) -> str:
    """Return the group whose token the page shows: those that the console has are the same elsewhere."""
    return next(group for group in styles.GROUPS if name in styles.tokens(group, styles.LOOKS[0]))


def cells(name: str) -> list[str]:
    """Return what the page says about a token: its value or values, and the least contrast of text in this colour."""
    group = group_of(name)
    light, dark = (styles.tokens(group, look)[name] for look in styles.LOOKS[:2])
    if not light.startswith(("#", "rgb(")):
        return [f"`{light}`"]
    worst = [_worst(group, name, look) for look in styles.LOOKS]
    return [f"`{light}`", f"`{dark}`", *("" if least is None else f"{least:.1f}" for least in worst)]


def rows(text: str) -> list[str]:
    """Return the tokens that a page has a row for."""
    return [match[1] for match in _ROW.finditer(text)]


def updated(text: str) -> str:
    """Return the page with the numbers of today; the last cell of a row is its words."""
    return _ROW.sub(lambda match: f"| `--{match[1]}` | {' | '.join(cells(match[1]))} | {match[2]} |", text)


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
