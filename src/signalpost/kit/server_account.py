"""Whom a server that refuses root runs as, and how its files and programs become that account's."""

import json
import os
import pwd
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from signalpost.kit import unprivileged

_NAMES = ("signalpost", "postgres")
_SECONDS_MAX = 120.0


@dataclass(frozen=True)
class ServerAccount:
    """An account of this machine; `uid` None means ourselves, and nothing changes hands."""

    name: str
    uid: int | None
    gid: int

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Ourselves; as root the owner of `folder`, else a database account, else one made now, else nobody."""
        if os.geteuid() != 0:
            return cls(pwd.getpwuid(os.geteuid()).pw_name, None, os.getegid())
        if folder.exists() and (owner := folder.stat()).st_uid != 0:
            return cls(pwd.getpwuid(owner.st_uid).pw_name, owner.st_uid, owner.st_gid)
        known = {entry.pw_name: entry for entry in pwd.getpwall()}
        if not known.keys() & set(_NAMES) and (useradd := shutil.which("useradd")):
            command = [useradd, "--system", "--no-create-home", "--user-group", _NAMES[0]]
            if subprocess.run(command, check=False).returncode == 0:  # noqa: S603 - fixed words, no shell
                known[_NAMES[0]] = pwd.getpwnam(_NAMES[0])
        entry = next(known[name] for name in (*_NAMES, "nobody") if name in known)
        return cls(entry.pw_name, entry.pw_uid, entry.pw_gid)

    def own(self, path: Path) -> None:
        """Hand `path` over, itself only and not what a link points to."""
        if self.uid is not None:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def write(self, path: Path, lines: list[str]) -> None:
        """Replace a file of the account, mode 600. Root follows no link in a folder that is not its own."""
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
        text_in: str = "",
        pass_fds: tuple[int, ...] = (),
    ) -> subprocess.CompletedProcess[str]:
        """Run a program as this account; with `log`, set it on its way, detached, and return at once.

        Args:
            command: the program's full path and its arguments.
            reach: files and folders it needs, checked before it starts.
            log: takes its output; without it the output is in the result.
            text_in: what it reads.
            pass_fds: open files that it inherits.
        """
        job = {"uid": self.uid, "gid": self.gid, "reach": [str(p) for p in reach], "log": log and str(log)}
        # Our secrets are none of its business, and stray PG* variables would change what a database server does.
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "SIGNALPOST_"))}
        return subprocess.run(  # noqa: S603 - our own interpreter and file, no shell
            [sys.executable, "-I", "-S", unprivileged.__file__, json.dumps(job), *command],
            input=text_in,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            cwd="/",
            env=environment | {"LC_ALL": "C"},
            pass_fds=pass_fds,
            timeout=_SECONDS_MAX,
        )
