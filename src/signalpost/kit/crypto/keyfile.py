import base64
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from signalpost.kit.crypto.keyring import KEY_BYTES


class KeyFileUnsafe(Exception):
    """The master key file is not a regular file of ours that only we can read."""


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
