"""The colours of the console and how far apart two of them are."""

import re
from collections.abc import Mapping

from tests.counterparts import tools

FOLDER = tools.CHECKOUT / "src/signalpost/console/static/console"


def tokens(scheme: int) -> Mapping[str, str]:
    """Return the tokens of `app.css` by name. Scheme 0 is light, 1 dark."""
    source = (FOLDER / "app.css").read_text(encoding="utf-8")
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", source)
    return {name: colours[scheme] for name, *colours in found}


def contrast(one: str, other: str) -> float:
    """Return the contrast of WCAG 2.2, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    values = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
