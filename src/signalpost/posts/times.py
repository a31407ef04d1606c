"""From the time that a client wrote to the instant that it means. Pure."""

import re
import zoneinfo
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from msgspec import Struct

from signalpost.kit import clock, zones
from signalpost.kit.problems import Issue, Problem, ValidationFailed
from signalpost.posts.errors import ScheduleInPast, ScheduleTooFar, TimezoneRequired

GRACE = timedelta(seconds=60)
"""A time that passed less than this ago means now: clocks differ, and requests take a while."""
AHEAD_MAX = timedelta(days=365)

_FORMAT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DST_WARNINGS = {
    "gap": "This local time does not exist: the clocks are put forward that day. The post will be published at {when}.",
    "overlap": "This local time occurs twice: the clocks are put back that day. The first one is used, {when}.",
}


class Moment(Struct, frozen=True):
    """An instant, with the wall time if that was asked for. `warning`: daylight saving made them differ."""

    at: datetime
    local: datetime | None = None
    warning: str | None = None


class InvalidTime(Struct, frozen=True):
    """Why a time cannot be used: an issue, and the problem that it makes when nothing else is wrong."""

    issue: Issue
    problem: type[Problem] = ValidationFailed


def read(text: str, zone_name: str, path: str) -> Moment | InvalidTime:
    """Read a time; one without an offset is a wall time in the zone."""
    if not _FORMAT.fullmatch(text):
        return _invalid(text, path)
    zone = zones.zone(zone_name)
    try:
        written = datetime.fromisoformat(text.upper())
        if written.tzinfo is not None:
            return Moment(written.astimezone(UTC))
        if zone is None:
            message = "A local time needs a known time zone: send an offset, or `timezone`."
            return InvalidTime(Issue("/timezone", "required", message), TimezoneRequired)
        at, shift = clock.resolve_local(written, zone)
        warning = dst_warning(shift, at, zone_name)
    except (ValueError, OverflowError):
        return _invalid(text, path)
    return Moment(at, written, warning)


def dst_warning(shift: str | None, at: datetime, zone_name: str) -> str | None:
    """Return what to tell of a local time that `resolve_local` had to move, or that occurs twice."""
    zone = zones.zone(zone_name)
    return _DST_WARNINGS[shift].format(when=at.astimezone(zone).isoformat()) if shift else None


def _invalid(text: str, path: str) -> InvalidTime:
    return InvalidTime(Issue(path, "format", f"Not a valid time: {_why(text)}."))


def _why(text: str) -> str:
    """Return what is wrong with the text of a time, and how to write one."""
    if text.isdigit():
        return "send text and not a timestamp, such as 2026-11-21T18:00:00Z"
    if _DATE.fullmatch(text):
        return f"the time of day is missing, as in {text}T18:00:00Z"
    if _FORMAT.fullmatch(text):
        return "the calendar or the clock has no such moment"
    return "send RFC 3339, such as 2026-11-21T18:00:00Z"


def schedule(text: str, zone_name: str, now: datetime, path: str) -> Moment | InvalidTime:
    """Read a time at which a post is to be published: at most a minute ago, at most 365 days ahead."""
    moment = read(text, zone_name, path)
    if isinstance(moment, InvalidTime):
        return moment
    if moment.at < now - GRACE:
        message = f"{clock.wire(moment.at)} is in the past: it is {clock.wire(now)} now."
        return InvalidTime(Issue(path, "out_of_range", message), ScheduleInPast)
    if moment.at > now + AHEAD_MAX:
        message = f"A post can be scheduled at most 365 days ahead, until {clock.wire(now + AHEAD_MAX)}."
        return InvalidTime(Issue(path, "out_of_range", message), ScheduleTooFar)
    return moment


@cache
def tzdata_version() -> str | None:
    """Return the version of the zone rules in use (`2026a`), or None if the system does not say."""
    folders = [Path(folder) for folder in zoneinfo.TZPATH if Path(folder).is_dir()]
    return next((version for folder in folders if (version := zones.rules_version(folder))), None)
