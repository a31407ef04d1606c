"""A mapping of bounded size that drops the least recently used entry."""

from collections import OrderedDict
from collections.abc import ItemsView
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruDict(Generic[K, V]):
    """Keeps at most `maxsize` entries. Reading or writing an entry makes it the most recently used one."""

    def __init__(self, maxsize: int) -> None:
        self.maxsize = maxsize
        self._entries: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def __setitem__(self, key: K, value: V) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self.maxsize:
            self._entries.popitem(last=False)

    def get(self, key: K) -> V | None:
        """Return the value and mark it as used, or return None."""
        value = self._entries.get(key)
        if value is not None:
            self._entries.move_to_end(key)
        return value

    def pop(self, key: K) -> V | None:
        """Remove the entry and return its value, or return None."""
        return self._entries.pop(key, None)

    def items(self) -> ItemsView[K, V]:
        """Return a live view, least recently used first; it marks nothing as used."""
        return self._entries.items()
