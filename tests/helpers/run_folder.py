"""The folder of one run of the tests: their databases, and everything temporary.

It lies in memory if this machine has room there, since a test's own database or service then starts several times
faster. It is removed at the end; `--basetemp FOLDER` keeps the files of single tests elsewhere.
"""

import contextlib
import fcntl
import multiprocessing.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from signalpost.embedded_postgres.cluster import Cluster, recorded_socket_dir

_MEMORY = Path("/dev/shm")
_BYTES_MIN = 4_000_000_000
_PREFIX = "signalpost-run-"


@contextlib.contextmanager
def run_folder() -> Iterator[Path]:
    """A folder for this run, in which all temporary files of this process and its children are made."""
    place = _place()
    _remove_left_over(place)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    folder.chmod(0o755)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        multiprocessing.util.get_temp_dir()  # of this process, which removes it at its exit: later than this folder
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        yield folder
        shutil.rmtree(folder)


def _place() -> Path:
    usual = Path(tempfile.gettempdir())
    if not os.access(_MEMORY, os.W_OK):
        return usual
    memory = os.statvfs(_MEMORY)
    may_execute = not memory.f_flag & os.ST_NOEXEC  # tests make environments with programs and libraries
    return _MEMORY if may_execute and memory.f_bavail * memory.f_frsize >= _BYTES_MIN else usual


def _remove_left_over(place: Path) -> None:
    """End the servers of runs that were killed, and remove their folders."""
    for lock in place.glob(f"{_PREFIX}*/lock"):
        with contextlib.suppress(OSError), lock.open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            server = lock.parent / "postgres"
            if socket_dir := recorded_socket_dir(server):
                Cluster(server, socket_dir).stop()
            shutil.rmtree(lock.parent)
