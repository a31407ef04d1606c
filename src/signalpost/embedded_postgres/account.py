"""The account that the server runs as, since PostgreSQL refuses root, and what is done in its name."""

import json
import os
import pwd
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from signalpost.embedded_postgres import run_as

_NAMES = ("signalpost", "postgres")
_SECONDS_MAX = 120.0


@dataclass(frozen=True)
class ServerAccount:
    """An account of this machine. `uid` None: the account of this process, and no file changes its owner."""

    name: str
    uid: int | None
    gid: int

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Choose the account: our own unless we are root.

        As root it is the owner of `folder`, else an existing database account, else one created now, else `nobody`.

        Raises:
            KeyError: our own user id has no user name.
        """
        if os.geteuid() != 0:
            return cls(pwd.getpwuid(os.geteuid()).pw_name, None, os.getegid())
        if folder.exists() and (owner := folder.stat()).st_uid != 0:
            return cls(pwd.getpwuid(owner.st_uid).pw_name, owner.st_uid, owner.st_gid)
        accounts = {account.pw_name: account for account in pwd.getpwall()}
        if not accounts.keys() & set(_NAMES) and (useradd := shutil.which("useradd")):
            command = [useradd, "--system", "--no-create-home", "--user-group", _NAMES[0]]
            if subprocess.run(command, check=False).returncode == 0:  # noqa: S603 - constant arguments, no shell
                accounts[_NAMES[0]] = pwd.getpwnam(_NAMES[0])
        account = next(accounts[name] for name in (*_NAMES, "nobody") if name in accounts)
        return cls(account.pw_name, account.pw_uid, account.pw_gid)

    def own(self, path: Path) -> None:
        """Make the account the owner of `path`; of a link itself, not of what it points to."""
        if self.uid is not None:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def write(self, path: Path, lines: list[str]) -> None:
        """Replace a file of the account, mode 600. As root we follow no link in a folder that is not our own."""
        fresh = path.with_name(f"{path.name}.new")
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "w") as file:
            file.writelines(f"{line}\n" for line in lines)
        self.own(fresh)
        fresh.replace(path)

    def run(
        self,
        command: list[str],
        *,
        reach: list[Path],
        log: Path | None = None,
        stdin: str = "",
        pass_fds: tuple[int, ...] = (),
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this account; with `log`, launch it detached and return at once.

        Args:
            command: the program's full path and its arguments.
            reach: files and folders it needs, checked before it starts.
            log: receives its output; without it the output is in the result.
            stdin: what it reads.
            pass_fds: open files that it inherits.
        """
        job = {"uid": self.uid, "gid": self.gid, "reach": [str(path) for path in reach], "log": log and str(log)}
        # It must not see our secrets, and stray PG* variables would change what a database server does.
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "SIGNALPOST_"))}
        return subprocess.run(  # noqa: S603 - our own interpreter and file, no shell
            [sys.executable, "-I", "-S", run_as.__file__, json.dumps(job), *command],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            cwd="/",
            env=environment | {"LC_ALL": "C"},
            pass_fds=pass_fds,
            timeout=_SECONDS_MAX,
        )
