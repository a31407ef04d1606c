"""Exports are read by others: CSV by Python's own reader, Parquet by DuckDB."""

import csv
import io
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.measured_posts import Scene

from signalpost.analytics.actions import export
from signalpost.analytics.parquet import Column, Writer
from signalpost.kit.db import Database

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
COLUMNS = (
    Column("text", "text"), Column("integer", "integer"), Column("number", "number"), Column("instant", "instant"),
    Column("day", "day"),
)  # fmt: skip
_INSTANTS = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)).map(  # noqa: DTZ001 - hypothesis wants naive ones
    lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000, tzinfo=UTC)
)
ROWS = st.lists(
    st.tuples(
        st.none() | st.text(st.characters(exclude_categories=("Cs",))),
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.none() | st.floats(allow_nan=False),
        st.none() | _INSTANTS,
        st.none() | st.dates(date(1900, 1, 1), date(2200, 1, 1)),
    ),
    min_size=1,
    max_size=40,
)


def read(content: bytes, folder: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The names of the columns, and all rows, as an independent reader sees them."""
    path = folder / "table.parquet"
    path.write_bytes(content)
    with duckdb.connect() as connection:
        table = connection.read_parquet(str(path))
        instants = {
            name
            for name, kind in zip(table.columns, table.types, strict=True)
            if str(kind) == "TIMESTAMP WITH TIME ZONE"
        }
        selected = [f'epoch_ms("{name}")' if name in instants else f'"{name}"' for name in table.columns]
        rows, names = table.project(", ".join(selected)).fetchall(), table.columns
    assert instants == {name for name in names if name in ("instant", "publishedAt", "collectedAt")}
    return names, [
        tuple(
            EPOCH + timedelta(milliseconds=value) if name in instants and value is not None else value
            for name, value in zip(names, row, strict=True)
        )
        for row in rows
    ]


@settings(max_examples=60, deadline=None)
@given(groups=st.lists(ROWS, max_size=3))
def test_an_independent_reader_reads_what_was_written(tmp_path_factory: pytest.TempPathFactory, groups: Any) -> None:
    """Whatever the values are: nulls in any place, empty texts, the ends of every range; no rows at all."""
    writer = Writer(COLUMNS)
    content = writer.begin() + b"".join([writer.group(rows) for rows in groups]) + writer.end()

    columns, rows = read(content, tmp_path_factory.mktemp("parquet"))

    assert columns == [column.name for column in COLUMNS]
    assert rows == [row for rows in groups for row in rows]


@pytest.fixture
async def scene(make: Make, database: Database) -> Scene:
    owner = await make.owner()
    await make.account(owner)
    return Scene(make, database, owner)


async def test_csv_and_parquet_say_the_same_and_unknown_is_empty(
    api: Api, scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "CHUNK", 2)  # several steps
    now = datetime.now(UTC).replace(microsecond=0)
    for number in range(5):
        await scene.published(now - timedelta(days=4 - number), views=10 * number, likes=number)
    await scene.published(now - timedelta(days=40), views=1)

    table = await api.get("/analytics/export", key=scene.owner.key)
    parquet = await api.get("/analytics/export", params={"format": "parquet"}, key=scene.owner.key)

    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert f'-{now.date()}.csv"' in table.headers["content-disposition"]
    lines = list(csv.DictReader(io.StringIO(table.text)))
    assert [line["views"] for line in lines] == ["0", "10", "20", "30", "40"]
    assert (lines[4]["comments"], lines[4]["engagementRate"], lines[0]["engagementRate"]) == ("", "10.0", "")
    columns, rows = read(parquet.content, tmp_path)
    assert columns == list(lines[0])
    for line, row in zip(lines, rows, strict=True):
        values = dict(zip(columns, row, strict=True))
        assert datetime.fromisoformat(line["publishedAt"]) == values["publishedAt"]
        for name in ("postId", "date", "views", "likes", "comments", "engagementRate", "rateBasis", "excerpt"):
            assert line[name] == ("" if values[name] is None else str(values[name]))


async def test_a_spreadsheet_computes_nothing(api: Api, scene: Scene, database: Database) -> None:
    post_id, _ = await scene.published(datetime.now(UTC), views=1)
    async with database.connection() as db:
        await db.execute(
            "update post set title = '=1+1', text = '@SUM(A1)' || repeat('x', 200) where workspace_id = $1",
            scene.owner.workspace_id,
        )
    (line,) = csv.DictReader(io.StringIO((await api.get("/analytics/export", key=scene.owner.key)).text))
    assert (line["postId"], line["title"]) == (post_id, "'=1+1")
    assert line["excerpt"] == "'@SUM(A1)" + "x" * 132


async def test_an_export_without_posts_has_its_columns(api: Api, make: Make, tmp_path: Path) -> None:
    owner = await make.owner()
    table = await api.get("/analytics/export", key=owner.key)
    assert table.text.splitlines() == [",".join(column.name for column in export.COLUMNS)]
    parquet = await api.get("/analytics/export", params={"format": "parquet"}, key=owner.key)
    assert read(parquet.content, tmp_path) == ([column.name for column in export.COLUMNS], [])


async def test_too_many_rows_are_refused_before_they_are_read(
    api: Api, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "ROWS_MAX", 1)
    for _ in range(2):
        await scene.published(datetime.now(UTC), views=1)
    answer = await api.get("/analytics/export", key=scene.owner.key)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "startDate")


async def test_posts_of_others_are_in_no_export(api: Api, scene: Scene, make: Make) -> None:
    await scene.published(datetime.now(UTC), views=1)
    stranger = await make.owner()
    for key in (stranger.key, scene.owner.test_key):
        assert len((await api.get("/analytics/export", key=key)).text.splitlines()) == 1
