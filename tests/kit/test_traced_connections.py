"""How statements are named in spans, and that no constant of theirs gets there."""

import pytest

from signalpost.kit.traced_connections import TEXT_MAX, described


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("select id from post where id = $1", "select post"),
        ("\n  SELECT 1", "select"),
        ("BEGIN;", "begin"),
        ("COMMIT;", "commit"),
        ("with g as (select * from unnest($1)), w as (insert into post (id) select id from g) select 1", "insert post"),
        ("update delivery d set state = 'x' where id = $1", "update delivery"),
        ("delete from target where post_id = $1", "delete target"),
        ("select id from lane for update skip locked", "select lane"),
        ("select id from job for no key update of j skip locked", "select job"),
        ("", "statement"),
    ],
)
def test_a_statement_is_named_by_what_it_does_to_which_table(statement: str, name: str) -> None:
    assert described(statement)[0] == name


@pytest.mark.parametrize(
    "statement",
    ["select set_config('a', 'canary', false)", "select 'it''s canary'", "select '\ncanary", "select E'canary"],
)
def test_constants_are_left_out(statement: str) -> None:
    assert "canary" not in str(described(statement))


def test_a_text_is_bounded() -> None:
    assert len(described("select " + "x" * 50_000)[1]["db.query.text"]) == TEXT_MAX
