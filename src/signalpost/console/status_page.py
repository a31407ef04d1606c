"""The public status page and its feed: one copy for all readers of a language, one on the disk for when the database is
down.
"""

import asyncio
import os
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from signalpost.console import status_feed
from signalpost.console.site import HTML, SECURITY_HEADERS, CachedContent, card_picture, render
from signalpost.console.texts import DEFAULT, LANGUAGES, Texts
from signalpost.context import AppContext
from signalpost.kit import clock, db, log, problems
from signalpost.status import queries, uptime
from signalpost.status.queries import UPTIME_DAYS, ComponentRow, DayRow, IncidentRow, UpdateRow
from signalpost.status.states import COMPONENT_STATUSES, ComponentStatus, IncidentStatus, worst

FRESH_SECONDS: Final = 5.0
READ_SECONDS: Final = 3.0
RECENT: Final = 20
NOT_MEASURED_AFTER: Final = timedelta(minutes=5)
"""After so long without a sample no engine runs: what components had last says nothing about now."""
_ATOM: Final = b"application/atom+xml; charset=utf-8"
_COPY_MARK: Final = b"<!-- copy -->"
Bodies = tuple[bytes, bytes]
"""A page and a feed."""
HEADLINES: Final[dict[ComponentStatus, str]] = {
    "operational": "All systems are operational",
    "under_maintenance": "Maintenance is under way",
    "degraded_performance": "Some systems are slower than usual",
    "partial_outage": "Some systems are partly down",
    "major_outage": "Some systems are down",
}
STATUSES: Final[dict[IncidentStatus, str]] = {
    "investigating": "Investigating",
    "identified": "Identified",
    "monitoring": "Monitoring",
    "resolved": "Resolved",
    "scheduled": "Scheduled",
    "in_progress": "In progress",
    "verifying": "Verifying",
    "completed": "Completed",
}
LABELS: Final[dict[ComponentStatus, str]] = {
    "operational": "Operational",
    "under_maintenance": "Maintenance",
    "degraded_performance": "Degraded",
    "partial_outage": "Partial outage",
    "major_outage": "Major outage",
}
SEEDED: Final = (
    "API", "Requests to the API.", "Dashboard", "The web pages.", "Publishing queue", "Posts go out at their time.",
    "Webhooks", "Events are delivered.", "Media", "Uploads and files.",
)  # fmt: skip
"""What components are called when an installation begins; what the operator writes instead stays as it is."""
_logger = log.get("console")


class Copies(Struct):
    """The page and the feed in each language, as they were made last."""

    pages: dict[str, CachedContent] = {}
    feeds: dict[str, CachedContent] = {}
    looked_at: float = float("-inf")
    making: "asyncio.Task[None] | None" = None


async def current(context: AppContext, language: str) -> tuple[CachedContent, CachedContent]:
    """Return the page and the feed in a language, at most some seconds old; the last copies if the database is down.

    Raises:
        Unavailable: the database is down, and there is no copy.
    """
    copies = context.state(Copies)
    if not copies.pages or clock.monotonic() >= copies.looked_at + FRESH_SECONDS:
        if copies.making is None or copies.making.done():
            copies.making = asyncio.create_task(_refresh(context, copies))
        await asyncio.shield(copies.making)
    if not copies.pages:
        raise problems.Unavailable("The status of the service cannot be read now.", headers={"Retry-After": "5"})
    return copies.pages[language], copies.feeds[language]


async def _refresh(context: AppContext, copies: Copies) -> None:
    bodies: Mapping[str, Bodies] | None
    try:
        async with asyncio.timeout(READ_SECONDS):
            bodies = await _make(context)
    except (problems.Unavailable, TimeoutError, *db.DATABASE_UNREACHABLE):
        bodies = await _last(context, copies)
    else:
        if not await asyncio.to_thread(folder_of(context).exists):
            await _store(context, bodies)
    if bodies is not None:
        copies.pages = {language: _content(page, HTML) for language, (page, _) in bodies.items()}
        copies.feeds = {language: _content(feed, _ATOM) for language, (_, feed) in bodies.items()}
    copies.looked_at = clock.monotonic()


async def _last(context: AppContext, copies: Copies) -> dict[str, Bodies] | None:
    """Return the last copies, of this process or from the data folder; each page says what it is."""
    if copies.pages:
        bodies = {language: (copies.pages[language].body, copies.feeds[language].body) for language in LANGUAGES}
    elif (stored := await asyncio.to_thread(_read, folder_of(context))) is not None:
        bodies = stored
    else:
        return None
    return {
        language: (page.replace(_COPY_MARK, _copy_notice(Texts(language))), feed)
        for language, (page, feed) in bodies.items()
    }


def _copy_notice(t: Texts) -> bytes:
    text = t("This is the last copy of the page: at this moment the service cannot read its database.")
    return f'<p class="notice">{text}</p>'.encode()


def _content(body: bytes, media_type: bytes) -> CachedContent:
    return CachedContent(body, media_type, headers=[*SECURITY_HEADERS, (b"vary", b"accept-language")])


async def publish(context: AppContext) -> None:
    """Renew the copies in the data folder, once someone has read the page: rendering takes 3 MB of memory for good."""
    if await asyncio.to_thread(folder_of(context).exists):
        await _store(context, await _make(context))


async def _store(context: AppContext, bodies: Mapping[str, Bodies]) -> None:
    """Write the pages and the feeds, each at once as a whole."""
    files = {name: body for language, both in bodies.items() for name, body in zip(_names(language), both, strict=True)}
    try:
        await asyncio.to_thread(_write, folder_of(context), files)
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


def _names(language: str) -> tuple[str, str]:
    """Return the files of the page and the feed in a language."""
    part = "" if language == DEFAULT else f".{language}"
    return f"index{part}.html", f"feed{part}.atom"


def _read(folder: Path) -> dict[str, Bodies] | None:
    try:
        names = {language: _names(language) for language in LANGUAGES}
        return {
            language: ((folder / page).read_bytes(), (folder / feed).read_bytes())
            for language, (page, feed) in names.items()
        }
    except OSError:
        return None


async def _make(context: AppContext) -> dict[str, Bodies]:
    """Read everything and render it in each language, in a thread: the bars of many components take milliseconds."""
    now = clock.actual()
    async with context.database.connection() as connection:
        components = await queries.components(connection)
        first = now.date() - timedelta(days=UPTIME_DAYS)
        days = await queries.days(connection, first)
        measured_at = await queries.last_sample(connection, first)
        active = await queries.active(connection)
        recent = await queries.recent(connection, (None, None, RECENT))
        updates = await queries.updates(connection, [*active, *recent])
    overall = worst(row.status for row in components)
    stopped_at = measured_at if measured_at is not None and now - measured_at > NOT_MEASURED_AFTER else None
    unknown = stopped_at is not None and overall == "operational"

    def render_in(language: str) -> Bodies:
        t = Texts(language)
        names = {row.id: t(row.name) for row in components}

        def incidents(rows: Sequence[IncidentRow]) -> list[dict[str, Any]]:
            return [_incident(t, row, updates[row.id], names) for row in rows]

        page = render(
            context.fixed_url,
            "status",
            card=card_picture(context.fixed_url),
            t=t,
            language=language,
            headline=t("The status is not known at this moment") if unknown else t(HEADLINES[overall]),
            overall="unknown" if unknown else overall,
            measured_at=None if stopped_at is None else _time(t, stopped_at),
            groups=_groups(t, components, days, now.date()),
            active=incidents([row for row in active if row.status != "scheduled"]),
            planned=incidents([row for row in active if row.status == "scheduled"]),
            recent=incidents(recent),
            sends_mail=context.settings.smtp_url is not None,
            updated_at=_time(t, now),
        )
        url = f"{context.fixed_url}/status"
        return page, status_feed.render([*active, *recent], updates, url=url, now=now, t=t, statuses=STATUSES)

    return await asyncio.to_thread(lambda: {language: render_in(language) for language in LANGUAGES})


def _time(t: Texts, at: datetime) -> str:
    return t.time(clock.wire(at))


def _groups(
    t: Texts, components: Sequence[ComponentRow], days: Mapping[UUID, Sequence[DayRow]], today: date
) -> dict[str, list[dict[str, Any]]]:
    """Return the components by their heading; those without one come first, under an empty heading."""
    groups: dict[str, list[dict[str, Any]]] = {"": []}
    for row in components:
        groups.setdefault(row.group_name or "", []).append(_component(t, row, days.get(row.id, ()), today))
    return {heading: entries for heading, entries in groups.items() if entries}


def _component(t: Texts, row: ComponentRow, days: Sequence[DayRow], today: date) -> dict[str, Any]:
    percent = uptime.percent(uptime.together(days))
    return {
        "name": t(row.name),
        "description": t(row.description or ""),
        "status": row.status,
        "label": t(LABELS[row.status]),
        "uptime": None if percent is None else t.percent(percent),
        "bars": _bars(t, {day.day: day.minutes for day in days}, today),
    }


def _bars(t: Texts, minutes_by_day: Mapping[date, Sequence[int]], today: date) -> list[tuple[int, str, str]]:
    """Return for each of the 90 days its place, its class, and a text if there was trouble."""
    bars: list[tuple[int, str, str]] = []
    for place in range(UPTIME_DAYS):
        day = today - timedelta(days=UPTIME_DAYS - 1 - place)
        minutes = minutes_by_day.get(day)
        status = None if minutes is None else uptime.worst_of(minutes)
        text = ""
        if minutes is not None and status not in (None, "operational"):
            parts = [
                f"{t(LABELS[name])} {count} min"
                for name, count in zip(COMPONENT_STATUSES, minutes, strict=True)
                if count and name != "operational"
            ]
            text = f"{t.day(day)}: {', '.join(parts)}"
        bars.append((place, status or "unknown", text))
    return bars


def _incident(t: Texts, row: IncidentRow, updates: Sequence[UpdateRow], names: Mapping[UUID, str]) -> dict[str, Any]:
    planned = [time for time in (row.scheduled_for, row.scheduled_until) if time is not None]
    return {
        "id": str(row.id),
        "title": row.title,
        "impact": row.impact,
        "status": t(STATUSES[row.status]),
        "components": [names[component_id] for component_id in row.component_ids if component_id in names],
        "planned": " - ".join(_time(t, time) for time in planned),
        "updates": [
            {"status": t(STATUSES[entry.status]), "body": entry.body, "at": _time(t, entry.created_at)}
            for entry in updates
        ],
    }
