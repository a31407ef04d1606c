"""The public status page and its feed: one copy for all readers, one on the disk for when the database is down."""

import asyncio
import os
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.console import status_feed
from signalpost.console.site import HTML, SECURITY_HEADERS, CachedContent, render
from signalpost.context import AppContext
from signalpost.kit import clock, db, log, problems
from signalpost.status import queries, uptime
from signalpost.status.queries import UPTIME_DAYS, ComponentRow, DayRow, IncidentRow, UpdateRow
from signalpost.status.states import COMPONENT_STATUSES, ComponentStatus, worst

FRESH_SECONDS: Final = 5.0
READ_SECONDS: Final = 3.0
RECENT: Final = 20
NOT_MEASURED_AFTER: Final = timedelta(minutes=5)
"""After so long without a sample no engine runs: what components had last says nothing about now."""
PAGE_FILE: Final = "index.html"
FEED_FILE: Final = "feed.atom"
_ATOM: Final = b"application/atom+xml; charset=utf-8"
_COPY_MARK: Final = b"<!-- copy -->"
_COPY_NOTICE: Final = (
    b'<p class="notice">This is the last copy of the page: at this moment the service cannot read its database.</p>'
)
_HEADLINES: Final[dict[ComponentStatus, str]] = {
    "operational": "All systems are operational",
    "under_maintenance": "Maintenance is under way",
    "degraded_performance": "Some systems are slower than usual",
    "partial_outage": "Some systems are partly down",
    "major_outage": "Some systems are down",
}
_UNKNOWN: Final = "The status is not known at this moment"
LABELS: Final[dict[ComponentStatus, str]] = {
    "operational": "Operational",
    "under_maintenance": "Maintenance",
    "degraded_performance": "Degraded",
    "partial_outage": "Partial outage",
    "major_outage": "Major outage",
}
_logger = log.get("console")


class Copies(Struct):
    """The page and the feed, as they were made last."""

    page: CachedContent | None = None
    feed: CachedContent | None = None
    looked_at: float = float("-inf")
    making: "asyncio.Task[None] | None" = None


async def current(context: AppContext) -> tuple[CachedContent, CachedContent]:
    """Return the page and the feed, at most some seconds old; the last copies if the database is down.

    Raises:
        Unavailable: the database is down, and there is no copy.
    """
    copies = context.state(Copies)
    if copies.page is None or clock.monotonic() >= copies.looked_at + FRESH_SECONDS:
        if copies.making is None or copies.making.done():
            copies.making = asyncio.create_task(_refresh(context, copies))
        await asyncio.shield(copies.making)
    if copies.page is None or copies.feed is None:
        raise problems.Unavailable("The status of the service cannot be read now.", headers={"Retry-After": "5"})
    return copies.page, copies.feed


async def _refresh(context: AppContext, copies: Copies) -> None:
    bodies: tuple[bytes, bytes] | None
    try:
        async with asyncio.timeout(READ_SECONDS):
            bodies = await _make(context)
    except (problems.Unavailable, TimeoutError, *db.DATABASE_UNREACHABLE):
        bodies = await _last(context, copies)
    else:
        if not await asyncio.to_thread(folder_of(context).exists):
            await _store(context, *bodies)
    if bodies is not None:
        copies.page, copies.feed = _content(bodies[0], HTML), _content(bodies[1], _ATOM)
    copies.looked_at = clock.monotonic()


async def _last(context: AppContext, copies: Copies) -> tuple[bytes, bytes] | None:
    """Return the last copies, of this process or from the data folder; the page says what it is."""
    if copies.page is not None and copies.feed is not None:
        bodies = copies.page.body, copies.feed.body
    elif (stored := await asyncio.to_thread(_read, folder_of(context))) is not None:
        bodies = stored
    else:
        return None
    return bodies[0].replace(_COPY_MARK, _COPY_NOTICE), bodies[1]


def _content(body: bytes, media_type: bytes) -> CachedContent:
    return CachedContent(body, media_type, headers=SECURITY_HEADERS)


async def publish(context: AppContext) -> None:
    """Renew the copies in the data folder, once someone has read the page: rendering takes 3 MB of memory for good."""
    if await asyncio.to_thread(folder_of(context).exists):
        await _store(context, *await _make(context))


async def _store(context: AppContext, page: bytes, feed: bytes) -> None:
    """Write the page and the feed, each at once as a whole."""
    try:
        await asyncio.to_thread(_write, folder_of(context), {PAGE_FILE: page, FEED_FILE: feed})
    except OSError as error:  # a full disk: the page still works, and health says so
        _logger.warning("status.copy_not_written", reason=str(error))


def folder_of(context: AppContext) -> Path:
    """Return the folder of the copies."""
    return context.settings.data_dir / "status"


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{name}.", delete=False) as file:
            temporary = Path(file.name)
            try:
                file.write(content)
                file.close()
                temporary.chmod(0o644)
                os.replace(temporary, folder / name)  # noqa: PTH105 - `Path.replace` says nothing else
            except OSError:
                temporary.unlink(missing_ok=True)
                raise


def _read(folder: Path) -> tuple[bytes, bytes] | None:
    try:
        return (folder / PAGE_FILE).read_bytes(), (folder / FEED_FILE).read_bytes()
    except OSError:
        return None


async def _make(context: AppContext) -> tuple[bytes, bytes]:
    """Read everything and render it, in a thread: the bars of many components take some milliseconds."""
    now = clock.actual()
    async with context.database.connection() as connection:
        components = await queries.components(connection)
        first = now.date() - timedelta(days=UPTIME_DAYS)
        days = await queries.days(connection, first)
        measured_at = await queries.last_sample(connection, first)
        active = await queries.active(connection)
        recent = await queries.recent(connection, (None, None, RECENT))
        updates = await queries.updates(connection, [*active, *recent])
    names = {row.id: row.name for row in components}

    def incidents(rows: Sequence[IncidentRow]) -> list[dict[str, Any]]:
        return [_incident(row, updates[row.id], names) for row in rows]

    def render_both() -> tuple[bytes, bytes]:
        overall = worst(row.status for row in components)
        stopped = measured_at is not None and now - measured_at > NOT_MEASURED_AFTER
        unknown = stopped and overall == "operational"
        page = render(
            context.fixed_url,
            "status",
            headline=_UNKNOWN if unknown else _HEADLINES[overall],
            overall="unknown" if unknown else overall,
            measured_at=f"{measured_at:%d %B %Y, %H:%M} UTC" if stopped else None,
            groups=_groups(components, days, now.date()),
            active=incidents([row for row in active if row.status != "scheduled"]),
            planned=incidents([row for row in active if row.status == "scheduled"]),
            recent=incidents(recent),
            sends_mail=context.settings.smtp_url is not None,
            updated_at=f"{now:%d %B %Y, %H:%M} UTC",
        )
        return page, status_feed.render([*active, *recent], updates, url=f"{context.fixed_url}/status", now=now)

    return await asyncio.to_thread(render_both)


def _groups(
    components: Sequence[ComponentRow], days: Mapping[UUID, Sequence[DayRow]], today: date
) -> dict[str, list[dict[str, Any]]]:
    """Return the components by their heading; those without one come first, under an empty heading."""
    groups: dict[str, list[dict[str, Any]]] = {"": []}
    for row in components:
        groups.setdefault(row.group_name or "", []).append(_component(row, days.get(row.id, ()), today))
    return {heading: entries for heading, entries in groups.items() if entries}


def _component(row: ComponentRow, days: Sequence[DayRow], today: date) -> dict[str, Any]:
    percent = uptime.percent(uptime.together(days))
    return {
        "name": row.name,
        "description": row.description,
        "status": row.status,
        "label": LABELS[row.status],
        "uptime": None if percent is None else f"{percent:.2f} %",
        "bars": _bars({day.day: day.minutes for day in days}, today),
    }


def _bars(minutes_by_day: Mapping[date, Sequence[int]], today: date) -> list[tuple[int, str, str]]:
    """Return for each of the 90 days its place, its class, and a text if there was trouble."""
    bars: list[tuple[int, str, str]] = []
    for place in range(UPTIME_DAYS):
        day = today - timedelta(days=UPTIME_DAYS - 1 - place)
        minutes = minutes_by_day.get(day)
        status = None if minutes is None else uptime.worst_of(minutes)
        text = ""
        if minutes is not None and status not in (None, "operational"):
            parts = [
                f"{LABELS[name].lower()} {count} min"
                for name, count in zip(COMPONENT_STATUSES, minutes, strict=True)
                if count and name != "operational"
            ]
            text = f"{day:%d %B %Y}: {', '.join(parts)}"
        bars.append((place, status or "unknown", text))
    return bars


def _incident(row: IncidentRow, updates: Sequence[UpdateRow], names: Mapping[UUID, str]) -> dict[str, Any]:
    planned = [time for time in (row.scheduled_for, row.scheduled_until) if time is not None]
    return {
        "id": str(row.id),
        "title": row.title,
        "impact": row.impact,
        "status": row.status.replace("_", " "),
        "components": [names[component_id] for component_id in row.component_ids if component_id in names],
        "planned": " to ".join(f"{time:%d %B, %H:%M} UTC" for time in planned),
        "updates": [
            {"status": entry.status.replace("_", " "), "body": entry.body, "at": f"{entry.created_at:%d %B, %H:%M} UTC"}
            for entry in updates
        ],
    }
