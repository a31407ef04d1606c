"""The passwords that people choose most often: nobody may choose them here.

`common_passwords.bin` has the first 10,000 of ten characters and more of the list "10 million password list, top
1,000,000" of SecLists (MIT licence), which counts Mark Burnett's ten million passwords of 2015 (public domain). Each is
six bytes of the SHA-256 of its lower-case form, in order: nobody has to read the words, and a password is looked up in
the same fourteen steps whatever it is. That another one has the same bytes happens once in 28 billion.
"""

import hashlib
from bisect import bisect_left
from functools import cache
from importlib import resources

DIGEST_BYTES = 6


def digest_of(password: str) -> bytes:
    """Return what stands for a password in the list: without the spaces around it, in lower case."""
    return hashlib.sha256(password.strip().casefold().encode("utf-8", "replace")).digest()[:DIGEST_BYTES]


def is_common(password: str) -> bool:
    """Whether the password is in the list."""
    digests, digest = _digests(), digest_of(password)
    count = len(digests) // DIGEST_BYTES
    index = bisect_left(range(count), digest, key=lambda at: digests[at * DIGEST_BYTES : (at + 1) * DIGEST_BYTES])
    return digests[index * DIGEST_BYTES : (index + 1) * DIGEST_BYTES] == digest


@cache
def _digests() -> bytes:
    return (resources.files("signalpost.identity") / "common_passwords.bin").read_bytes()
