"""Time zones by their names in the IANA database, and no other file that the system keeps beside them."""

import os
from datetime import tzinfo
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Final
from zoneinfo import TZPATH, ZoneInfo, ZoneInfoNotFoundError

from signalpost.kit.problems import Issue

_NO_ZONES: Final = frozenset({"localtime", "posixrules", "Factory"})
_NO_FOLDERS: Final = ("posix", "right")
"""The same zones again, as some systems compile them."""
_CHARACTERS_MAX: Final = 64


def zone(name: str) -> tzinfo | None:
    """Return the zone of this name, canonical or an older one for it; None if there is none. Letter case matters."""
    if name in _NO_ZONES or name.partition("/")[0] in _NO_FOLDERS:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def unknown(path: str, name: str) -> Issue:
    """Return the issue of an unknown name, with the nearest name of a zone."""
    nearest = _nearest(name)
    if nearest is None:
        return Issue(path, "format", "Not the name of an IANA time zone. Example: Europe/Berlin.")
    return Issue(path, "format", f"Not the name of an IANA time zone. Did you mean {nearest}?", {"nearest": nearest})


def _nearest(name: str) -> str | None:
    by_lower = {listed.lower(): listed for listed in _names()}
    matches = get_close_matches(name.lower()[:_CHARACTERS_MAX], by_lower)
    return next((by_lower[match] for match in matches if zone(by_lower[match]) is not None), None)


@cache
def _names() -> list[str]:
    """Return what may be the names of all zones: those of the files, whose contents are not read."""
    names: list[str] = []
    for root in filter(os.path.isdir, TZPATH[:1]):
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name[:1].isupper()]
            prefix = "" if folder == root else f"{os.path.relpath(folder, root)}/"
            names += [prefix + name for name in files if name[:1].isupper() and "." not in name]
    return names or resources.files("tzdata").joinpath("zones").read_text("utf-8").split()
