"""The colours of the console and how far apart two of them are."""

from collections.abc import Mapping

from tests.console import styles

FOLDER = styles.STATIC / "console"


def tokens(scheme: int) -> Mapping[str, str]:
    """Return the tokens of the console by name. Scheme 0 is light, 1 dark."""
    return styles.tokens("console", styles.LOOKS[scheme])


def contrast(one: str, other: str) -> float:
    """Return the contrast of WCAG 2.2, from 1 to 21."""
    return styles.contrast(styles.colour(one, {}), styles.colour(other, {}))
