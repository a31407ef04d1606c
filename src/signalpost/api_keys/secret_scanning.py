"""Reports of leaked API keys as GitHub's secret scanning sends them to its partners: a signed list of tokens.

The operator stores the public keys, in the form in which GitHub publishes them, in a file; nothing is fetched.
Source: docs.github.com/code-security/secret-scanning/secret-scanning-partner-program
"""

import base64
import binascii
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from signalpost.kit import cells, crypto, log, problems
from signalpost.kit.problems import InvalidSignature
from signalpost.settings import BRAND_KEY

BODY_BYTES_MAX: Final = 512_000
TOKENS_MAX: Final = 1_000
_HEADER_CHARACTERS_MAX: Final = 500
_FILE_BYTES_MAX: Final = 100_000
_CELL: Final = rf"(?:{cells.NAME}\.)?"
_WITH_CHECKSUM: Final = rf"{BRAND_KEY}_(?:live|test|oat|ocs)_[0-9A-Za-z]{{12}}_{_CELL}[0-9A-Za-z]{{49}}(?![0-9A-Za-z_])"
"""API keys, and the access tokens and secrets of apps."""
_REFRESH_TOKEN: Final = rf"{BRAND_KEY}_ort_{_CELL}[0-9A-Za-z_-]{{70}}(?![0-9A-Za-z_-])"
_KEY: Final = re.compile(rf"(?<![0-9A-Za-z_])(?:{_WITH_CHECKSUM}|{_REFRESH_TOKEN})")
_log = log.get("identity")


class _PublicKey(Struct):
    key_identifier: str
    key: str


class _PublicKeys(Struct):
    public_keys: list[_PublicKey]


class _Found(Struct):
    token: str
    url: Any = None


class FoundKey(Struct, frozen=True):
    """A key, or a token of an app, that someone came across. It may not exist; its form and checksum are right."""

    text: str
    url: Any = None
    """Where, in the words of who reports it."""


_read_report: Final = msgspec.json.Decoder(list[_Found])


def require_headers(file: str | None, identifier: str, signature: str) -> None:
    """Ensure that a report with these headers can be verified, before its body is read.

    Raises:
        InvalidSignature: it cannot.
    """
    if file is None:
        raise InvalidSignature("This service takes no reports: SIGNALPOST_SECRET_SCANNING_KEYS is not set.")
    if not identifier or not signature or max(len(identifier), len(signature)) > _HEADER_CHARACTERS_MAX:
        raise InvalidSignature("The headers with the signature and the identifier of its key are missing or too long.")


def verify(file: str | None, identifier: str, signature: str, body: bytes) -> None:
    """Ensure that exactly these bytes were signed with one of the keys in the file.

    Raises:
        InvalidSignature: they were not, or the keys cannot be read.
    """
    for candidate in _public_keys(Path(file or "")):
        if candidate.key_identifier == identifier and _signed(candidate.key, signature, body):
            return
    raise InvalidSignature("The signature does not belong to this body and a key of this service.")


def _public_keys(file: Path) -> list[_PublicKey]:
    """Read them each time: reports are rare, and the operator replaces the file without a restart."""
    try:
        with file.open("rb") as stream:
            return msgspec.json.decode(stream.read(_FILE_BYTES_MAX), type=_PublicKeys).public_keys
    except (OSError, msgspec.MsgspecError) as error:
        _log.error("secret_scanning.keys_unreadable", file=str(file), reason=str(error))
        raise InvalidSignature(
            "The keys to verify reports with cannot be read. The operator finds why in the log."
        ) from None


def _signed(pem: str, signature: str, body: bytes) -> bool:
    # A megabyte that most services never need: GitHub reports to those it knows.
    from cryptography.exceptions import InvalidSignature as WrongSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415

    try:
        key = load_pem_public_key(pem.encode())
        if not isinstance(key, EllipticCurvePublicKey):
            return False
        key.verify(base64.b64decode(signature, validate=True), body, ECDSA(SHA256()))
    except (WrongSignature, ValueError, binascii.Error):
        return False
    return True


def read(body: bytes) -> list[FoundKey]:
    """Return the keys of a report; what cannot be one of ours, by its form or checksum, is left out.

    Raises:
        MalformedRequest: it is not a list of tokens.
        PayloadTooLarge: it has more than a thousand.
    """
    try:
        report = _read_report.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise problems.MalformedRequest("The body is not a list of objects with a `token`.") from None
    if len(report) > TOKENS_MAX:
        raise problems.PayloadTooLarge(f"A report has at most {TOKENS_MAX} tokens.", limit={"max": TOKENS_MAX})
    return _once(FoundKey(entry.token, entry.url) for entry in report)


def find(text: str) -> list[FoundKey]:
    """Return the keys in a text of any kind, such as a report, a log or a file of source code."""
    return _once(map(FoundKey, _KEY.findall(text)))


def _once(keys: Iterable[FoundKey]) -> list[FoundKey]:
    first: dict[str, FoundKey] = {}
    for key in keys:
        first.setdefault(key.text, key)
    return [key for key in first.values() if _has_form(key.text)]


def _has_form(text: str) -> bool:
    return crypto.parse_api_key(text) is not None or re.fullmatch(_REFRESH_TOKEN, text) is not None
