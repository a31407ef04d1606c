"""The time zone of this machine, as its owner set it."""

import os
from pathlib import Path

from signalpost.kit import zones

_FILES = (Path("/etc/localtime"), Path("/etc/timezone"))


def machine_zone() -> str:
    """Return the IANA name from TZ, `/etc/localtime` or `/etc/timezone`; UTC if none of them has one."""
    return next((name for name in _names() if name and "/" in name and zones.zone(name)), "UTC")


def _names() -> list[str]:
    link, text = _FILES
    names = [os.environ.get("TZ", "").removeprefix(":")]
    try:
        names.append(str(link.resolve()).partition("/zoneinfo/")[2])
        names.append(text.read_text(encoding="ascii", errors="replace").strip())
    except OSError:  # not every system has the second one
        pass
    return names
