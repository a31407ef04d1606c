"""A PostgreSQL server of one test, to be restarted, frozen, filled up, or given a wrong clock."""

import asyncio
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
from tests.counterparts.tools import HERE, NotInstalled, folder, free_port

from signalpost.embedded_postgres.account import ServerAccount
from signalpost.embedded_postgres.start import _installation
from signalpost.migrations.runner import migrate

SECONDS_MAX = 240.0
"""Waits end with their condition; the bound is for what never comes, and a little less than a test may take."""


class OwnPostgres:
    """The server: `environment` is what its processes find besides a search path (LD_PRELOAD, FAKETIME ...).

    `installation`: another one than the service's.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str], installation: Path | None = None) -> None:
        self.folder = folder
        self.dsn = f"postgresql://postgres@/postgres?host={folder}"
        self.connections_max = 100
        self._bin = (installation or _installation()) / "bin"
        self._environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"} | environment
        self._account = ServerAccount.of(folder)
        self._process: asyncio.subprocess.Process | None = None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def socket(self) -> Path:
        return self.folder / ".s.PGSQL.5432"

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def run_as_account(self, *command: str) -> list[str]:
        """The command with which we, if we are root, run a program as the server's account."""
        if self._account.uid is None:
            return list(command)
        return ["setpriv", f"--reuid={self._account.uid}", f"--regid={self._account.gid}", "--clear-groups", *command]

    async def copy(self, files: Path) -> None:
        """Start the server with a copy of these files."""
        self._account.own(self.folder)
        command = self.run_as_account("cp", "-r", "--preserve=mode", str(files), str(self.data))
        await asyncio.to_thread(subprocess.run, command, check=True, cwd="/")
        await self.start()

    async def follow(self, primary: "OwnPostgres") -> None:
        """Start as a standby of another server, with a copy of what it has.

        The slot keeps the log for it: a checkpoint of the primary, as each backup makes one, would remove what a busy
        machine has not let it receive, and then it never follows again, and who commits waits for it for ever.
        """
        await self.save(primary, "-R", "-C", "-S", f"standby_{secrets.token_hex(4)}")
        await self.start()

    async def save(self, primary: "OwnPostgres", *options: str) -> None:
        """Copy what another server has, as a backup or a snapshot of its disk; it is not started."""
        self._account.own(self.folder)
        where = ["-h", str(primary.folder), "-U", "postgres", "-D", str(self.data), "-c", "fast", "--no-sync"]
        await self.run("pg_basebackup", *where, *options)

    async def run(self, program: str, *options: str) -> None:
        """Run a program of PostgreSQL as the server's account."""
        command = self.run_as_account(str(self._bin / program), *options)
        done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False, cwd="/")
        assert done.returncode == 0, done.stderr

    def configure(self, **settings: str) -> None:
        """Change settings of a server that does not run."""
        with (self.data / "postgresql.auto.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    def recover_until(self, primary: "OwnPostgres", lsn: str) -> None:
        """Have the server, which was saved, go on at its start to this position in the log of a stopped one."""
        self.configure(
            restore_command=f'cp "{primary.data}/pg_wal/%f" "%p"', recovery_target_lsn=lsn,
            recovery_target_action="promote",
        )  # fmt: skip
        (self.data / "recovery.signal").touch()
        self._account.own(self.data / "recovery.signal")

    async def create(self) -> None:
        """Initialise the cluster and start the server."""
        self._account.own(self.folder)
        options = ["-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"]
        initdb = self.run_as_account(str(self._bin / "initdb"), "-D", str(self.data), *options)
        done = await asyncio.to_thread(subprocess.run, initdb, capture_output=True, text=True, check=False, cwd="/")
        assert done.returncode == 0, done.stderr
        await self.start()

    async def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        settings = {
            "listen_addresses": "",
            "fsync": "off",
            "max_connections": str(self.connections_max),
            "timezone": "UTC",
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        # `env` comes after the change of account: what is preloaded must belong to the server's account.
        environment = [f"{name}={value}" for name, value in self._environment.items()]
        server = [str(self._bin / "postgres"), "-D", str(self.data), "-k", str(self.folder), *options]
        with (self.folder / "log").open("ab") as log:
            command = self.run_as_account("env", "-i", *environment, *server)
            self._process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log, cwd="/")
        await self._ready()

    async def _ready(self) -> None:
        async with asyncio.timeout(SECONDS_MAX):
            while True:
                assert self.runs, self.log[-3000:]
                with suppress(OSError, asyncpg.PostgresError):
                    await self.execute("select 1")
                    return
                await asyncio.sleep(0.05)

    async def lag(self) -> None:
        """As a standby: receive nothing more from the primary."""
        await self.execute("alter system set primary_conninfo = ''", "select pg_reload_conf()")
        async with asyncio.timeout(SECONDS_MAX):
            while await self.value("exists (select from pg_stat_wal_receiver)"):
                await asyncio.sleep(0.02)

    async def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: SIGINT rolls back and shuts down, SIGQUIT ends it at once."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            self._process.send_signal(how)
        async with asyncio.timeout(SECONDS_MAX):
            await self._process.wait()

    async def execute(self, *statements: str) -> None:
        """Run statements as its superuser, on a connection of their own."""
        connection = await asyncpg.connect(self.dsn)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    async def value(self, expression: str) -> Any:
        """Ask for one value as its superuser."""
        connection = await asyncpg.connect(self.dsn)
        try:
            return await connection.fetchval(f"select {expression}")
        finally:
            await connection.close()

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to the server and all its processes, to freeze or thaw them."""
        assert self._process is not None
        parent = self._process.pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        for process_id in (*map(int, children), parent):
            with suppress(ProcessLookupError):
                os.kill(process_id, number)


@asynccontextmanager
async def folder_of_server(
    environment: Mapping[str, str], installation: Path | None = None
) -> AsyncIterator[OwnPostgres]:
    """A server that was never started; whatever becomes of it, it is ended and its folder removed."""
    folder = Path(tempfile.mkdtemp(prefix="signalpost-own-"))
    await asyncio.to_thread(folder.chmod, 0o755)
    server = OwnPostgres(folder, environment, installation)
    try:
        yield server
    finally:
        if server.runs:
            server.signal_all(signal.SIGCONT)
            await server.stop(signal.SIGQUIT)
        shutil.rmtree(folder)


@asynccontextmanager
async def migrated_files() -> AsyncIterator[Path]:
    """The files of a migrated server that does not run, which is what takes time to make."""
    async with folder_of_server({}) as server:
        await server.create()
        await migrate(server.dsn)
        await server.stop()
        yield server.data


@asynccontextmanager
async def own_postgres(files: Path, environment: Mapping[str, str] | None = None) -> AsyncIterator[OwnPostgres]:
    """A server that runs with a copy of these files."""
    async with folder_of_server(environment or {}) as server:
        await server.copy(files)
        yield server


@asynccontextmanager
async def standby_of(primary: OwnPostgres) -> AsyncIterator[OwnPostgres]:
    """A server that follows another one, and takes reads until somebody promotes it."""
    async with folder_of_server({}) as server:
        await server.follow(primary)
        yield server


@asynccontextmanager
async def pgbouncer(server: OwnPostgres, mode: str, **more: object) -> AsyncIterator[str]:
    """A pgbouncer before the server, in this pool mode, with more settings; yields the address to connect to.

    Raises:
        NotInstalled: it is missing.
    """
    program = server.folder / "pgbouncer"  # where the server's account may read it
    shutil.copy(folder("pgbouncer", HERE / "pgbouncer" / "source.sha256") / "pgbouncer", program)
    port, file = free_port(), server.folder / "pgbouncer.ini"
    settings = {
        "listen_addr": "127.0.0.1", "listen_port": port, "unix_socket_dir": "", "auth_type": "any", "pool_mode": mode,
        **more,
    }  # fmt: skip
    lines = [f"{name} = {value}" for name, value in settings.items()]
    databases = f"postgres = host={server.folder} dbname=postgres user=postgres"
    file.write_text("\n".join(["[databases]", databases, "[pgbouncer]", *lines]) + "\n")
    with (server.folder / "pgbouncer.log").open("ab") as log:
        command = server.run_as_account(str(program), str(file))
        process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log, cwd="/")
    try:
        async with asyncio.timeout(SECONDS_MAX):
            while True:
                assert process.returncode is None, (server.folder / "pgbouncer.log").read_text()
                with suppress(OSError):
                    (await asyncio.open_connection("127.0.0.1", port))[1].close()
                    break
                await asyncio.sleep(0.05)
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        process.terminate()
        await process.wait()


def fake_clock(offset_file: Path) -> dict[str, str]:
    """The environment of a process whose clock is what the file says, such as `+1800`; its monotonic clock is right.

    Raises:
        NotInstalled: libfaketime is missing.
    """
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        raise NotInstalled("libfaketime is not installed; run `make test-tools`")
    return {
        "LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(offset_file), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }  # fmt: skip
