"""Comments under the objects of the Graph API: reading an edge to its end, hiding, liking, and answers."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from signalpost.networks.contract import ApiError, Comments, OutcomeUnknown, OutgoingReply, RemoteComment
from signalpost.networks.listing import Listing
from signalpost.networks.meta.errors import read_error
from signalpost.networks.meta.graph import Graph, cursor
from signalpost.networks.meta.insights import is_missing
from signalpost.networks.responses import string
from signalpost.networks.threads import PublicPart

_BYTES_MAX: Final = 8_000_000
"""A page of 100 comments, each as long as Facebook takes them, in a script of four bytes a character."""
PAGES_MAX: Final = 20
"""Of an edge: as many comments as are kept, at 50 on each."""
_MANY: Final = "The account has answered too much below this comment since then to find this answer."

_NO_LIST: Final = "The network did not list what the account has answered."


async def read_edge(
    graph: Graph, path: str, params: Mapping[str, str], listing: Listing, make: Callable[[Any], RemoteComment]
) -> None:
    """Add the comments of an edge, at most `PAGES_MAX` pages of them."""
    for _ in range(PAGES_MAX):
        body = await graph.page(path, params, bytes_max=_BYTES_MAX)
        data, after = body.get("data"), cursor(body)
        if not isinstance(data, list):  # no list, which is not an empty one: nothing counts as deleted
            break
        more = listing.add(data, make)
        if after is None:
            return
        if not more:  # a page without anything new, and yet a further one
            break
        params = {**params, "after": after}
    listing.stop()


def is_gone(error: ApiError) -> bool:
    """Return whether an error says that the object does not exist."""
    return is_missing(read_error(error.response))


def instant(value: Any) -> datetime:
    """Return a time as the API writes it.

    Raises:
        ValueError: it is none.
    """
    return datetime.fromisoformat(str(value))


async def find_answer(
    graph: Graph,
    path: str,
    params: Mapping[str, str],
    is_answer: Callable[[Mapping[str, Any]], bool],
) -> PublicPart | OutcomeUnknown | None:
    """Find an answer among the comments of an edge."""
    for _ in range(PAGES_MAX):
        body = await graph.page(path, params, bytes_max=_BYTES_MAX)
        data = body.get("data")
        if not isinstance(data, list):  # no list, which is not an empty one: the answer is not sent again
            return OutcomeUnknown(message=_NO_LIST)
        for item in data:
            if isinstance(item, dict) and (answer_id := string(item.get("id"))) and _is(is_answer, item):
                return {"id": answer_id, "url": string(item.get("permalink_url"))}
        if (after := cursor(body)) is None:
            return None
        params = {**params, "after": after}
    return OutcomeUnknown(message=_MANY)


def _is(is_answer: Callable[[Mapping[str, Any]], bool], item: Mapping[str, Any]) -> bool:
    try:
        return is_answer(item)
    except (KeyError, ValueError, TypeError):
        return False  # it is malformed, and what is looked for is not


async def comments_of_each(
    remote_ids: Sequence[str], read: Callable[[str], Awaitable[Comments]]
) -> Mapping[str, Comments | None]:
    """Read what stands under each of these posts; None for one that is gone."""
    listed: dict[str, Comments | None] = {}
    for remote_id in remote_ids:
        try:
            listed[remote_id] = await read(remote_id)
        except ApiError as error:
            if not is_gone(error):
                raise
            listed[remote_id] = None
    return listed


def thread_of(answered: OutgoingReply) -> str:
    """Return the comment below which an answer is written: answers to answers stand beside them."""
    return string(answered.reference.get("thread")) or answered.comment_id
