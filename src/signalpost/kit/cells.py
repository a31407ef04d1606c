"""The name of a cell in what it hands out, so that a router knows from a request alone whose it is.

A cell is an installation with a database of its own. Where several stand behind one router, the secret part of every
credential, link and signature begins with the name of the cell that made it, and a dot: `b7.xUVhq…` in a link,
`sp_live_AbCdEfGhIjKl_b7.9Zq…` in an API key. What has no name is of the cell `0`, as most installations are: it is
base62 or base64url, or begins with more than eight characters before a dot of its own, so that it is never misread.

The name leads the way and proves nothing: who may do what is found in the database that the request was led to. So a
cell takes any name, also after its own was changed. Where each stands is in docs/guides/cells.md (decision 0475).
"""

import re
from typing import Final

SINGLE: Final = "0"
"""The name of a cell that is alone, which is not written: what has no name is of this cell."""
NAME: Final = "[0-9a-z]{1,8}"
_WITH_NAME: Final = re.compile(rf"{NAME}\.")


def with_name(cell: str, secret: str) -> str:
    """Return the secret part of a credential, or a word of a public address, with the name of its cell."""
    return secret if cell == SINGLE else f"{cell}.{secret}"


def without_name(text: str) -> str:
    """Return the secret part without the name of a cell; what has none stays as it is."""
    match = _WITH_NAME.match(text)
    return text if match is None else text[match.end() :]
