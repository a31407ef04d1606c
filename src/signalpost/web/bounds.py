"""How much work a JSON body makes, estimated before it is decoded: decoding is one call that nothing can interrupt."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from signalpost.kit import problems
from signalpost.kit.pace import Pace

CONTAINERS_MAX = 20_000
"""Objects and lists in a body. Decoding so many takes a few milliseconds; two megabytes of `{}` would take over 100."""
STRINGS_MAX = 50_000
"""Strings in a body, names of members included."""
VALUES_MAX = 100_000
"""Items of lists and members of objects."""
EXPONENTS_MAX = 1_000
"""Numbers with a negative exponent. msgspec needs up to 8 microseconds for one that is close to zero."""
INLINE_MAX = 1_000
"""Values of a body that is decoded, and explained if it is invalid, without a thread."""
INLINE_BYTES_MAX = 100_000
"""Size of such a body: some messages about a value repeat it."""
PIECE_BYTES = 100_000
"""How much is counted before others go first, if it took long. Even: see `_pieces`."""


class _Counts(NamedTuple):
    containers: int
    strings: int
    values: int
    exponents: int

    def plus(self, other: "_Counts") -> "_Counts":
        return _Counts(*map(int.__add__, self, other))

    @property
    def allowed(self) -> bool:
        return (
            self.containers <= CONTAINERS_MAX
            and self.strings <= STRINGS_MAX
            and self.values <= VALUES_MAX
            and self.exponents <= EXPONENTS_MAX
        )


async def is_heavy(body: bytes) -> bool:
    """Whether the body should be decoded in a thread.

    Raises:
        PayloadTooLarge: it has too many values.
    """
    counts = await _count(body)
    if not counts.allowed:
        if _starts_too_deep(body):
            return False  # decoding stops there
        counts = await _count_exactly(body)
        if not counts.allowed:
            raise problems.PayloadTooLarge(
                f"The body contains more than {CONTAINERS_MAX} objects and lists, {STRINGS_MAX} strings,"
                f" {VALUES_MAX} values or {EXPONENTS_MAX} numbers with a negative exponent.",
                limit={"max": VALUES_MAX},
            )
    return sum(counts) > INLINE_MAX or len(body) > INLINE_BYTES_MAX


async def _count(body: bytes) -> _Counts:
    """Count the characters that make up the structure; there may be more of them inside of strings."""
    pace, counts = Pace(), _Counts(0, 0, 0, 0)
    for start in range(0, len(body), PIECE_BYTES):
        counts = counts.plus(_counts_of(body[start : start + PIECE_BYTES]))
        await pace.keep()
    return counts._replace(strings=counts.strings // 2)


def _counts_of(text: bytes) -> _Counts:
    """Return the counts of a piece, with its quotation marks as strings. An exponent cut in two is not counted."""
    return _Counts(
        containers=text.count(b"{") + text.count(b"["),
        strings=text.count(b'"'),
        values=text.count(b","),
        exponents=text.count(b"e-") + text.count(b"E-"),
    )


def _starts_too_deep(body: bytes) -> bool:
    try:
        msgspec.json.decode(body[: INLINE_MAX * 10])
    except RecursionError:
        return True
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return False


async def _count_exactly(body: bytes) -> _Counts:
    """Count without what is inside of strings."""
    pace, counts, in_string = Pace(), _Counts(0, 0, 0, 0), False
    for piece in _pieces(body):
        parts = piece.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        quotes = len(parts) - 1
        counts = counts.plus(_counts_of(b" ".join(parts[in_string::2]))._replace(strings=quotes))
        if counts.strings > 2 * STRINGS_MAX + 1:
            break
        in_string ^= quotes % 2 == 1
        await pace.keep()
    return counts._replace(strings=counts.strings // 2)


def _pieces(body: bytes) -> Iterator[bytes]:
    """Yield the body in pieces, none of which ends within an escape."""
    start = 0
    while start < len(body):
        end = start + PIECE_BYTES
        if end < len(body):
            # Before a row of backslashes; one that is longer than a piece is cut between two pairs.
            end = start + (len(body[start:end].rstrip(b"\\")) or PIECE_BYTES)
        yield body[start:end]
        start = end
