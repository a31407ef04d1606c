"""Ids: readable outside, ordered inside."""

import threading
import uuid
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signalpost.kit import ids


@given(st.uuids())
def test_an_id_comes_back(value: UUID) -> None:
    text = ids.encode("pst", value)

    assert len(text) == 30
    assert ids.decode("pst", text) == value
    assert ids.decode("pst", text.lower()) is None or text.lower().startswith("pst_")
    assert ids.decode("tgt", text) is None


@given(st.uuids(), st.uuids())
def test_the_outside_order_is_the_inside_order(one: UUID, other: UUID) -> None:
    """Lists are ordered by id; a client may compare the texts."""
    assert (ids.encode("a", one) < ids.encode("a", other)) == (one.int < other.int)


@pytest.mark.parametrize(
    "text",
    ["", "pst", "pst_", "pst_" + "0" * 25, "pst_" + "0" * 27, "pst_" + "U" * 26, "pst_8" + "0" * 25, "pst_é" * 9],
)
def test_what_is_no_id_is_none(text: str) -> None:
    assert ids.decode("pst", text) is None


def test_ids_only_grow_also_among_threads() -> None:
    found: list[list[UUID]] = [[] for _ in range(4)]

    def make(into: list[UUID]) -> None:
        into.extend(ids.new_id() for _ in range(5_000))

    threads = [threading.Thread(target=make, args=(into,)) for into in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for made in found:
        assert made == sorted(made, key=lambda one: one.int)
    assert len({one for made in found for one in made}) == 20_000
    assert {(one.version, one.variant) for one in found[0]} == {(7, uuid.RFC_4122)}
