import base64
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from signalpost.kit.crypto.keyring import KEY_BYTES
from signalpost.kit.errors import OperatorError


class KeyFileUnsafe(OperatorError):
    """The master key file is not a regular file that only this user can read."""


def master_key_file(path: Path) -> bytes:
    """Return the content of the master key file for `KeyRing.from_master`; create it with a new key if it is missing.

    The file appears complete or not at all, and processes that start at the same time get the same key.

    Raises:
        KeyFileUnsafe: other users can read the file, or it is not a regular file of this user.
        OSError: the folder is missing or cannot be written.
    """
    with suppress(FileNotFoundError):
        return _read_key_file(path)
    # Linking publishes the finished file, and fails if another process was first.
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
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_uid not in (0, os.geteuid()):
            raise KeyFileUnsafe(f"{path} is not a regular file of this user.")
        if status.st_mode & 0o077:
            raise KeyFileUnsafe(f"Other users can read {path}. Run `chmod 600` on it, and consider a new key.")
        return file.read(65_536).strip()
