"""Keys, sealed values, tokens, API key texts and passwords. Every secret stays out of reprs and errors."""

import asyncio
import base64
import binascii
import hashlib
import hmac
import os
import re
import secrets
import stat
import string
import unicodedata
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar

import argon2
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase

_T = TypeVar("_T")

_VERSION = 1
_NONCE_BYTES = 12
_TAG_BYTES = 16
_KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,32}")
_DIGITS = {character: value for value, character in enumerate(BASE62)}


class Undecipherable(Exception):
    """A sealed value cannot be opened: wrong key, another row's value, or changed bytes. It never says which."""


class KeyFileUnsafe(Exception):
    """The master key file is not a regular file of ours that only we can read."""


class KeyRing:
    """Master keys by id, one of them current. New values are sealed under it; older ones stay readable.

    A sealed value is `version (1) | length of key id (1) | key id | nonce (12) | ciphertext and tag (16)`: 46 bytes
    and the key id more than the plain value. Everything before the ciphertext is authenticated together with the
    context, so neither a row's value nor a header can be moved elsewhere. Nonces are random: up to 2^32 values per
    master key are safe.
    """

    def __init__(self, keys: Mapping[str, bytes], current: str) -> None:
        """Keep the keys.

        Raises:
            ValueError: an id is not 1 to 32 of `A-Za-z0-9_-`, a key is not 32 bytes, or `current` is not among them.
        """
        if current not in keys:
            raise ValueError("the current key is not among the keys")
        for key_id, key in keys.items():
            if not _KEY_ID.fullmatch(key_id):
                raise ValueError("a key id is 1 to 32 letters, digits, - or _")
            if len(key) != KEY_BYTES:
                raise ValueError(f"key {key_id!r} is {len(key)} bytes long, not {KEY_BYTES}")
        self._current = current
        self._keys = {current: keys[current], **keys}
        self._ciphers = {key_id: AESGCM(_hkdf(key, "seal")) for key_id, key in self._keys.items()}
        self._derived: dict[str, tuple[bytes, ...]] = {}

    def __repr__(self) -> str:
        return f"KeyRing(current={self._current!r}, keys={len(self._keys)})"

    @classmethod
    def from_master(cls, master: bytes | str) -> "KeyRing":
        """Read the operator's master key.

        Args:
            master: 32 raw bytes, or text: one key (base64, URL-safe base64 or 64 hex digits), or several, as in
                `2026:base64,2025:base64`; the first is current. A key without an id is called by its fingerprint, so
                it may be moved to a later place, with or without an id-less spelling, and still opens its values.

        Raises:
            ValueError: it is none of these; the message never quotes it.
        """
        if isinstance(master, bytes):
            if len(master) == KEY_BYTES:
                return cls({_fingerprint(master): master}, _fingerprint(master))
            try:
                master = master.decode("ascii")
            except UnicodeDecodeError:
                raise ValueError("the master key is neither 32 bytes nor text") from None
        keys: dict[str, bytes] = {}
        for entry in master.strip().split(","):
            key_id, colon, text = entry.strip().rpartition(":")
            key = _read_key(text)
            key_id = key_id if colon else _fingerprint(key)
            if key_id in keys:
                raise ValueError("two master keys have the same id")
            keys[key_id] = key
        return cls(keys, next(iter(keys)))

    @property
    def current_key_id(self) -> str:
        return self._current

    def seal(self, plain: bytes, *, context: str) -> bytes:
        """Encrypt and authenticate `plain` for one place, e.g. `account.secrets|<row id>|<workspace id>`."""
        key_id = self._current.encode()
        nonce = os.urandom(_NONCE_BYTES)
        header = bytes((_VERSION, len(key_id))) + key_id + nonce
        return header + self._ciphers[self._current].encrypt(nonce, plain, header + context.encode())

    def open(self, blob: bytes, *, context: str) -> bytes:
        """Return what was sealed under the same `context`.

        Raises:
            Undecipherable: the value was sealed under a key we do not have, for another place, or was changed.
        """
        try:
            key_id, start = _header(blob)
            header = blob[:start]
            return self._ciphers[key_id].decrypt(header[-_NONCE_BYTES:], blob[start:], header + context.encode())
        except (InvalidTag, KeyError, ValueError):
            raise Undecipherable("the value cannot be opened") from None

    def needs_rewrap(self, blob: bytes) -> bool:
        """Whether `blob` is sealed under an older key, so that it should be opened and sealed again.

        Raises:
            Undecipherable: it is no sealed value at all.
        """
        try:
            return _header(blob)[0] != self._current
        except ValueError:
            raise Undecipherable("the value cannot be opened") from None

    def derive(self, purpose: str) -> bytes:
        """Return the 32-byte subkey for `purpose` under the current master key. It changes when that key does."""
        return self.derive_each(purpose)[0]

    def derive_each(self, purpose: str) -> tuple[bytes, ...]:
        """Return the subkey for `purpose` under every master key, the current one first: sign with that, accept all."""
        derived = self._derived.get(purpose)
        if derived is None:
            derived = self._derived[purpose] = tuple(_hkdf(key, f"derive|{purpose}") for key in self._keys.values())
        return derived


def _header(blob: bytes) -> tuple[str, int]:
    """Return the key id and where the ciphertext starts."""
    if len(blob) < 2 or blob[0] != _VERSION:
        raise ValueError
    start = 2 + blob[1] + _NONCE_BYTES
    if len(blob) < start + _TAG_BYTES:
        raise ValueError
    return blob[2 : 2 + blob[1]].decode("ascii"), start


def _hkdf(key: bytes, info: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info.encode()).derive(key)


def _fingerprint(key: bytes) -> str:
    return _hkdf(key, "fingerprint")[:6].hex()


def _read_key(text: str) -> bytes:
    try:
        if len(text) == 2 * KEY_BYTES:
            key = bytes.fromhex(text)
        else:
            plain = text.rstrip("=").replace("-", "+").replace("_", "/")
            key = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != KEY_BYTES:
        raise ValueError("a master key must be 32 bytes, written as base64 or as 64 hex digits") from None
    return key


def master_key_file(path: Path) -> bytes:
    """Return the text of the master key file for `KeyRing.from_master`; make it with a fresh key if it is missing.

    The file appears complete or not at all, and of several processes starting at once all get the same key.

    Raises:
        KeyFileUnsafe: others may read the file, or it is not a regular file of ours.
        OSError: the folder is missing or cannot be written.
    """
    with suppress(FileNotFoundError):
        return _read_key_file(path)
    # A link is made only of a finished file, and fails if somebody else was first.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(base64.b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            path.hardlink_to(draft)
    finally:
        draft.unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return _read_key_file(path)


def _read_key_file(path: Path) -> bytes:
    with path.open("rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_uid not in (0, os.geteuid()):
            raise KeyFileUnsafe(f"{path} is not a regular file of this user")
        if facts.st_mode & 0o077:
            raise KeyFileUnsafe(f"{path} can be read by others; `chmod 600` it, and think about a new key")
        return file.read(65_536).strip()


def hmac_sha256(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, hashlib.sha256)


def equal(left: str | bytes, right: str | bytes) -> bool:
    """Compare in a time that does not tell how much is alike. Texts of any characters, or bytes."""
    return hmac.compare_digest(
        left.encode("utf-8", "surrogatepass") if isinstance(left, str) else left,
        right.encode("utf-8", "surrogatepass") if isinstance(right, str) else right,
    )


def random_token(size_bytes: int = 32) -> str:
    """Return random bytes as base64url without padding: 43 characters for 32 bytes."""
    return secrets.token_urlsafe(size_bytes)


def base62_encode(number: int, width: int) -> str:
    """Write a number in exactly `width` base62 digits (0-9A-Za-z).

    Raises:
        ValueError: it is negative or needs more digits.
    """
    if not 0 <= number < 62**width:
        raise ValueError(f"the number does not fit into {width} digits")
    digits = []
    for _ in range(width):
        number, digit = divmod(number, 62)
        digits.append(BASE62[digit])
    return "".join(reversed(digits))


def base62_decode(text: str) -> int:
    """Read base62 digits.

    Raises:
        ValueError: another character is among them.
    """
    number = 0
    for character in text:
        digit = _DIGITS.get(character)
        if digit is None:
            raise ValueError("not a base62 digit")
        number = number * 62 + digit
    return number


def crc32_base62(text: str) -> str:
    """Return the CRC32 of `text` in 6 base62 digits: finds typing errors and scanner noise, proves nothing."""
    return base62_encode(zlib.crc32(text.encode()), 6)


@dataclass(frozen=True, slots=True)
class ApiKeyParts:
    """An API key: `<prefix>_<12 base62 key id>_<43 base62 secret><6 base62 CRC32 of all before>`."""

    text: str = field(repr=False)
    prefix: str
    key_id: str
    secret: str = field(repr=False)


_API_KEY = re.compile(r"([a-z0-9]+(?:_[a-z0-9]+){0,3})_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})")
_API_KEY_LENGTH_MAX = 128


def new_api_key(prefix: str) -> ApiKeyParts:
    """Make a key with 71 bits of id and 256 bits of secret.

    Args:
        prefix: lower-case words joined by `_`, such as brand and mode.

    Raises:
        ValueError: `prefix` has another form.
    """
    key_id = base62_encode(secrets.randbelow(62**12), 12)
    secret = base62_encode(secrets.randbits(256), 43)
    unchecked = f"{prefix}_{key_id}_{secret}"
    parts = parse_api_key(unchecked + crc32_base62(unchecked))
    if parts is None:
        raise ValueError("a key prefix is made of lower-case letters, digits and single underscores")
    return parts


def parse_api_key(text: str) -> ApiKeyParts | None:
    """Take a key apart, or return None if its form or checksum is wrong. Costs no lookup, proves nothing."""
    if len(text) > _API_KEY_LENGTH_MAX or (match := _API_KEY.fullmatch(text)) is None:
        return None
    prefix, key_id, secret, checksum = match.groups()
    if crc32_base62(text[:-6]) != checksum:
        return None
    return ApiKeyParts(text, prefix, key_id, secret)


class PasswordQueueFull(Exception):
    """Too many logins wait already; try again in a few seconds."""


_PASSWORDS_WAITING_MAX = 200  # about 2.5 s of work for two threads
# OWASP's floor for Argon2id: 19 MiB, two passes, one lane. About 23 ms; argon2-cffi's own default takes ten times that.
_ARGON2 = argon2.PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_waiting = 0


@cache
def _password_threads() -> ThreadPoolExecutor:
    # Two, so that a storm of logins takes no more than that from everybody else. argon2 lets go of the GIL.
    return ThreadPoolExecutor(2, thread_name_prefix="password")


@cache
def _nobodys_hash() -> str:
    return _ARGON2.hash(secrets.token_bytes(16))


def _password_bytes(text: str) -> bytes:
    # One password typed on two keyboards may differ in how accents are composed.
    return unicodedata.normalize("NFKC", text).encode("utf-8", "surrogatepass")


async def hash_password(text: str) -> str:
    """Return the Argon2id hash of a password, with its parameters and salt.

    Raises:
        PasswordQueueFull: 200 others wait.
    """
    return await _in_password_thread(lambda: _ARGON2.hash(_password_bytes(text)))


async def verify_password(hashed: str | None, text: str) -> bool:
    """Whether `text` is the password of `hashed`. Pass None for an unknown user: it is False, after as much work.

    Raises:
        PasswordQueueFull: 200 others wait.
    """

    def verify() -> bool:
        try:
            _ARGON2.verify(hashed or _nobodys_hash(), _password_bytes(text))
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
            return False
        return hashed is not None

    return await _in_password_thread(verify)


def needs_rehash(hashed: str) -> bool:
    """Whether `hashed` was made with other parameters than today's, so it should be renewed at the next login."""
    try:
        return _ARGON2.check_needs_rehash(hashed)
    except argon2.exceptions.InvalidHashError:
        return True


async def _in_password_thread(work: Callable[[], _T]) -> _T:
    global _waiting
    if _waiting >= _PASSWORDS_WAITING_MAX:
        raise PasswordQueueFull("too many logins are waiting")
    _waiting += 1
    try:
        return await asyncio.get_running_loop().run_in_executor(_password_threads(), work)
    finally:
        _waiting -= 1
