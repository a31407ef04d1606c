"""The time zone of this machine, as its owner set it."""

import os
from pathlib import Path

from signalpost.kit import zones

_FILES = (Path("/etc/localtime"), Path("/etc/timezone"))


def machine_zone() -> str | None:
    """Return the IANA name from TZ, `/etc/localtime` or `/etc/timezone`; None if no place is set there."""
    names = (name for name in _names() if "/" in name and not name.startswith("Etc/") and zones.zone(name))
    return next(names, None)


def _names() -> list[str]:
    link, text = _FILES
    names = [os.environ.get("TZ", "").removeprefix(":")]
    try:
        names.append(str(link.resolve()).partition("/zoneinfo/")[2])
        names.append(text.read_text(encoding="ascii", errors="replace").strip())
    except OSError:  # not every system has the second one
        pass
    return names
