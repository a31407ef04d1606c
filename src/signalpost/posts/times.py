"""From the time a client wrote to the instant that is meant. Pure."""

import re
import zoneinfo
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import metadata
from pathlib import Path

from signalpost.kit import clock
from signalpost.kit.problems import Issue, Problem
from signalpost.posts.errors import ScheduleInPast, ScheduleTooFar, TimezoneRequired

GRACE = timedelta(seconds=60)
"""A time that passed less than this ago means now: clocks differ, and requests take a while."""
AHEAD_MAX = timedelta(days=365)

_FORM = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_SHIFTED = {
    "gap": "This local time does not exist on that day: clocks are put forward. The post goes out at {when}.",
    "overlap": "This local time comes twice on that day: clocks are put back. The first one was taken, {when}.",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """An instant, with the wall time that was wished. `warning` tells where daylight saving made them differ."""

    at: datetime
    local: datetime
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class InvalidTime:
    """Why a time cannot be used: a finding, and the problem it makes when nothing else is wrong."""

    issue: Issue
    problem: type[Problem] | None = None


def read(text: str, zone_name: str, path: str) -> Moment | InvalidTime:
    """Read a time; one without an offset is a wall time in the zone."""
    wrong = InvalidTime(Issue(path, "format", "This is no time. Send RFC 3339, such as 2026-11-21T18:00:00Z."))
    if not _FORM.fullmatch(text):
        return wrong
    zone = clock.zone(zone_name)
    try:
        given = datetime.fromisoformat(text.upper())
        if given.tzinfo is not None:
            at = given.astimezone(UTC)
            return Moment(at, local(at, zone_name))
        if zone is None:
            message = "A local time needs a known time zone: send an offset, or `timezone`."
            return InvalidTime(Issue("/timezone", "required", message), TimezoneRequired)
        at, shifted = clock.resolve_local(given, zone)
        warning = _SHIFTED[shifted].format(when=at.astimezone(zone).isoformat()) if shifted else None
    except (ValueError, OverflowError):
        return wrong
    return Moment(at, given, warning)


def schedule(text: str, zone_name: str, now: datetime, path: str) -> Moment | InvalidTime:
    """Read a time at which something shall go out: at most a minute ago, at most 365 days ahead."""
    found = read(text, zone_name, path)
    if isinstance(found, InvalidTime):
        return found
    if found.at < now - GRACE:
        message = f"{clock.wire(found.at)} is in the past; it is {clock.wire(now)}."
        return InvalidTime(Issue(path, "out_of_range", message), ScheduleInPast)
    if found.at > now + AHEAD_MAX:
        return InvalidTime(
            Issue(path, "out_of_range", "A post can be scheduled at most 365 days ahead."), ScheduleTooFar
        )
    return found


def local(at: datetime, zone_name: str) -> datetime:
    """Return the wall time of an instant in the zone; in UTC when the zone is unknown here."""
    return at.astimezone(clock.zone(zone_name) or UTC).replace(tzinfo=None)


@cache
def tzdata_version() -> str | None:
    """Return the version of the zone rules in use (`2026a`), or None when the system does not tell."""
    folders = [Path(folder) for folder in zoneinfo.TZPATH if Path(folder).is_dir()]
    for source in (folder / "tzdata.zi" for folder in folders):
        if source.is_file():
            with source.open(encoding="ascii") as lines:
                return lines.readline().removeprefix("# version ").strip()[:20] or None
    return None if folders else metadata.version("tzdata")
