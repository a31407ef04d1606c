"""The styles of all pages, as rules: what stands in them, and what their tokens are in each look."""

import functools
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.counterparts import tools

from signalpost.console import link_pages

STATIC = tools.CHECKOUT / "src/signalpost/console/static"
GROUPS = ("console", "public", "link page")
"""What has tokens of its own: the console, pages that work without scripts, and the link page of a client."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LIGHT_DARK = re.compile(r"light-dark\(([^,()]+), ([^()]+)\)")


class Look(NamedTuple):
    """What a person has chosen in the console or in the system."""

    name: str
    is_dark: bool
    has_more_contrast: bool


LOOKS = [
    Look("light", False, False),
    Look("dark", True, False),
    Look("light, more contrast", False, True),
    Look("dark, more contrast", True, True),
]


class Rule(NamedTuple):
    """Declarations that stand together. `within` are the at-rules around them."""

    sheet: str
    within: tuple[str, ...]
    selector: str
    values: Mapping[str, str]


def sheets(group: str) -> Mapping[str, str]:
    """Return the style sheets of a group by their name, as they are written."""
    if group == "public":
        return {"style.css": (STATIC / "style.css").read_text(encoding="utf-8")}
    if group == "link page":
        return {"link_pages.py": link_pages.style_of(None)}
    folder = STATIC / "console"
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.css"))}


@functools.cache
def rules(group: str) -> list[Rule]:
    """Return all rules of a group; steps of animations are none."""
    return [rule for name, text in sheets(group).items() for rule in _rules(name, _COMMENT.sub("", text), ())]


def _rules(sheet: str, text: str, within: tuple[str, ...]) -> Iterator[Rule]:
    while "{" in text:
        head, _, rest = text.partition("{")
        body, text = _block(rest)
        head = " ".join(head.split())
        if head.startswith("@keyframes"):
            continue
        if "{" in body:
            yield from _rules(sheet, body, (*within, head))
        else:
            yield Rule(sheet, within, head, _declarations(body))


def _block(text: str) -> tuple[str, str]:
    """Return what stands before the bracket that closes this block, and what follows it."""
    depth = 1
    for place, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if not depth:
            return text[:place], text[place + 1 :]
    raise ValueError(text[:80])


def _declarations(body: str) -> dict[str, str]:
    pairs = [line.partition(":") for line in body.split(";") if line.strip()]
    return {name.strip(): " ".join(value.split()) for name, _, value in pairs}


@functools.cache
def tokens(group: str, look: Look) -> Mapping[str, str]:
    """Return the tokens of a group in a look by their name, without the dashes; what they refer to is resolved."""
    values: dict[str, str] = {}
    for rule in rules(group):
        if rule.selector == ":root" and _holds(rule.within, look):
            values |= {name[2:]: value for name, value in rule.values.items() if name.startswith("--")}
    side = r"\2" if look.is_dark else r"\1"
    values = {name: _LIGHT_DARK.sub(side, value) for name, value in values.items()}
    return {name: re.sub(r"var\(--([\w-]+)\)", lambda match: values[match[1]], value) for name, value in values.items()}


def _holds(within: tuple[str, ...], look: Look) -> bool:
    """Whether these at-rules apply to the tokens of a look on a screen."""
    conditions = " and ".join(within)
    if "print" in conditions:
        return False
    if re.search(r"prefers-color-scheme: ?dark", conditions) and not look.is_dark:
        return False
    return look.has_more_contrast or not re.search(r"prefers-contrast: ?more", conditions)


class Colour(NamedTuple):
    """Red, green and blue from 0 to 255, and how much covers what is below, from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def over(self, below: "Colour") -> "Colour":
        """Return what is seen where this colour lies on another one."""
        return mixed(self._replace(alpha=1.0), below, self.alpha)

    @property
    def luminance(self) -> float:
        """As WCAG 2.2 defines it."""
        shares = [value / 255 for value in self[:3]]
        red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """Return a mixture with this share of the first."""
    return Colour(*(a * share + b * (1 - share) for a, b in zip(one, other, strict=True)))


def contrast(text: Colour, ground: Colour) -> float:
    """Return the contrast of WCAG 2.2, from 1 to 21."""
    dark, light = sorted((text.over(ground).luminance, ground.luminance))
    return (light + 0.05) / (dark + 0.05)


def colour(value: str, palette: Mapping[str, str]) -> Colour:
    """Return the colour that a value has with these tokens.

    Raises:
        ValueError: it is none, or of a form that no sheet has used so far.
    """
    value = value.removesuffix("!important").strip()
    if match := re.fullmatch(r"#(\w\w)(\w\w)(\w\w)", value):
        return Colour(*(int(part, 16) for part in match.groups()))
    if match := re.fullmatch(r"rgb\((\d+) (\d+) (\d+) / (\.\d+)\)", value):
        return Colour(*(float(part) for part in match.groups()))
    if match := re.fullmatch(r"var\(--([\w-]+)\)", value):
        return colour(palette[match[1]], palette)
    if match := re.fullmatch(r"color-mix\(in srgb, (.+?) (\d+)%, (.+)\)", value):
        first, share = colour(match[1], palette), int(match[2]) / 100
        if match[3] == "transparent":
            return first._replace(alpha=share)
        return mixed(first, colour(match[3], palette), share)
    raise ValueError(value)
