"""Ids: monotonic UUIDv7 in the database, `<prefix>_` + 26 Crockford base32 characters (the ULID alphabet) outside."""

import os
import threading
import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, ClassVar
from uuid import UUID, SafeUUID

from asyncpg.pgproto import pgproto

from signalpost.kit.problems import Issue

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TWO = tuple(a + b for a in ALPHABET for b in ALPHABET)  # 10 bits at a time: lists of posts encode hundreds of ids
_LENGTH = 26
_DIGITS = bytes(
    b"0123456789abcdefghijklmnopqrstuv"[ALPHABET.index(char)] if (char := chr(code).upper()) in ALPHABET else ord("!")
    for code in range(256)
)
"""Translates our characters into the digits of `int(…, 32)`, and all others into one that it refuses."""

_lock = threading.Lock()
_last = [0]
_FIXED = 0x7 << 76 | 0b10 << 62  # the version and the variant of a UUIDv7
_FREE = 0xFFF << 64 | (1 << 61) - 1  # the top bit of the last 62 stays free, so that + 1 below cannot carry into _FIXED
_random: list[int] = []  # drawn many at a time: each system call takes longer than the rest
os.register_at_fork(after_in_child=_random.clear)


def new_id() -> UUID:
    """Return a UUIDv7 that is greater than every id this process made before, also within one millisecond.

    It is one of the driver's, like those that reads return: these are made, compared and sent in a tenth of the time.
    """
    milliseconds = time.time_ns() // 1_000_000
    with _lock:
        if not _random:
            drawn = os.urandom(1_280)
            _random.extend(int.from_bytes(drawn[at : at + 10], "big") & _FREE | _FIXED for at in range(0, 1_280, 10))
        number = milliseconds << 80 | _random.pop()
        if number <= _last[0]:
            number = _last[0] + 1
        _last[0] = number
    new: UUID = pgproto.UUID(number.to_bytes(16, "big"))
    return new


def first_at(instant: datetime) -> UUID:
    """Return an id that is smaller than every one made at this instant or later, and greater than all before."""
    return UUID(int=int(instant.timestamp() * 1000) << 80)


def made_at(value: UUID) -> datetime:
    """Return when a UUIDv7 was made."""
    return datetime.fromtimestamp((value.int >> 80) / 1000, UTC)


@lru_cache(maxsize=2_048)
def encode(prefix: str, value: UUID) -> str:
    """Return the outside form of `value`, for example `pst_01J…`."""
    number = value.int
    high, low = number >> 60, number & 0xFFF_FFFF_FFFF_FFFF
    return (
        f"{prefix}_{_TWO[high >> 60]}{_TWO[high >> 50 & 1023]}{_TWO[high >> 40 & 1023]}{_TWO[high >> 30 & 1023]}"
        f"{_TWO[high >> 20 & 1023]}{_TWO[high >> 10 & 1023]}{_TWO[high & 1023]}{_TWO[low >> 50]}"
        f"{_TWO[low >> 40 & 1023]}{_TWO[low >> 30 & 1023]}{_TWO[low >> 20 & 1023]}{_TWO[low >> 10 & 1023]}"
        f"{_TWO[low & 1023]}"
    )


def encode_or_none(prefix: str, value: UUID | None) -> str | None:
    """Return `encode(prefix, value)`, or None for None."""
    return None if value is None else encode(prefix, value)


def decode(prefix: str, text: str) -> UUID | None:
    """Return the UUID inside `text`, or None when it is not an id with this prefix."""
    number = _number(prefix, text)
    return None if number is None else UUID(int=number)


def _number(prefix: str, text: str) -> int | None:
    head, _, tail = text.partition("_")
    if head != prefix or len(tail) != _LENGTH:
        return None
    try:
        number = int(tail.encode("ascii").translate(_DIGITS), 32)
    except ValueError:
        return None
    return number if number < 1 << 128 else None


class Id(UUID):
    """An id of one kind of resource, decoded at the border: `class PostId(Id, prefix="pst", noun="post")`.

    A field or path parameter of such a type takes the outside form and holds the UUID. A malformed id is refused like
    an unknown one, since a client can do nothing different about it.
    """

    __slots__ = ()
    prefix: ClassVar[str]
    noun: ClassVar[str]

    def __init_subclass__(cls, *, prefix: str, noun: str) -> None:
        cls.prefix, cls.noun = prefix, noun

    @classmethod
    def parse(cls, text: str) -> "Id | None":
        """Return the id inside `text`, or None when it is not an id of this kind."""
        if len(text) != len(cls.prefix) + 1 + _LENGTH:
            return None
        return _parse(cls, text)  # type: ignore[arg-type]  # mypy takes the hash of an id for that of its class

    @classmethod
    def not_found(cls, path: str) -> Issue:
        """Return the issue of an id that is malformed, unknown or foreign; `path` as in `Issue`."""
        return Issue(path, "not_found", cls.not_found_message())

    @classmethod
    def not_found_message(cls, text: str | None = None) -> str:
        """Return the message of `not_found`; with the text of the id, it says why that cannot be one of this kind."""
        reason = "" if text is None else cls._mismatch(text)
        return f"No {cls.noun} {_NOT_FOUND}{reason}."

    @classmethod
    def not_found_detail(cls, text: str) -> str:
        """Return the message of an id that stands in the path."""
        start = "".join(char if char.isprintable() else "�" for char in text[:_LENGTH_SHOWN])
        return f"No {cls.noun} {start}{'…' * (len(text) > _LENGTH_SHOWN)}{cls._mismatch(text)}."

    @classmethod
    def _mismatch(cls, text: str) -> str:
        if cls.parse(text) is not None:
            return ""
        prefix = text.partition("_")[0]
        other = next((kind for kind in Id.__subclasses__() if kind.prefix == prefix and kind is not cls), None)
        if other is not None:
            return f": {prefix}_ begins the id of {_article(other.noun)}, {cls.prefix}_ that of {_article(cls.noun)}"
        return f": its id is {cls.prefix}_ and {_LENGTH} letters and digits, such as {example(cls.prefix)}"


@lru_cache(maxsize=2_048)  # of bounded texts; clients name the same profiles and accounts again and again
def _parse(kind: type[Id], text: str) -> Id | None:
    number = _number(kind.prefix, text)
    if number is None:
        return None
    parsed = object.__new__(kind)  # what UUID.__init__ does after its checks, which take longer than all the rest
    object.__setattr__(parsed, "int", number)
    object.__setattr__(parsed, "is_safe", SafeUUID.unknown)
    return parsed


_LENGTH_SHOWN = 40
_NOT_FOUND = "with this id"


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeioAEIO" else f"a {noun}"


def is_not_found(message: str) -> bool:
    """Whether a decoder's message says that an id was not found."""
    return message.startswith("No ") and _NOT_FOUND in message


def decode_hook(kind: type, value: Any) -> Any:
    """Decode typed ids: the `dec_hook` of every msgspec decoder at the border."""
    if not issubclass(kind, Id):
        raise NotImplementedError(f"{kind} cannot be decoded")
    if not isinstance(value, str):
        raise TypeError(f"Expected `str`, got `{_JSON_TYPES.get(type(value), type(value).__name__)}`")
    if (parsed := kind.parse(value)) is None:
        raise ValueError(kind.not_found_message(value))
    return parsed


_JSON_TYPES = {type(None): "null", dict: "object", list: "array"}


def schema_hook(kind: type) -> dict[str, Any]:
    """Return the JSON schema of a typed id: the `schema_hook` of msgspec."""
    if not issubclass(kind, Id):
        raise NotImplementedError(f"{kind} has no schema")
    return {"type": "string", "maxLength": 64, "examples": [example(kind.prefix)]}


def example(prefix: str) -> str:
    """Return an id for documentation."""
    return f"{prefix}_01M7Z0000000000000000000AB"
