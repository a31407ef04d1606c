"""The version of the contract. `docs/guides/write-a-connector.md` lists what each one changed."""

import re
from typing import Final

VERSION: Final = "1.7"
"""MAJOR.MINOR. What is added raises the second number; what a package has to change for raises the first."""


def is_supported(written_for: str) -> bool:
    """Return whether a package that was written for this version of the contract works with ours."""
    match = re.fullmatch(r"(\d{1,4})\.(\d{1,4})", written_for)
    if match is None:
        return False
    ours_major, ours_minor = map(int, VERSION.split("."))
    return int(match[1]) == ours_major and int(match[2]) <= ours_minor
