"""The name of a cell in what it hands out, so that a router knows from a request alone whose it is.

A cell is an installation with a database of its own. Where several stand behind one router, the secret part of every
credential, link and signature begins with the name of the cell that made it, and a dot: `0.xUVhq…` in a link,
`sp_live_AbCdEfGhIjKl_0.9Zq…` in an API key. The rest is base62 or base64url, or begins with more than eight characters
before a dot of its own: so what was handed out before there were names is never misread. It is of the cell `0`.

The name leads the way and proves nothing: who may do what is found in the database that the request was led to. So a
cell takes any name, also after its own was changed. Where each stands is in docs/guides/cells.md (decision 0475).
"""

import re
from typing import Final

SINGLE: Final = "0"
"""The name of a cell that is alone, and of what has no name."""
NAME: Final = "[0-9a-z]{1,8}"
_WITH_NAME: Final = re.compile(rf"{NAME}\.")


def with_name(cell: str, secret: str) -> str:
    """Return the secret part of a credential, with the name of the cell that makes it."""
    return f"{cell}.{secret}"


def without_name(text: str) -> str:
    """Return the secret part without the name of a cell; what has none is older, and stays as it is."""
    match = _WITH_NAME.match(text)
    return text if match is None else text[match.end() :]


def public(cell: str, word: str) -> str:
    """Return a word that people chose for a public address. It carries the name only where there are several cells."""
    return word if cell == SINGLE else with_name(cell, word)
