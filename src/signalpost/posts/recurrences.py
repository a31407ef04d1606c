"""When a post repeats: its rule, followed as wall times of a zone, so that nine o'clock stays nine o'clock. Pure."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Final, NamedTuple

from signalpost.kit import clock, recurrence, zones
from signalpost.kit.problems import Issue
from signalpost.kit.recurrence import InvalidRule, Rule
from signalpost.posts import times
from signalpost.posts.documents import Recurrence
from signalpost.posts.schemas.requests import RecurrenceIn
from signalpost.posts.times import InvalidTime

POSTS_MAX: Final = 365
"""Of one rule, the post itself included."""
_NO_END: Final = "Say when it ends: count (up to 365, this post included), until, or COUNT or UNTIL in the rule."


class Occurrence(NamedTuple):
    """A repetition of a post; the post itself is number 0."""

    number: int
    at: datetime
    local: datetime


def occurrences(stored: Recurrence, first: datetime) -> Iterator[Occurrence]:
    """Yield the repetitions of a post that is first published at this instant, in order."""
    rule, zone_name = recurrence.parse(stored.rrule), stored.timezone or "UTC"
    zone = zones.zone(zone_name)
    if zone is None:  # a zone that the data of this machine no longer has
        return
    start = first.astimezone(zone).replace(tzinfo=None, fold=0)
    count = stored.count or rule.count or POSTS_MAX
    until = None if stored.until is None else datetime.fromisoformat(stored.until)
    for number, day in enumerate(recurrence.days_after(rule, start.date()), 1):
        local = datetime.combine(day, start.time())
        at, _ = clock.resolve_local(local, zone)
        if number >= count or (until is not None and at > until) or _is_over(rule, at, local):
            return
        yield Occurrence(number, at, local)


def first_local(stored: Recurrence, first: datetime) -> datetime:
    """Return the wall time of the post itself."""
    return first.astimezone(zones.zone(stored.timezone or "UTC") or UTC).replace(tzinfo=None, fold=0)


def _is_over(rule: Rule, at: datetime, local: datetime) -> bool:
    if rule.until is None:
        return False
    return at > rule.until.moment.replace(tzinfo=UTC) if rule.until.is_utc else local > rule.until.moment


def check(data: RecurrenceIn, zone_name: str, first: datetime | None) -> Recurrence | list[Issue]:
    """Return the recurrence as it is stored, or what is wrong with it.

    `first`: when the post is first published; None: that is not known yet, of a draft.
    """
    if data.timezone is not None and zones.zone(data.timezone) is None:
        return [zones.unknown("/recurrence/timezone", data.timezone)]
    zone_name = data.timezone or zone_name
    try:
        rule = recurrence.parse(data.rrule)
    except InvalidRule as refused:
        return [Issue("/recurrence/rrule", "format", str(refused))]
    until = None
    if data.until is not None:
        moment = times.read(data.until, zone_name, "/recurrence/until")
        if isinstance(moment, InvalidTime):
            return [moment.issue]
        until = clock.wire(moment.at)
    issues = [
        Issue(f"/recurrence/{name}", "not_allowed", f"The rule says {name.upper()} already: leave one of them out.")
        for name, own, of_rule in (("count", data.count, rule.count), ("until", until, rule.until))
        if own is not None and of_rule is not None
    ]
    if all(end is None for end in (data.count, until, rule.count, rule.until)):
        issues.append(Issue("/recurrence", "required", _NO_END))
    stored = Recurrence(data.rrule, zone_name, until, data.count, data.variations)
    if not issues and first is not None:
        issues = _length_issues(stored, rule, first)
    return issues or stored


def _length_issues(stored: Recurrence, rule: Rule, first: datetime) -> list[Issue]:
    """Return what is wrong with how often and how far the rule repeats the post."""
    unlimited = Recurrence(stored.rrule, stored.timezone, stored.until, stored.count or rule.count or POSTS_MAX + 1)
    posts = 1 + sum(1 for _ in islice(occurrences(unlimited, first), POSTS_MAX))
    if posts > POSTS_MAX:
        return [Issue("/recurrence", "out_of_range", f"This makes more than {POSTS_MAX} posts: end it earlier.")]
    if posts == 1:
        return [Issue("/recurrence", "out_of_range", "The post never repeats: the rule ends before it occurs again.")]
    count = stored.count or rule.count
    if count is not None and posts < count and stored.until is None:
        message = f"A rule is followed for {recurrence.YEARS_MAX} years; this one makes {posts} posts by then."
        return [Issue("/recurrence", "out_of_range", message)]
    return []


def text_of(stored: Recurrence, text: str, number: int) -> str:
    """Return the text of a repetition: the variations in turn, or the post's own."""
    return stored.variations[(number - 1) % len(stored.variations)] if stored.variations else text
