"""Lists of comments at the Graph API that are none, or have something malformed: nothing is taken for deleted."""

from typing import Any, cast

import pytest

from signalpost.kit import clock
from signalpost.networks.contract import OutcomeUnknown, RemoteComment
from signalpost.networks.listing import Listing
from signalpost.networks.meta.comments import find_answer, read_edge
from signalpost.networks.meta.graph import Graph


class Edge:
    """Answers with one body."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body

    async def page(self, _path: str, _params: Any, *, bytes_max: int) -> dict[str, Any]:
        assert bytes_max > 0
        return self.body


def _comment(item: Any) -> RemoteComment:
    return RemoteComment(remote_id=item["id"], author_id="1", author_name="Ada", text="", posted_at=clock.actual())


@pytest.mark.parametrize(
    ("body", "count", "complete"),
    [
        ({"data": [{"id": "1"}]}, 1, True),
        ({"data": []}, 0, True),
        ({"data": [{"id": "1"}, {}]}, 1, False),
        ({}, 0, False),
        ({"data": {"id": "1"}}, 0, False),
    ],
)
async def test_a_list_that_lacks_something_is_not_complete(body: dict[str, Any], count: int, complete: bool) -> None:
    listing = Listing()
    await read_edge(cast("Graph", Edge(body)), "1/comments", {}, listing, _comment)
    found = listing.comments()
    assert (len(found.items), found.complete) == (count, complete)


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": {"id": "1"}}])
async def test_an_answer_is_not_missing_where_there_is_no_list(body: dict[str, Any]) -> None:
    found = await find_answer(cast("Graph", Edge(body)), "1/comments", {}, lambda _: False)
    assert isinstance(found, OutcomeUnknown)
