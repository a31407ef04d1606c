"""Exporting the numbers of posts as a table: CSV or Parquet, a row for each post on each network."""

import csv
import io
from collections.abc import Sequence
from typing import Any, Final

from signalpost.analytics import rates, totals
from signalpost.analytics.actions import ask, discover
from signalpost.analytics.parquet import Column, Writer
from signalpost.analytics.period import Days
from signalpost.analytics.schemas import ExportQuery
from signalpost.analytics.totals import ExportRow
from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.worker_threads import in_thread
from signalpost.web.caller import Caller
from signalpost.web.routing import RawResponse

ROWS_MAX: Final = 100_000
CHUNK: Final = 2_000
COLUMNS: Final = (
    Column("postId", "text"),
    Column("targetId", "text"),
    Column("profileId", "text"),
    Column("accountId", "text"),
    Column("platform", "text"),
    Column("title", "text"),
    Column("url", "text"),
    Column("date", "day"),
    Column("publishedAt", "instant"),
    Column("collectedAt", "instant"),
    Column("views", "integer"),
    Column("likes", "integer"),
    Column("comments", "integer"),
    Column("shares", "integer"),
    Column("saves", "integer"),
    Column("clicks", "integer"),
    Column("impressions", "integer"),
    Column("reach", "integer"),
    Column("watchTimeSeconds", "integer"),
    Column("engagementRate", "number"),
    Column("rateBasis", "text"),
    Column("excerpt", "text"),
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""With these a spreadsheet begins to compute; titles and texts come from people, addresses from networks."""


async def export(context: AppContext, caller: Caller, query: ExportQuery) -> RawResponse:
    """Return the table of a period.

    Raises:
        ValidationFailed: the days make no period, or there are more rows than fit.
        NotFound: the caller sees no such profile.
    """
    async with context.database.transaction() as db:
        timezone = await ask.zone_of(db, caller, query.profile_id)
        days = ask.days_of(caller, query, timezone)
        await discover.bring_up_to_date(db, caller.workspace_id)
        posts = (await totals.total_of(db, caller, days, query.profile_id)).posts
    if posts > ROWS_MAX:
        message = f"These are {posts} rows, and an export has at most {ROWS_MAX}: shorten the period."
        raise problems.invalid("startDate", "out_of_range", message, max=ROWS_MAX)
    pieces = await (_parquet if query.format == "parquet" else _csv)(context, caller, days, query)
    name = f"analytics-{days.start}-{days.end}.{query.format}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Clipped": str(days.clipped).lower()}
    media_type = "application/vnd.apache.parquet" if query.format == "parquet" else "text/csv; charset=utf-8"
    return RawResponse(b"".join(pieces), media_type, headers=headers)


async def _csv(context: AppContext, caller: Caller, days: Days, query: ExportQuery) -> list[bytes]:
    pieces = [_csv_lines([[column.name for column in COLUMNS]])]
    chunks = totals.export_rows(context.database, caller, days, query.profile_id, CHUNK)
    pieces += [await in_thread(_csv_chunk, rows) async for rows in chunks]
    return pieces


async def _parquet(context: AppContext, caller: Caller, days: Days, query: ExportQuery) -> list[bytes]:
    writer = Writer(COLUMNS)
    pieces = [writer.begin()]
    chunks = totals.export_rows(context.database, caller, days, query.profile_id, CHUNK)
    pieces += [await in_thread(_parquet_chunk, writer, rows) async for rows in chunks]
    return [*pieces, writer.end()]


def _csv_chunk(rows: Sequence[ExportRow]) -> bytes:
    return _csv_lines(
        [[_cell(column, value) for column, value in zip(COLUMNS, _values(row), strict=True)] for row in rows]
    )


def _parquet_chunk(writer: Writer, rows: Sequence[ExportRow]) -> bytes:
    return writer.group([_values(row) for row in rows])


def _csv_lines(lines: Sequence[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(lines)
    return text.getvalue().encode()


def _cell(column: Column, value: Any) -> Any:
    """Return what a CSV file has for a value: nothing for null, and no text that a spreadsheet would compute."""
    if value is None:
        return ""
    match column.kind:
        case "instant":
            return clock.wire(value)
        case "text" if value.startswith(_FORMULA):
            return f"'{value}"
        case _:
            return value


def _values(row: ExportRow) -> list[Any]:
    rate = rates.of_post(row.interactions, row.impressions, row.reach, row.views)
    return [
        ids.encode("pst", row.post_id),
        ids.encode("tgt", row.target_id),
        ids.encode("prof", row.profile_id),
        ids.encode("acc", row.account_id),
        row.platform,
        row.title,
        row.url,
        row.day,
        row.published_at,
        row.collected_at,
        *(getattr(row, name) for name in totals.NUMBERS),
        rate.percent,
        rate.basis,
        row.excerpt,
    ]
