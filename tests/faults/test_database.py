"""The database restarts, loses its sessions, is read-only, freezes, or its disk is full: nothing is lost or doubled."""

import asyncio
import random
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from tests.faults import sabotage
from tests.faults.hostile import HostileNetwork, slow
from tests.faults.own_postgres import OwnPostgres, own_postgres
from tests.faults.scene import open_scene, post_id, sizes
from tests.figures.record import Record, holds
from tests.helpers.service_process import Service

from signalpost.kit import clock
from signalpost.settings import Settings

_TERMINATE = """
select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'
"""


@pytest.fixture
async def server(server_files: Path) -> AsyncIterator[OwnPostgres]:
    async with own_postgres(server_files) as opened:
        yield opened


async def _restart(server: OwnPostgres, times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0.5)
        await server.stop(signal.SIGQUIT)
        await server.start()


async def _terminate(server: OwnPostgres, times: int) -> None:
    for _ in range(3 * times):
        await asyncio.sleep(0.2)
        with suppress(OSError, asyncpg.PostgresError):
            await server.execute(_TERMINATE)


async def _make_read_only(server: OwnPostgres, times: int) -> None:
    await server.execute("alter system set default_transaction_read_only = on", "select pg_reload_conf()")
    await asyncio.sleep(2 * times)
    writable = "set default_transaction_read_only = off"
    await server.execute(writable, "alter system reset default_transaction_read_only", "select pg_reload_conf()")


async def _freeze(server: OwnPostgres, times: int) -> None:
    server.signal_all(signal.SIGSTOP)
    await asyncio.sleep(2 * times)
    server.signal_all(signal.SIGCONT)


FAULTS: dict[str, Callable[[OwnPostgres, int], Awaitable[None]]] = {
    "restarts": _restart,
    "all sessions end": _terminate,
    "read-only": _make_read_only,
    "frozen": _freeze,
}


@pytest.mark.alone
@holds("R10")
@sizes("times", quick=2, heavy=20)
@pytest.mark.parametrize("fault", FAULTS)
async def test_faults_of_the_database_under_load(
    settings: Settings, server: OwnPostgres, network: HostileNetwork, tmp_path: Path, record: Record, fault: str,
    times: int,
) -> None:  # fmt: skip
    """Three callers and two workers go on meanwhile; what was acknowledged is published, once."""
    network.on("", slow(0.05))
    network.loses = 0.02
    quick = [] if times > 2 else [sabotage.short_waits]
    async with open_scene(settings, server.dsn, tmp_path) as scene:
        tenant = await scene.tenant()
        await tenant.late_policy()
        accounts = [await tenant.mastodon(network, f"a{number}") for number in range(10)]
        service = await scene.serve()
        workers = [await scene.worker(*quick) for _ in range(2)]
        acknowledged: dict[str, str] = {}
        codes: Counter[int] = Counter()
        stop = asyncio.Event()

        async def call(caller: int) -> None:
            chance, number = random.Random(caller), 0
            async with scene.client(service, tenant) as client:
                while not stop.is_set():
                    number += 1
                    body = {
                        "profileId": tenant.login.profile,
                        "text": f"c{caller}-{number}",
                        "targets": [{"accountId": chance.choice(accounts)}],
                    }
                    answer = await client.post("/posts", json=body)
                    codes[answer.status_code] += 1
                    if answer.status_code == 201:
                        acknowledged[answer.json()["id"]] = str(body["text"])
                    await asyncio.sleep(0.05)

        callers = [asyncio.create_task(call(number)) for number in range(3)]
        await asyncio.sleep(1)
        await FAULTS[fault](server, times)
        made = len(network.made())
        began = clock.monotonic()
        await scene.until(lambda: len(network.made()) > made, "publishing after the fault")
        assert clock.monotonic() - began < 20
        stop.set()
        await asyncio.gather(*callers)
        await scene.all_done()

        rows = {row["id"]: row["status"] for row in await scene.query("select post_id as id, status from target")}
        _check(
            partial(record, "R10", tried={"restarts": times} if fault == "restarts" else {}),
            acknowledged,
            rows,
            network,
        )
        assert codes.keys() <= {201, 503}, codes
        assert {post.text for post in network.made()} >= set(acknowledged.values())
        assert all(worker.runs for worker in workers)


def _check(
    record: Callable[..., None], acknowledged: Collection[str], rows: Mapping[Any, str], network: HostileNetwork
) -> None:
    """Record and ensure that what was acknowledged is published, once."""
    lost = [post for post in acknowledged if rows.get(post_id(post)) != "published"]
    record(measured={"acknowledged and lost": len(lost), "doubles": len(network.doubles())})
    assert acknowledged
    assert lost == []
    assert network.doubles() == {}


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
async def test_a_database_that_cannot_store_every_text_is_refused_at_start(
    server: OwnPostgres, tmp_path: Path, encoding: str
) -> None:
    """Otherwise it seems to work until somebody writes an emoji, and then answers 500."""
    await server.execute(f"create database foreign_{encoding} encoding '{encoding}' locale 'C' template template0")
    dsn = server.dsn.replace("/postgres?", f"/foreign_{encoding.lower()}?")

    service = Service(tmp_path)
    done = await service.command("serve", "--port", str(service.port), SIGNALPOST_DATABASE_URL=dsn)

    assert done.returncode == 1
    assert re.fullmatch(rf".* encoding {encoding}, .* template0`\.\n", done.stderr), done.stderr


_FULL_DISK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
static int is_full(int fd) {
    char *file = getenv("FULL_DISK_FILE");
    return fd > 2 && file && access(file, F_OK) == 0;
}
#define REFUSE_WHEN_FULL(fd) if (is_full(fd)) { errno = ENOSPC; return -1; }
ssize_t pwrite(int fd, const void *buffer, size_t size, off_t offset) {
    REFUSE_WHEN_FULL(fd)
    return ((ssize_t (*)(int, const void *, size_t, off_t)) dlsym(RTLD_NEXT, "pwrite"))(fd, buffer, size, offset);
}
ssize_t pwrite64(int fd, const void *buffer, size_t size, off_t offset) {
    REFUSE_WHEN_FULL(fd)
    return ((ssize_t (*)(int, const void *, size_t, off_t)) dlsym(RTLD_NEXT, "pwrite64"))(fd, buffer, size, offset);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
    REFUSE_WHEN_FULL(fd)
    return ((ssize_t (*)(int, const struct iovec *, int, off_t)) dlsym(RTLD_NEXT, "pwritev"))(fd, parts, count, offset);
}
int posix_fallocate(int fd, off_t offset, off_t size) {
    if (is_full(fd)) return ENOSPC;
    return ((int (*)(int, off_t, off_t)) dlsym(RTLD_NEXT, "posix_fallocate"))(fd, offset, size);
}
"""
"""Makes a server believe that its disk is full while a file exists."""


@holds("R11")
@sizes("seconds", quick=3, heavy=20)
async def test_a_full_disk_loses_nothing(
    settings: Settings, network: HostileNetwork, tmp_path: Path, server_files: Path, record: Record, seconds: int
) -> None:
    """The server's disk is full under load, until somebody frees it and starts the server again."""
    library, switch = await _build_full_disk()
    environment = {"LD_PRELOAD": str(library), "FULL_DISK_FILE": str(switch)}
    async with own_postgres(server_files, environment) as server, open_scene(settings, server.dsn, tmp_path) as scene:
        tenant = await scene.tenant()
        await tenant.late_policy()
        accounts = [await tenant.mastodon(network, f"a{number}") for number in range(10)]
        service = await scene.serve()
        worker = await scene.worker(sabotage.short_waits)
        acknowledged = set()
        codes: Counter[int] = Counter()

        async def call(client: httpx.AsyncClient, number: int) -> None:
            body: dict[str, Any] = {
                "profileId": tenant.login.profile,
                "targets": [{"accountId": accounts[number % 10]}],
            }
            answer = await client.post("/posts", json=body | {"text": f"post {number}"})
            codes[answer.status_code] += 1
            if answer.status_code == 201:
                acknowledged.add(answer.json()["id"])

        async with scene.client(service, tenant) as client:
            for number in range(20):
                await call(client, number)
                await asyncio.sleep(0.03)
            switch.touch()
            end = clock.monotonic() + seconds
            while clock.monotonic() < end or not codes[503]:
                number += 1
                await call(client, number)
                await asyncio.sleep(0.03)
            switch.unlink()
            if not server.runs:
                await server.start()
            before = len(network.made())
            await scene.until(lambda: _accepted(call, client, acknowledged), "an accepted post")
            await scene.until(lambda: len(network.made()) > before, "publishing after space is there")
        await scene.all_done()
        rows = {row["id"]: row["status"] for row in await scene.query("select post_id as id, status from target")}
        _check(partial(record, "R11", tried={"full disks": 1}), acknowledged, rows, network)
        assert codes.keys() <= {201, 503}, codes
        assert codes[503] > 0
        assert worker.runs
    library.unlink()


async def _accepted(
    call: Callable[[httpx.AsyncClient, int], Awaitable[None]], client: httpx.AsyncClient, acknowledged: set[str]
) -> bool:
    before = len(acknowledged)
    await call(client, 10_000 + random.randrange(10_000))
    return len(acknowledged) > before


async def _build_full_disk() -> tuple[Path, Path]:
    """Compile the library that refuses writes; returns it and the file whose existence switches it on."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="signalpost-disk-"))
    await asyncio.to_thread(folder.chmod, 0o755)
    source, library = folder / "full.c", folder / "full.so"
    source.write_text(_FULL_DISK)
    build = await asyncio.create_subprocess_exec(
        "gcc", "-shared", "-fPIC", "-O1", str(source), "-o", str(library), "-ldl"
    )
    assert await build.wait() == 0
    return library, folder / "full"
