"""The person at the terminal: which user they are, which folder they mean, what they type without it being shown."""

import getpass
import os
import pwd
import re
import signal
import sys
from pathlib import Path

from signalpost.kit.errors import OperatorError

STDIN = "-"
_OURS = ("master.key", "database.lock", "postgres")
_SETTING = re.compile(r"^\s*(?:export\s+)?SIGNALPOST_", re.MULTILINE)


class ForeignFolder(OperatorError):
    """The data folder belongs to another user, or cannot be one."""


def require_own_folder(folder: Path) -> None:
    """Verify that the data folder was not made by another user.

    As root, we could read it; but what we wrote there, that user could not read.

    Raises:
        ForeignFolder: it was made by another user, or it is not a folder.
    """
    try:
        existing = next(part for part in (folder, *folder.parents) if part.exists())
        if not existing.is_dir():
            raise ForeignFolder(f"{folder} is not a folder. Choose another one with --data-dir.")
        owners = {(folder / name).lstat().st_uid for name in _OURS if (folder / name).exists()}
    except OSError as error:
        raise ForeignFolder(f"{folder} cannot be read: {error.strerror}. {_choose_user(folder)}") from None
    for owner in owners - {os.geteuid()}:
        raise ForeignFolder(f"{folder} belongs to {_user_name(owner)}. {_run_as(owner)}")


def hint_at_unread_file(folder: Path) -> None:
    """Say so if the current folder has an `.env` with settings of ours that is not the one of the data folder."""
    file = Path.cwd() / ".env"
    try:
        is_ours = file.parent != folder and _SETTING.search(file.read_text(errors="replace"))
    except OSError:  # usually there is none
        return
    if is_ours:
        sys.stderr.write(f"{file} is not read: settings are read from {folder / '.env'} and from the environment.\n")


def warn_of_open_file(folder: Path) -> None:
    """Say so if other users can read the `.env` of the data folder, which usually holds secrets."""
    file = folder / ".env"
    try:
        is_open = file.stat().st_mode & 0o077
    except OSError:  # usually there is none
        return
    if is_open:
        sys.stderr.write(f"Other users can read {file}. Run `chmod 600` on it, and consider new secrets.\n")


def read_password(option: str) -> str:
    """Return a password: from the terminal, where it is asked for twice and not shown, or a line of standard input.

    Raises:
        OperatorError: it is missing or has a wrong length, or the two are not the same.
    """
    password = _read_password(option)
    if not 10 <= len(password) <= 200:
        raise OperatorError("The password must have 10 to 200 characters.")
    return password


def _read_password(option: str) -> str:
    if option != STDIN:
        sys.stderr.write(
            "A password on the command line is visible in the process list and in the history of the shell;"
            " leave out --password to be asked for it.\n"
        )
        return option
    if not sys.stdin.isatty():
        if not (line := sys.stdin.readline().rstrip("\r\n")):
            raise OperatorError("There is no password on standard input. Run the command in a terminal to be asked.")
        return line
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # so that the terminal shows input again
    try:
        password, again = getpass.getpass("Password: "), getpass.getpass("The same again: ")
    finally:
        signal.signal(signal.SIGINT, usual)
    if password != again:
        raise OperatorError("The two passwords are not the same.")
    return password


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user id {uid}"


def _run_as(uid: int) -> str:
    try:
        return f"Run this command as that user: sudo -u {pwd.getpwuid(uid).pw_name} ..."
    except KeyError:
        return "Run this command as that user."


def _choose_user(folder: Path) -> str:
    try:
        return _run_as(folder.lstat().st_uid)
    except OSError:
        return "Choose another folder with --data-dir, or another user."
