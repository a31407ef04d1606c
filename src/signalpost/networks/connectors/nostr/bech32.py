"""Keys and ids as people copy them: bech32 (BIP-173) with the prefixes of NIP-19."""

from collections.abc import Iterable
from typing import Final

_ALPHABET: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_VALUES: Final = {character: value for value, character in enumerate(_ALPHABET)}
_GENERATORS: Final = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_CHECKSUM_LENGTH: Final = 6
LENGTH_MAX: Final = 1_000
"""Of a text that is read: ids with relays are longer than the 90 characters of BIP-173."""


def encoded(prefix: str, content: bytes) -> str:
    """Return content as bech32 with its checksum."""
    values = list(_regrouped(content, 8, 5))
    check = _remainder([*_expanded(prefix), *values, *[0] * _CHECKSUM_LENGTH]) ^ 1
    values += [check >> 5 * (_CHECKSUM_LENGTH - 1 - at) & 31 for at in range(_CHECKSUM_LENGTH)]
    return f"{prefix}1{''.join(_ALPHABET[value] for value in values)}"


def decoded(text: str) -> tuple[str, bytes] | None:
    """Return prefix and content; None if it is not bech32, or one of its characters is wrong."""
    prefix, separator, data = text.strip().lower().rpartition("1")
    if not separator or not prefix.isascii() or len(text) > LENGTH_MAX or len(data) < _CHECKSUM_LENGTH:
        return None
    values = [_VALUES.get(character, -1) for character in data]
    if -1 in values or _remainder([*_expanded(prefix), *values]) != 1:
        return None
    bits = (len(values) - _CHECKSUM_LENGTH) * 5
    return prefix, bytes(_regrouped(values[:-_CHECKSUM_LENGTH], 5, 8))[: bits // 8]


def _expanded(prefix: str) -> list[int]:
    return [*[ord(character) >> 5 for character in prefix], 0, *[ord(character) & 31 for character in prefix]]


def _remainder(values: Iterable[int]) -> int:
    rest = 1
    for value in values:
        top = rest >> 25
        rest = (rest & 0x1FFFFFF) << 5 ^ value
        for at, generator in enumerate(_GENERATORS):
            rest ^= generator if top >> at & 1 else 0
    return rest


def _regrouped(values: Iterable[int], width: int, new_width: int) -> Iterable[int]:
    """Yield the same bits in groups of another width, the last one filled with zeros."""
    held = count = 0
    for value in values:
        held, count = (held << width | value) & 0xFFFF, count + width
        while count >= new_width:
            count -= new_width
            yield held >> count & (1 << new_width) - 1
    if count:
        yield held << (new_width - count) & (1 << new_width) - 1
