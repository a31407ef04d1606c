"""Time zones by their names in the IANA database, and no other file that the system keeps beside them."""

import os
import re
import zoneinfo
from collections.abc import Iterable
from datetime import tzinfo
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from signalpost.kit.nearest import nearest
from signalpost.kit.problems import Issue

_NO_ZONES: Final = frozenset({"localtime", "posixrules", "Factory"})
_NO_FOLDERS: Final = ("posix", "right")
"""The same zones again, as some systems compile them."""
_OFFSET: Final = re.compile(r"[A-Za-z/]*[+-]?\d")
"""Begins like UTC+2: a similar name would be Etc/GMT+2, which means the opposite."""


def rules_version(folder: Path) -> str:
    """Return the version of the rules in a folder of zones (`2026a`), or an empty string if it does not say."""
    source = folder / "tzdata.zi"
    if not source.is_file():
        return ""
    with source.open(encoding="ascii") as lines:
        return lines.readline().removeprefix("# version ").strip()[:20]


def newest(folders: Iterable[Path], own: Path) -> Path | None:
    """Return `own` if its rules are newer than those of the first folder that exists; None: it is as good or better."""
    system = next((folder for folder in folders if folder.is_dir()), None)
    return own if system is None or rules_version(system) < rules_version(own) else None


def _use_newest_rules() -> None:
    """Read zones from the package `tzdata` if those of the system are older: some systems are not updated for years.

    For the whole process, since anything else that knows zones has to agree with us.
    """
    own = newest(map(Path, zoneinfo.TZPATH), Path(str(resources.files("tzdata") / "zoneinfo")))
    if own is not None:
        zoneinfo.reset_tzpath([str(own)])
        ZoneInfo.clear_cache()


_use_newest_rules()


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
    similar = None if _OFFSET.match(name) else _nearest(name)
    if similar is None:
        return Issue(path, "format", "Not the name of an IANA time zone. Example: Europe/Berlin.")
    return Issue(path, "format", f"Not the name of an IANA time zone. Did you mean {similar}?", {"nearest": similar})


def _nearest(name: str) -> str | None:
    """Return the most similar name; a city stands for its zone."""
    by_city = {listed.rpartition("/")[2]: listed for listed in reversed(names())}
    similar = nearest(name, names())
    if similar is None and (city := nearest(name.rpartition("/")[2], tuple(by_city))) is not None:
        similar = by_city[city]
    return similar if similar is not None and zone(similar) is not None else None


@cache
def names() -> tuple[str, ...]:
    """Return what may be the names of all zones: those of the files, whose contents are not read."""
    listed: list[str] = []
    for root in filter(os.path.isdir, zoneinfo.TZPATH[:1]):
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name[:1].isupper()]
            prefix = "" if folder == root else f"{os.path.relpath(folder, root)}/"
            listed += [prefix + name for name in files if name[:1].isupper() and "." not in name]
    return tuple(listed or resources.files("tzdata").joinpath("zones").read_text("utf-8").split())
