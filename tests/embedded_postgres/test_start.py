"""The embedded server comes up whatever happened before, as root and as an ordinary user.

Each action happens in a program of its own, as in real life: the service that started a server may be long gone.
"""

import asyncio
import contextlib
import json
import os
import pwd
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pytest

import signalpost
from signalpost.embedded_postgres import start
from signalpost.embedded_postgres.cluster import Cluster, PostgresFailed
from signalpost.embedded_postgres.start import start_postgres

pytestmark = pytest.mark.xdist_group("embedded")  # the installation is copied once, and one cluster made for each user
PROGRAM = """
import asyncio, json, sys
from pathlib import Path
import asyncpg
from signalpost.embedded_postgres.start import start_postgres

async def ask(dsn, statement):
    connection = await asyncpg.connect(dsn)
    try:
        return [list(map(str, row)) for row in await connection.fetch(statement)]
    finally:
        await connection.close()

folder, action, statement = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
cluster = start_postgres(folder, settings=json.loads(sys.argv[4]))
rows = asyncio.run(ask(cluster.dsn(), statement)) if statement else []
answer = {"pid": cluster.pid(), "socket_dir": str(cluster.socket_dir), "dsn": cluster.dsn(), "rows": rows}
if action == "stop":
    cluster.stop()
print(json.dumps(answer))
"""
FAST = {"fsync": "off"}


@dataclass(frozen=True)
class User:
    """A user who runs the service on this machine."""

    name: str
    uid: int | None
    python: str

    def start(self, folder: Path, action: str = "", statement: str = "") -> dict[str, Any]:
        return self.result_of(self.begin(folder, action, statement))

    def begin(self, folder: Path, action: str = "", statement: str = "") -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.python, "-c", PROGRAM, str(folder), action, statement, json.dumps(FAST)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            user=self.uid,
            group=self.uid and pwd.getpwuid(self.uid).pw_gid,
            extra_groups=None if self.uid is None else [],
            cwd="/",
        )

    @staticmethod
    def result_of(process: subprocess.Popen[str]) -> dict[str, Any]:
        out, err = process.communicate()
        assert process.returncode == 0, err
        answer: dict[str, Any] = json.loads(out)
        return answer


@pytest.fixture(scope="module")
def installation() -> Iterator[Path]:
    """A copy of what the server needs that an ordinary user can read, wherever the checkout lies."""
    place = Path(tempfile.mkdtemp(prefix="installation-"))
    site = Path(asyncpg.__file__).parents[1]
    place.chmod(0o755)
    for name in ("asyncpg", "embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(site / name, place / name)
    for room in ("embedded_postgres", "kit"):
        shutil.copytree(Path(signalpost.__file__).parent / room, place / "signalpost" / room)
    (place / "signalpost" / "__init__.py").touch()
    yield place
    shutil.rmtree(place)


@pytest.fixture(scope="module", params=["ourselves", "ordinary user"])
def user(request: pytest.FixtureRequest) -> Iterator[User]:
    """Whoever runs the tests; and, when that is root, an ordinary user as well (the same test twice otherwise)."""
    if request.param == "ourselves" or os.geteuid() != 0:
        yield User(pwd.getpwuid(os.geteuid()).pw_name, None, sys.executable)
        return
    installation: Path = request.getfixturevalue("installation")
    # The base interpreter may lie below a closed home; its copy and library are found by this small program.
    python = installation / "python"
    base, copied = Path(sys.base_prefix), installation / "base"
    if not _reachable_by_all(base):
        left_out = shutil.ignore_patterns("test", "site-packages", "*.a", "share", "include")
        if not copied.exists():
            shutil.copytree(base, copied, symlinks=True, ignore=left_out)
        base = copied
    interpreter = base / "bin" / f"python3.{sys.version_info.minor}"
    python.write_text(
        f'#!/bin/sh\nexport PYTHONPATH={installation} LD_LIBRARY_PATH={base}/lib\nexec {interpreter} "$@"\n'
    )
    python.chmod(0o755)
    account = pwd.getpwnam("daemon")
    yield User(account.pw_name, account.pw_uid, str(python))


def _reachable_by_all(path: Path) -> bool:
    return all(parent.stat().st_mode & 0o005 == 0o005 for parent in (path, *path.parents))


@pytest.fixture
def empty(user: User, tmp_path: Path) -> Iterator[Path]:
    """A data folder of that user, private as pytest's are: the server's own account may not look into it."""
    with _folder_of(user, tmp_path) as place:
        yield place


@pytest.fixture(scope="module")
def stopped(user: User, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The data folder of a server of that user that has run once. Only to be copied."""
    with _folder_of(user, tmp_path_factory.mktemp("stopped")) as place:
        user.start(place, "stop")
        yield place


@pytest.fixture
def folder(empty: Path, stopped: Path) -> Path:
    """A data folder with a server that has run, since nearly all of the time of a first start is that of initdb."""
    subprocess.run(["cp", "-a", f"{stopped}/.", empty], check=True)
    return empty


@contextlib.contextmanager
def _folder_of(user: User, private: Path) -> Iterator[Path]:
    place = private / "data"
    if user.uid is not None:
        place = Path(tempfile.gettempdir()) / f"data-{time.monotonic_ns()}"
    place.mkdir(mode=0o700)
    if user.uid is not None:
        os.chown(place, user.uid, -1)
    yield place
    _end(place)
    shutil.rmtree(place)


def _end(place: Path) -> None:
    for pid_file in place.rglob("postmaster.pid"):
        lines = pid_file.read_text().splitlines()
        if len(lines) > 4:
            Cluster(pid_file.parents[1], Path(lines[4])).stop()


def _process_ids(pid: int) -> list[int]:
    """The server's processes, postmaster first."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [pid, *map(int, listed.stdout.split())]


def test_first_start_makes_the_database_as_promised(user: User, empty: Path) -> None:
    statement = """select pg_encoding_to_char(encoding), datlocprovider, datlocale, datctype, current_user,
                   current_setting('data_checksums'), current_setting('listen_addresses'),
                   current_setting('synchronous_commit'), current_setting('is_superuser')
                   from pg_database where datname = current_database()"""

    answer = user.start(empty, statement=statement)

    assert answer["rows"] == [["UTF8", "b'b'", "C.UTF-8", "C.UTF-8", "signalpost", "on", "", "on", "off"]]


def test_only_the_service_and_root_can_reach_the_socket(user: User, folder: Path) -> None:
    socket_dir = Path(user.start(folder)["socket_dir"])

    assert socket_dir.stat().st_mode & 0o777 == 0o700
    if user.uid is not None:
        assert socket_dir.stat().st_uid == user.uid
    if os.geteuid() == 0:
        other = subprocess.run(["ls", socket_dir], user="nobody", capture_output=True, text=True, check=False)
        assert "Permission denied" in other.stderr


@pytest.mark.parametrize("user", ["ordinary user"], indirect=True)
def test_the_user_nobody_may_run_it(user: User, empty: Path) -> None:
    """The user of many containers. For a root service, other programs of nobody must not get in."""
    nobody = pwd.getpwnam("nobody")
    if user.uid is not None:  # not root: then it is run as whoever we are
        os.chown(empty, nobody.pw_uid, nobody.pw_gid)
        user = User("nobody", nobody.pw_uid, user.python)

    assert user.start(empty, statement="select 1")["rows"] == [["1"]]


def test_a_user_id_without_a_name_gets_advice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`docker run --user 54321`: PostgreSQL itself refuses such an account, in words that help nobody."""
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)

    with pytest.raises(PostgresFailed, match="54321 has no user name"):
        start_postgres(tmp_path)


def test_folders_of_others_keep_their_permissions(user: User, empty: Path) -> None:
    """The helper of the binary package opens every folder up to the root to everybody; we must not."""
    watched = [empty, *empty.parents, *Path(signalpost.__file__).parents]
    before = [path.stat().st_mode for path in watched]

    user.start(empty)

    assert [path.stat().st_mode for path in watched] == before


def test_the_server_outlives_its_starter_and_is_adopted(user: User, folder: Path) -> None:
    first = user.start(folder)

    assert user.start(folder)["pid"] == first["pid"]


def test_stop_ends_every_process_and_a_second_start_makes_nothing_anew(user: User, folder: Path) -> None:
    first = user.start(folder)
    files = {file: file.stat().st_ino for file in (folder / "postgres" / "cluster").rglob("PG_VERSION")}
    processes = _process_ids(first["pid"])
    user.start(folder, "stop")
    assert not any(_lives(pid) for pid in processes)

    assert user.start(folder)["pid"] != first["pid"]
    assert files
    assert {file: file.stat().st_ino for file in files} == files


def _lives(pid: int) -> bool:
    """A dead process that nobody has reaped keeps its id, but has no command line any more."""
    try:
        return b"postgres" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_start_after_kill_of_the_postmaster_keeps_committed_rows(user: User, folder: Path) -> None:
    """Left behind: a stale pid file, backends that are still ending, a dead process nobody has reaped yet."""
    user.start(folder, statement="create table kept (word text)")
    first = user.start(folder, statement="insert into kept values ('yes') returning word")
    os.kill(first["pid"], signal.SIGKILL)

    second = user.start(folder, statement="select word from kept")

    assert second["pid"] != first["pid"]
    assert second["rows"] == [["yes"]]


def test_start_after_kill_of_every_process(user: User, folder: Path) -> None:
    first = user.start(folder)
    for pid in _process_ids(first["pid"]):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    assert user.start(folder)["pid"] != first["pid"]


BUSY_SECONDS = 2.0
# Never waits for anything, so that its process does not notice the end of the postmaster.
BUSY = f"""
select exists (
    select from (select generate_series(1, 1000000000)) turns
    where clock_timestamp() > now() + interval '{BUSY_SECONDS} seconds'
)
"""


def test_start_waits_for_an_orphaned_backend_that_is_busy(user: User, folder: Path) -> None:
    """Two servers on one cluster would destroy it: the new one waits until the last old process has ended."""
    first = user.start(folder)
    slow = user.begin(folder, statement=BUSY)
    backend = _busy_backend(first["pid"])
    os.kill(first["pid"], signal.SIGKILL)
    killed_at = time.monotonic()

    second = user.start(folder)

    assert time.monotonic() - killed_at > BUSY_SECONDS / 2, "the backend had ended before"
    assert second["pid"] != first["pid"]
    assert not _lives(backend)
    slow.communicate()


def _busy_backend(postmaster: int) -> int:
    while True:
        for pid in _process_ids(postmaster)[1:]:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if b"SELECT" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    return pid


def test_lock_files_that_name_another_process_do_not_stop_the_start(user: User, folder: Path) -> None:
    """In a container process ids are small: after a crash, the recorded one is soon another process's.

    In a copy of the folder of a server that runs, both name that server.
    """
    user.start(folder, "stop")
    other = subprocess.Popen(["sleep", "60"], user=user.uid)
    pid_file = folder / "postgres" / "cluster" / "postmaster.pid"
    lines = [str(other.pid), str(pid_file.parent), "1", "5432", str(folder / "postgres" / "run"), "", "1 1", "ready"]
    for file in (pid_file, folder / "postgres" / "run" / ".s.PGSQL.5432.lock"):
        file.write_text("\n".join(lines) + "\n")
    try:
        answer = user.start(folder)
        assert answer["pid"] != other.pid
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_an_unfinished_cluster_is_created_again(user: User, empty: Path) -> None:
    """The process may die inside initdb."""
    half = empty / "postgres" / "cluster.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    if user.uid is not None:
        for path in (half.parent, half):
            os.chown(path, user.uid, -1)

    assert user.start(empty, statement="select 1")["rows"] == [["1"]]


def test_concurrent_starts_share_one_server(user: User, empty: Path) -> None:
    processes = [user.begin(empty, statement="select 1") for _ in range(4)]

    assert len({user.result_of(process)["pid"] for process in processes}) == 1


@pytest.mark.parametrize("name", ["x" * 120, "with, comma 'and' quote"])
def test_a_path_no_socket_can_have_gets_a_short_private_one(user: User, empty: Path, name: str) -> None:
    place = empty / name

    answer = user.start(place, statement="select 1")

    socket_dir = Path(answer["socket_dir"])
    assert answer["rows"] == [["1"]]
    assert len(bytes(socket_dir)) < 60
    assert socket_dir.stat().st_mode & 0o777 == 0o700
    user.start(place, "stop")
    socket_dir.rmdir()


def test_a_server_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of the log is in the error, and the wait is bounded."""
    monkeypatch.setattr(start, "_START_SECONDS_MAX", 1.0)

    with pytest.raises(PostgresFailed, match="no_such_setting"):
        start_postgres(tmp_path, settings={**FAST, "no_such_setting": "1"})


@pytest.mark.parametrize("megabytes", [4, 20])
def test_a_disk_without_room_is_named(tmp_path: Path, megabytes: int) -> None:
    """It is full when initdb begins, or in its middle. What initdb says besides is left out."""
    disk = tmp_path / "disk"
    disk.mkdir()
    with _small_disk(disk, megabytes), pytest.raises(PostgresFailed) as failed:
        start_postgres(disk, settings=FAST)

    assert str(failed.value).startswith(f"There is no room for the database in {disk / 'postgres'} (")
    assert "Make room there" in str(failed.value)
    assert "\n" not in str(failed.value)


@contextlib.contextmanager
def _small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    """Root can have one; for others no file can be longer."""
    if os.geteuid() == 0:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", folder], check=True)
        yield
        subprocess.run(["umount", folder], check=True)
        return
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (megabytes * 100_000, usual[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def test_the_server_sees_none_of_our_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALPOST_MASTER_KEY", "secret-value")
    cluster = start_postgres(tmp_path, settings=FAST)
    try:
        assert b"secret-value" not in Path(f"/proc/{cluster.pid()}/environ").read_bytes()
    finally:
        cluster.stop()


async def test_tests_can_make_databases_from_templates(tmp_path: Path) -> None:
    cluster = await asyncio.to_thread(start_postgres, tmp_path, settings=FAST)
    try:
        owner = await asyncpg.connect(cluster.dsn())
        await owner.execute("create database copy template signalpost")
        await owner.close()
        connection = await asyncpg.connect(cluster.dsn("copy"))
        assert await connection.fetchval("select current_database()") == "copy"
        await connection.close()
    finally:
        await asyncio.to_thread(cluster.stop)
