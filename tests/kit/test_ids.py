"""Ids: readable outside, ordered inside."""

import threading
import uuid
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signalpost.kit import ids
from signalpost.web.fields import AccountId, PostId


@given(st.uuids())
def test_an_id_comes_back(value: UUID) -> None:
    text = ids.encode("pst", value)

    assert len(text) == 30
    assert ids.decode("pst", text) == value
    assert ids.decode("pst", text.lower()) is None or text.lower().startswith("pst_")
    assert ids.decode("tgt", text) is None


@given(st.uuids(), st.uuids())
def test_the_outside_order_is_the_inside_order(left: UUID, right: UUID) -> None:
    """Lists are ordered by id; a client may compare the texts."""
    assert (ids.encode("a", left) < ids.encode("a", right)) == (left.int < right.int)


def test_an_id_that_is_read_again_is_of_its_own_kind() -> None:
    """Parsed ids are kept: one kind must not be given another one's."""
    number = UUID(int=5)
    for _ in range(2):
        parsed = PostId.parse(ids.encode("pst", number))
        assert (type(parsed), parsed) == (PostId, number)
        assert AccountId.parse(ids.encode("pst", number)) is None
        assert AccountId.parse(ids.encode("acc", number)) == number


@pytest.mark.parametrize(
    "text",
    ["", "pst", "pst_", "pst_" + "0" * 25, "pst_" + "0" * 27, "pst_" + "U" * 26, "pst_8" + "0" * 25, "pst_é" * 9],
)
def test_a_malformed_id_is_none(text: str) -> None:
    assert ids.decode("pst", text) is None


def test_ids_only_grow_also_among_threads() -> None:
    batches: list[list[UUID]] = [[] for _ in range(4)]

    def generate(batch: list[UUID]) -> None:
        batch.extend(ids.new_id() for _ in range(5_000))

    threads = [threading.Thread(target=generate, args=(batch,)) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for batch in batches:
        assert batch == sorted(batch, key=lambda value: value.int)
    assert len({value for batch in batches for value in batch}) == 20_000
    assert {(value.version, value.variant) for value in batches[0]} == {(7, uuid.RFC_4122)}
