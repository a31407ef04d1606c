"""Reading the comments under a post page by page, whatever a network lists: bounded, and each of them once."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.contract import Comments, RemoteComment
from signalpost.networks.contract.comments import LISTED_MAX

PAGES_MAX: Final = 10
"""Numbered pages that are read of one post."""


class Listing:
    """The comments that were read so far.

    A comment that comes a second time shows that the list moved while it was read: one that moved the other way was
    never seen, so the list is not called complete, and nothing counts as deleted.
    """

    def __init__(self) -> None:
        self._items: dict[str, RemoteComment] = {}
        self._complete = True

    def add(self, values: Iterable[Any], make: Callable[[Any], RemoteComment]) -> bool:
        """Add a page; return whether the next one may bring something.

        What is malformed does not hide the others; but nothing counts as deleted then, since it may be one of them.
        """
        added = False
        for value in values:
            if len(self._items) >= LISTED_MAX:
                self._complete = False
                return False
            try:
                item = make(value)
            except (BadResponse, ValueError, KeyError, TypeError, AttributeError):
                self._complete = False
                continue
            if item.remote_id in self._items:
                self._complete = False
            else:
                self._items[item.remote_id] = item
                added = True
        return added

    def stop(self) -> None:
        """Note that there is more, which is not read."""
        self._complete = False

    def comments(self) -> Comments:
        """Return what was read."""
        return Comments(items=tuple(self._items.values()), complete=self._complete)


async def read_pages(
    read_page: Callable[[int], Awaitable[tuple[Any, bool]]], make: Callable[[Any], RemoteComment]
) -> Comments:
    """Read what a network lists on numbered pages, up to `PAGES_MAX`.

    Args:
        read_page: returns the entries of a page, from 1, and whether the network says that another one follows.
        make: makes a comment of an entry.

    Raises:
        BadResponse: a page is not a list.
    """
    listing = Listing()
    for page in range(1, PAGES_MAX + 1):
        entries, follows = await read_page(page)
        if not isinstance(entries, list):
            raise BadResponse("the response is not a list of comments")
        brings = listing.add(entries, make)
        if not follows:
            break
        if not brings or page == PAGES_MAX:
            listing.stop()
            break
    return listing.comments()
