"""Keys, sealed values, tokens, API keys and passwords. No secret appears in a repr or an error."""

from signalpost.kit.crypto.keyfile import KeyFileUnsafe, master_key_file
from signalpost.kit.crypto.keyring import KEY_BYTES, KeyRing, Undecipherable
from signalpost.kit.crypto.passwords import PasswordQueueFull, hash_password, needs_rehash, verify_password
from signalpost.kit.crypto.sealed_columns import SealedColumn
from signalpost.kit.crypto.tokens import (
    ApiKeyParts,
    base62_decode,
    base62_encode,
    crc32_base62,
    equal,
    hmac_sha256,
    new_api_key,
    parse_api_key,
    random_token,
)

__all__ = [
    "KEY_BYTES",
    "ApiKeyParts",
    "KeyFileUnsafe",
    "KeyRing",
    "PasswordQueueFull",
    "SealedColumn",
    "Undecipherable",
    "base62_decode",
    "base62_encode",
    "crc32_base62",
    "equal",
    "hash_password",
    "hmac_sha256",
    "master_key_file",
    "needs_rehash",
    "new_api_key",
    "parse_api_key",
    "random_token",
    "verify_password",
]
