"""How much work a JSON body makes, estimated before it is decoded: decoding is one call that nothing can interrupt."""

import asyncio
from typing import NamedTuple

import msgspec

from signalpost.kit import problems

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


class _Counts(NamedTuple):
    containers: int
    strings: int
    values: int
    exponents: int

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
    counts = _count(body)
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


def _count(body: bytes) -> _Counts:
    """Count the characters that make up the structure; there may be more of them inside of strings."""
    return _Counts(
        containers=body.count(b"{") + body.count(b"["),
        strings=body.count(b'"') // 2,
        values=body.count(b","),
        exponents=body.count(b"e-") + body.count(b"E-"),
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
    """Count without what is inside of strings. Every step takes a few milliseconds, and others run in between."""
    for escaped in (b"\\\\", b'\\"'):
        body = body.replace(escaped, b"")
        await asyncio.sleep(0)
    strings = body.count(b'"') // 2
    if strings > STRINGS_MAX:
        return _Counts(0, strings, 0, 0)
    return _count(b"".join(body.split(b'"')[::2]))._replace(strings=strings)
