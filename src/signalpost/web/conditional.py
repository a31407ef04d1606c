"""Conditional requests: `If-None-Match` saves a body that the client has already, `If-Match` a lost update.

An ETag is `"12"` or `"12-9f3c0de5f1c0de5f"`: the version, and a digest of what changes without a new version.
`If-Match` also takes a bare version.
"""

import hashlib
import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from signalpost.kit import problems
from signalpost.web.inputs import IfMatch

T = TypeVar("T")

_ETAG = re.compile(r'(?:W/)?"v?(\d{1,9})(?:-[0-9a-f]{16})?"|(\d{1,9})')
_encode = msgspec.msgpack.Encoder().encode


class Conditional(Generic[T]):
    """A response of a GET with `etag=True` that is made only if the client does not have it.

    Args:
        version: of the resource, which `If-Match` compares.
        state: plain data that changes with everything in the body that can change without a new version.
        make: makes the response.
    """

    __slots__ = ("etag", "make")

    def __init__(self, version: int, state: Any, make: Callable[[], T]) -> None:
        self.etag = f'"{version}-{hashlib.blake2b(_encode(state), digest_size=8).hexdigest()}"'
        self.make = make


def is_current(if_none_match: str, etag: str) -> bool:
    """Whether the client has the response with this ETag, to judge by its `If-None-Match`."""
    return if_none_match == "*" or etag in (part.strip().removeprefix("W/") for part in if_none_match.split(","))


def read_if_match(value: str) -> IfMatch:
    """Return the versions in `If-Match`; none without the header.

    Raises:
        VersionConflict: there is no version in it.
    """
    if value in ("", "*"):
        return IfMatch()
    versions = IfMatch(
        int(match[1] or match[2]) for part in value.split(",") if (match := _ETAG.fullmatch(part.strip()))
    )
    if not versions:
        raise problems.VersionConflict("If-Match is not a version of this resource. Send the ETag as you received it.")
    return versions
