"""How much fits into a post: found without measuring each possible end of the text."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from signalpost.captions.units import Unit
from signalpost.networks.contract import TextRule
from signalpost.networks.counting import length


class Sizes:
    """How long units are, together: in the unit that the network counts, and in bytes if it counts those too."""

    def __init__(self, rule: TextRule, units: Sequence[Unit], tracked: Callable[[str], str]) -> None:
        self._rule, self._tracked = rule, tracked
        sizes = [self.of(unit.before + unit.text) for unit in units]
        self._lengths = [0, *accumulate(size[0] for size in sizes)]
        self._bytes = [0, *accumulate(size[1] for size in sizes)]

    def of(self, text: str) -> tuple[int, int]:
        """Return the length of a text, and its bytes."""
        text = self._tracked(text)
        bytes_count = 0 if self._rule.bytes_max is None else len(text.encode("utf-8", "surrogatepass"))
        return length(self._rule, text), bytes_count

    def longest(self) -> int:
        """Return how many units one post may have at most."""
        return bisect_right(self._lengths, self._rule.max_length) - 1

    def allow(self, start: int, end: int, *others: tuple[int, int]) -> bool:
        """Whether these units and other texts of these sizes may stand in one post."""
        length_sum = self._lengths[end] - self._lengths[start] + sum(other[0] for other in others)
        bytes_sum = self._bytes[end] - self._bytes[start] + sum(other[1] for other in others)
        return length_sum <= self._rule.max_length and bytes_sum <= (self._rule.bytes_max or bytes_sum)


def most(count: int, allows: Callable[[int], bool]) -> int:
    """Return the largest number up to `count` that is allowed, or 0: asks for `count`, then by halves."""
    if count <= 0 or allows(count):
        return max(count, 0)
    return bisect_left(range(1, count), x=True, key=lambda number: not allows(number))
