"""Run a program as another account, optionally detached: `python -I -S run_as.py JOB PROGRAM ARGS...`.

This is a program of its own because dropping privileges between fork and exec is not safe in a process with threads.
It uses the standard library only and starts in about 20 ms.
JOB is JSON: {"uid": int | null, "gid": int, "reach": [paths], "log": path | null}.

- uid: the account to become; null keeps the present one.
- reach: the paths that the account must be able to reach. If a parent folder is closed to it (a checkout below a 0700
  home), the program gets one capability, CAP_DAC_READ_SEARCH: it may read there, not write. Nobody else's folder
  changes its permissions.
- log: if given, the program runs detached (own session, output to this file), and its process id is printed.
"""

import ctypes
import json
import os
import sys

_PR_SET_KEEPCAPS = 8
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_RAISE = 2
_CAP_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION_3 = 0x20080522


def _checked(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _become(uid: int, gid: int, reach: list[str]) -> None:
    """Switch to the account for good; keep the capability to read in closed folders only if it is needed."""
    libc = ctypes.CDLL(None, use_errno=True)
    _checked(libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0))
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    needed = not all(os.access(path, os.R_OK | os.X_OK) for path in reach)  # access() ignores kept capabilities
    bits = 1 << _CAP_DAC_READ_SEARCH if needed else 0
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)(bits, bits, bits, 0, 0, 0)  # effective, permitted, inheritable; low word, high word
    try:
        _checked(libc.capset(header, sets))
        if needed:
            _checked(libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, _CAP_DAC_READ_SEARCH, 0, 0))
    except OSError as error:
        message = (
            f"Account {uid} cannot reach {' and '.join(reach)}, and this process cannot grant CAP_DAC_READ_SEARCH. "
            "Choose a place below folders that every user may enter, or run as an ordinary user."
        )
        raise SystemExit(message) from error


def _detach(log: str) -> None:
    """Continue in a child with its own session, which survives its terminal and parent; print its id and exit here."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    child = os.fork()
    if child:
        os.write(1, str(child).encode())
        os._exit(0)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(output)


def main() -> None:
    job = json.loads(sys.argv[1])
    os.umask(0o077)
    if job["uid"] is not None:
        _become(job["uid"], job["gid"], job["reach"])
    if job["log"] is not None:
        _detach(job["log"])
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - the caller's program, no shell wanted


if __name__ == "__main__":
    main()
