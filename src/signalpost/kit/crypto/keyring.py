import base64
import binascii
import os
import re
from collections.abc import Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from typing_extensions import override

from signalpost.kit import cells

KEY_BYTES = 32

_VERSION = 1
_NONCE_BYTES = 12
_TAG_BYTES = 16
_KEY_ID = re.compile(r"[A-Za-z0-9_-]{1,32}")


class Undecipherable(Exception):
    """A sealed value cannot be opened: wrong key, the value of another row, or changed bytes. It never says which."""


class KeyRing:
    """Master keys by id, one of them current. New values are sealed under that key; older values stay readable.

    A sealed value is `version (1) | length of key id (1) | key id | nonce (12) | ciphertext and tag (16)`: 46 bytes
    plus the key id longer than the plain value. Everything before the ciphertext is authenticated together with the
    context, so neither the value of a row nor a header can be moved elsewhere. Nonces are random: up to 2^32 values per
    master key are safe.

    `cell` is the name of the cell whose keys these are: see `kit.cells`.
    """

    def __init__(self, keys: Mapping[str, bytes], current: str, *, cell: str = cells.SINGLE) -> None:
        """Use these keys, in the cell of this name.

        Raises:
            ValueError: an id is not 1 to 32 of `A-Za-z0-9_-`, a key is not 32 bytes long, or `current` is missing.
        """
        if current not in keys:
            raise ValueError("the current key is missing")
        for key_id, key in keys.items():
            if not _KEY_ID.fullmatch(key_id):
                raise ValueError("a key id is 1 to 32 letters, digits, - or _")
            if len(key) != KEY_BYTES:
                raise ValueError(f"key {key_id!r} is {len(key)} bytes long, not {KEY_BYTES}")
        self.cell = cell
        self._current = current
        self._keys = {current: keys[current], **keys}
        ciphers = {key_id: AESGCM(_hkdf(key, "seal")) for key_id, key in self._keys.items()}
        # Also by fingerprint: a key may have been given its id after it sealed a value.
        self._ciphers = {_fingerprint(key): ciphers[key_id] for key_id, key in self._keys.items()} | ciphers
        self._root: bytes | None = None
        self._derived: dict[str, tuple[bytes, ...]] = {}

    @override
    def __repr__(self) -> str:
        return f"KeyRing(current={self._current!r}, keys={len(self._keys)})"

    @classmethod
    def from_master(cls, master: bytes | str, *, cell: str = cells.SINGLE) -> "KeyRing":
        """Read the operator's master key.

        Args:
            master: 32 raw bytes, or text: one key (base64, URL-safe base64 or 64 hex digits), or several, as in
                `2026:base64,2025:base64`; the first is current. A key without an id has its fingerprint as id; it
                may move to a later place or be given an id, and still opens its values.
            cell: see `kit.cells`.

        Raises:
            ValueError: it has none of these forms; the message never quotes it.
        """
        if isinstance(master, bytes):
            if len(master) == KEY_BYTES:
                return cls({_fingerprint(master): master}, _fingerprint(master), cell=cell)
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
        return cls(keys, next(iter(keys)), cell=cell)

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
            Undecipherable: it is not a sealed value.
        """
        try:
            return _header(blob)[0] != self._current
        except ValueError:
            raise Undecipherable("the value cannot be opened") from None

    def derive(self, purpose: str) -> bytes:
        """Return the 32-byte subkey for `purpose`. It does not change with the master key once there is a root."""
        return self.derive_each(purpose)[0]

    def derive_each(self, purpose: str) -> tuple[bytes, ...]:
        """Return the subkey of the root for `purpose`, then that of every master key: sign with the first, accept all.

        Before there was a root, subkeys came from the master key.
        """
        derived = self._derived.get(purpose)
        if derived is None:
            roots = dict.fromkeys((*((self._root,) if self._root else ()), *self._keys.values()))
            derived = self._derived[purpose] = tuple(_hkdf(root, f"derive|{purpose}") for root in roots)
        return derived

    @property
    def current_key(self) -> bytes:
        return self._keys[self._current]

    def adopt_root(self, root: bytes) -> None:
        """Derive subkeys from this secret of the installation, which outlives every master key."""
        self._root = root
        self._derived.clear()


def _header(blob: bytes) -> tuple[str, int]:
    """Return the key id and the offset of the ciphertext."""
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
