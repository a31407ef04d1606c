"""Reading the comments under a post page by page, whatever a network lists: bounded, and each of them once."""

from collections.abc import Callable, Iterable
from typing import Any

from signalpost.kit.http import BadResponse
from signalpost.networks.contract import Comments, RemoteComment
from signalpost.networks.contract.comments import LISTED_MAX


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
