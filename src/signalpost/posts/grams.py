"""Which short sequences of characters a text contains, as bits: where one is missing, no longer text can be.

A text that contains a string contains its grams, so that it has every bit of the string. The opposite may be wrong, as
hashes collide; so bits only tell what need not be read. Texts are lowered by the database before, always.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final
from zlib import crc32

import asyncpg

SIZES: Final = (4_096, 16_384, 65_536)
"""How many bits there may be."""


def grams_of(text: str) -> set[str]:
    """Return the sequences of one, two and three characters in `text`."""
    return {*text, *map("".join, pairwise(text)), *map("".join, zip(text, text[1:], text[2:], strict=False))}


def bits_of_text(grams: Iterable[str], count: int) -> asyncpg.BitString:
    """Return the bits of these `count` grams; less than a third of them are set, if the largest size permits it."""
    size = next((size for size in SIZES if count * 3 <= size), SIZES[-1])
    return _bits(grams, size)


def bits_of_search(text: str) -> tuple[asyncpg.BitString, ...]:
    """Return the bits that a text has if it contains `text`, for each of `SIZES`."""
    grams = grams_of(text)
    return tuple(_bits(grams, size) for size in SIZES)


def _bits(grams: Iterable[str], size: int) -> asyncpg.BitString:
    mask, octets = size - 1, bytearray(size // 8)
    for position in {crc32(gram.encode("utf-8", "surrogatepass")) & mask for gram in grams}:
        octets[position >> 3] |= 128 >> (position & 7)
    return asyncpg.BitString.frombytes(bytes(octets), bitlength=size)
