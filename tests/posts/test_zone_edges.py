"""Every change of the clocks from 2026 to 2030: Python and PostgreSQL agree, and a wall time means one instant."""

import zoneinfo
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from signalpost.kit import clock, zones
from signalpost.kit.db import Database

pytestmark = pytest.mark.xdist_group("zones")  # what is compared is found once
BEGIN, END = datetime(2026, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
_STEP = timedelta(days=6)
"""Less than any zone keeps an offset: Morocco's Ramadan lasts longest, with a month."""
NAMES = sorted(name for name in zoneinfo.available_timezones() if zones.zone(name) is not None)


def _edges(zone: zoneinfo.ZoneInfo) -> Iterator[datetime]:
    """The first instants of new offsets."""
    at = BEGIN
    while at < END:
        low, high = at, at + _STEP
        while low.astimezone(zone).utcoffset() != high.astimezone(zone).utcoffset() and high - low > SECOND:
            middle = low + (high - low) / 2
            middle = middle.replace(microsecond=0)
            if middle.astimezone(zone).utcoffset() == low.astimezone(zone).utcoffset():
                low = middle
            else:
                high = middle
        if high - low <= SECOND:
            yield high
        at += _STEP


@pytest.fixture(scope="module")
def edges() -> list[tuple[str, datetime]]:
    """Each zone with the instants at which its clocks change."""
    return [(name, edge) for name in NAMES for edge in _edges(zoneinfo.ZoneInfo(name))]


def test_there_are_as_many_zones_and_changes_as_expected(edges: list[tuple[str, datetime]]) -> None:
    """Else the tests below compare nothing."""
    assert len(NAMES) > 590
    assert len(edges) > 1_900
    assert {"Europe/Berlin", "Africa/Casablanca", "Australia/Lord_Howe", "America/Nuuk"} <= {name for name, _ in edges}


async def test_python_and_postgresql_show_the_same_wall_time_before_and_after_each_change(
    database: Database, edges: list[tuple[str, datetime]]
) -> None:
    instants = [(name, edge + shift) for name, edge in edges for shift in (-SECOND, timedelta(), SECOND)]
    instants += [(name, BEGIN + timedelta(days=days)) for name in NAMES for days in (0, 190)]
    async with database.connection() as db:
        abbreviations = {record["abbrev"] for record in await db.fetch("select abbrev from pg_timezone_abbrevs")}
        instants = [(name, at) for name, at in instants if name not in abbreviations]  # a fixed offset to PostgreSQL
        records = await db.fetch(
            "select u.name, u.at, timezone(u.name, u.at) as local"
            " from unnest($1::text[], $2::timestamptz[]) as u(name, at)",
            [name for name, _ in instants], [at for _, at in instants],
        )  # fmt: skip
    assert len(records) == len(instants)
    different = [
        (record["name"], record["at"].isoformat())
        for record in records
        if record["at"].astimezone(zoneinfo.ZoneInfo(record["name"])).replace(tzinfo=None, fold=0) != record["local"]
    ]
    assert different == []


def test_a_wall_time_around_each_change_means_one_instant(edges: list[tuple[str, datetime]]) -> None:
    """In a gap the same distance after it, in an overlap the first time; elsewhere the only one."""
    for name, edge in edges:
        zone = zoneinfo.ZoneInfo(name)
        before, after = (edge - SECOND).astimezone(zone).utcoffset(), edge.astimezone(zone).utcoffset()
        assert before is not None
        assert after is not None
        change = after - before
        old_wall = edge.replace(tzinfo=None) + before  # what the clocks would show at the change without it
        for minutes in (-90, -1, 0, 1, 10, 90):
            wall = old_wall + timedelta(minutes=minutes)
            at, shift = clock.resolve_local(wall, zone)
            shown = at.astimezone(zone).replace(tzinfo=None, fold=0)
            gap = timedelta() <= wall - old_wall < change
            overlap = change <= wall - old_wall < timedelta()
            assert shift == ("gap" if gap else "overlap" if overlap else None), (name, edge, wall)
            assert shown == (wall + change if gap else wall), (name, edge, wall)
            assert not overlap or at < edge, (name, edge, wall)
