"""What is derived from a row struct is what a person would have written."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from msgspec import Struct

from signalpost.kit import ids, rows
from signalpost.kit.db import Database
from signalpost.posts.rows import PostRow


class Reason(Struct):
    code: str
    occurred_at: datetime


class ThingRow(Struct):
    id: UUID
    name: str
    reasons: list[Reason]
    last: Reason | None
    owner_name: str


async def test_a_row_comes_back_as_it_was_written(database: Database) -> None:
    """Documents are structs with snake_case names in the database, whatever the API calls their members."""
    reason = Reason("text_too_long", datetime(2026, 11, 21, 18, tzinfo=UTC))
    written = ThingRow(ids.new_id(), "one", [reason], reason, "ada")
    async with database.transaction() as db:
        await db.execute("create temp table thing (id uuid, name text, reasons jsonb, last jsonb) on commit drop")
        statement = rows.insert("thing", ThingRow, without=["owner_name"])
        await db.execute(statement, *rows.values(written, without=["owner_name"]))
        record = await db.fetchrow("select " + rows.columns(ThingRow, "t", owner_name="'ada'") + " from thing t")
        stored = await db.fetchval("select last ->> 'occurred_at' from thing")

    assert record is not None
    assert rows.reader(ThingRow)(record) == written
    assert stored == "2026-11-21T18:00:00Z"
    assert statement == "insert into thing (id, name, reasons, last) values ($1, $2, $3, $4)"


def test_a_select_list_names_every_field_in_order() -> None:
    assert rows.columns(ThingRow) == "id, name, reasons::text, last::text, owner_name"
    assert rows.columns(ThingRow, "t", owner_name="u.name") == "t.id, t.name, t.reasons::text, t.last::text, u.name"
    assert rows.names(ThingRow) == "id, name, reasons, last, owner_name"


def test_an_update_assigns_every_field_but_those_left_out() -> None:
    assert rows.assignments(Reason, first=3) == "code = $3, occurred_at = $4"
    assert rows.assignments(Reason, first=2, without=["code"]) == "occurred_at = $2"


@pytest.mark.parametrize("text", ["", "pst_", "acc_01M7Z0000000000000000000AB", "pst_01M7Z", "pst_" + "U" * 26])
def test_a_malformed_id_is_none(text: str) -> None:
    class PostId(ids.Id, prefix="pst", noun="post"): ...

    assert PostId.parse(text) is None
    assert PostId.parse(ids.encode("pst", UUID(int=5))) == UUID(int=5)


class Shown(Struct):
    code: str
    name: str | None
    noted: str | None = None


def test_a_builder_takes_each_field_from_the_value_of_its_name() -> None:
    names = ("name", "code", "spare", "code", "noted")
    build = rows.builder(Shown, names, conversions={"name": str.upper, "noted": str.upper}, defaults={"name": "-"})
    assert build(["ada", "replaced", "left out", "last", None]) == Shown("last", "ADA", None)
    assert build([None, None, None, None, "x"]) == Shown(None, "-", "X")  # type: ignore[arg-type]


@pytest.mark.parametrize(("names", "conversions"), [(("code", "name"), {}), (("code", "name", "noted"), {"nome": str})])
def test_a_builder_refuses_names_that_nothing_has(names: tuple[str, ...], conversions: dict[str, rows.Convert]) -> None:
    with pytest.raises(ValueError, match="Shown: nothing is called"):
        rows.builder(Shown, names, conversions=conversions)


def test_a_view_takes_json_as_text_and_instants_as_microseconds() -> None:
    assert rows.view_columns(ThingRow, "t", ("last", "name", "owner_name"), owner_name="u.name") == (
        "t.last::text, t.name, u.name"
    )
    assert rows.view_columns(PostRow, "p", ("media", "options", "approval", "tags")) == (
        "nullif(p.media, '[]')::text as media, nullif(p.options, '{}')::text as options, nullif(p.approval,"
        """ '{"state":"not_required","requested_by":null,"decided_by":null,"note":null,"decided_at":null}')::text"""
        " as approval, p.tags"
    )
    assert rows.view_columns(Reason, "r", ("occurred_at",)) == (
        "(date_part('epoch', r.occurred_at) * 1000000)::int8 as occurred_at"
    )
