"""The headers of the tus protocol, version 1.0.0: https://tus.io/protocols/resumable-upload

Core, creation, expiration, checksum and termination.
"""

import base64
import binascii
from datetime import datetime
from email.utils import format_datetime
from typing import Final, NamedTuple

from signalpost.kit import problems
from signalpost.media.errors import TusVersionUnsupported
from signalpost.media.pieces import CHECKSUMS

VERSION: Final = "1.0.0"
BODY_TYPE: Final = "application/offset+octet-stream"
METADATA_CHARACTERS_MAX: Final = 8_000
_NUMBER_DIGITS_MAX: Final = 15
_NAMES: Final = {"filename": "fileName", "filetype": "contentType"}
"""Names that clients agree on -> ours."""


CAPABILITIES: Final = {
    "Tus-Resumable": VERSION,
    "Tus-Version": VERSION,
    "Tus-Extension": "creation,expiration,checksum,termination",
    "Tus-Checksum-Algorithm": ",".join(CHECKSUMS),
}
"""What an OPTIONS request learns."""


class Appended(NamedTuple):
    """What the headers of a PATCH say."""

    offset: int
    checksum: tuple[str, bytes] | None


def require_version(version: str | None) -> None:
    """Ensure that a client, if it says so, speaks our version.

    Raises:
        TusVersionUnsupported: it speaks another one.
    """
    if version not in (None, "", VERSION):
        raise TusVersionUnsupported(
            f"This service speaks tus {VERSION}, not {version[:20]}.", headers={"Tus-Version": VERSION}
        )


def number(name: str, value: str | None) -> int:
    """Return the number in a header.

    Raises:
        ValidationFailed: there is none.
    """
    if not value:
        raise problems.invalid(name, "required", f"The header {name} is required: a number of bytes.")
    if not (value.isascii() and value.isdigit() and len(value) <= _NUMBER_DIGITS_MAX):
        raise problems.invalid(name, "format", f"{name} must be a number of bytes.")
    return int(value)


def metadata(value: str) -> dict[str, str]:
    """Return the members of `Upload-Metadata`, by our names; an empty one counts as absent.

    Raises:
        ValidationFailed: it is not a list of names with values in base64.
    """
    if len(value) > METADATA_CHARACTERS_MAX:
        raise problems.invalid("Upload-Metadata", "too_long", f"At most {METADATA_CHARACTERS_MAX} characters.")
    members: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in value.split(","))):
        name, _, encoded = pair.partition(" ")
        try:
            text = base64.b64decode(encoded.strip(), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            raise problems.invalid(
                "Upload-Metadata", "format", "Must be names with values in base64: filename Y2F0LmpwZw==,filetype aW1h…"
            ) from None
        if text:
            members[_NAMES.get(name, name)] = text
    return members


def checksum(value: str) -> tuple[str, bytes] | None:
    """Return algorithm and digest of `Upload-Checksum`.

    Raises:
        ValidationFailed: the algorithm is unknown, or the digest is not base64.
    """
    if not value:
        return None
    algorithm, _, encoded = value.partition(" ")
    if algorithm not in CHECKSUMS:
        raise problems.invalid(
            "Upload-Checksum", "not_allowed", f"Must begin with {' or '.join(CHECKSUMS)}.", allowed=list(CHECKSUMS)
        )
    try:
        return algorithm, base64.b64decode(encoded.strip(), validate=True)
    except binascii.Error:
        raise problems.invalid("Upload-Checksum", "format", f"Must be `{algorithm}` and a digest in base64.") from None


def headers(offset: int, length: int, expires_at: datetime | None) -> dict[str, str]:
    """Return the headers of a response about an upload."""
    common = {"Tus-Resumable": VERSION, "Upload-Offset": str(offset), "Upload-Length": str(length)}
    return common if expires_at is None else common | {"Upload-Expires": format_datetime(expires_at, usegmt=True)}
