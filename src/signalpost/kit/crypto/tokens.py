"""Signatures, random tokens, base62, and API keys whose form can be checked without a lookup."""

import hashlib
import hmac
import re
import secrets
import string
import zlib
from dataclasses import dataclass, field

from signalpost.kit import cells

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase

_DIGITS = {character: value for value, character in enumerate(BASE62)}


def hmac_sha256(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, hashlib.sha256)


def equal(left: str | bytes, right: str | bytes) -> bool:
    """Compare two strings, or two byte strings, in constant time."""
    return hmac.compare_digest(
        left.encode("utf-8", "surrogatepass") if isinstance(left, str) else left,
        right.encode("utf-8", "surrogatepass") if isinstance(right, str) else right,
    )


def random_token(size_bytes: int = 32) -> str:
    """Return random bytes as base64url without padding: 43 characters for 32 bytes."""
    return secrets.token_urlsafe(size_bytes)


def base62_encode(number: int, width: int) -> str:
    """Encode a number as exactly `width` base62 digits (0-9A-Za-z).

    Raises:
        ValueError: it is negative or needs more digits.
    """
    if not 0 <= number < 62**width:
        raise ValueError(f"the number does not fit into {width} base62 digits")
    digits = []
    for _ in range(width):
        number, digit = divmod(number, 62)
        digits.append(BASE62[digit])
    return "".join(reversed(digits))


def base62_decode(text: str) -> int:
    """Decode base62 digits.

    Raises:
        ValueError: there is another character among them.
    """
    number = 0
    for character in text:
        digit = _DIGITS.get(character)
        if digit is None:
            raise ValueError("not a base62 digit")
        number = number * 62 + digit
    return number


def crc32_base62(text: str) -> str:
    """Return the CRC32 of `text` as 6 base62 digits: it detects typing errors, and proves nothing."""
    return base62_encode(zlib.crc32(text.encode()), 6)


@dataclass(frozen=True, slots=True)
class ApiKeyParts:
    """An API key: `<prefix>_<12 base62 key id>_<43 base62 secret><6 base62 CRC32 of all before>`.

    Where there are several cells, `<cell>.` stands before the secret: see `kit.cells`.
    """

    text: str = field(repr=False)
    prefix: str
    key_id: str
    secret: str = field(repr=False)


_API_KEY = re.compile(
    r"([a-z0-9]+(?:_[a-z0-9]+){0,3})_([0-9A-Za-z]{12})_"
    rf"(?:{cells.NAME}\.)?"
    r"([0-9A-Za-z]{43})([0-9A-Za-z]{6})"
)
_API_KEY_LENGTH_MAX = 128


def new_api_key(prefix: str, key_id: str | None = None, *, cell: str = cells.SINGLE) -> ApiKeyParts:
    """Generate a key with 71 bits of id and 256 bits of secret.

    Args:
        prefix: lower-case words joined by `_`, such as brand and mode.
        key_id: of another secret of the same key; None: it gets an id of its own.
        cell: the name of the cell that makes it.

    Raises:
        ValueError: `prefix` has a different form.
    """
    key_id = key_id or base62_encode(secrets.randbelow(62**12), 12)
    secret = base62_encode(secrets.randbits(256), 43)
    unchecked = f"{prefix}_{key_id}_{cells.with_name(cell, secret)}"
    parts = parse_api_key(unchecked + crc32_base62(unchecked))
    if parts is None:
        raise ValueError("a key prefix consists of lower-case letters, digits and single underscores")
    return parts


def parse_api_key(text: str) -> ApiKeyParts | None:
    """Split a key into its parts, or return None if its form or checksum is wrong. It may not exist."""
    if len(text) > _API_KEY_LENGTH_MAX or (match := _API_KEY.fullmatch(text)) is None:
        return None
    prefix, key_id, secret, checksum = match.groups()
    if crc32_base62(text[:-6]) != checksum:
        return None
    return ApiKeyParts(text, prefix, key_id, secret)
