"""The service is restarted under load, one process after the other, as an update does it: no caller notices."""

import asyncio
import itertools
import os
import random
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from tests.counterparts import tools
from tests.faults.hostile import HostileNetwork, slow
from tests.faults.processes import Process
from tests.faults.scene import Scene, Tenant, sizes
from tests.figures.record import Record, holds

SEED = 20261123
REQUESTS_PER_SECOND = 50
REQUESTS_PER_RESTART = 50
UNDER_WAY_MAX = 32
"""More would pile up where the machine has too much to do for that pace."""
_NGINX = """
daemon off; pid {folder}/pid; {user} events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    upstream service {{ {servers} }}
    server {{
        listen 127.0.0.1:{port};
        location / {{ proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Host $host; }}
    }}
}}
"""


@asynccontextmanager
async def _balancer(ports: Sequence[int]) -> AsyncIterator[int]:
    """An nginx before the processes, which tries the next one when nobody listens; yields its port."""
    port = tools.free_port()
    with tempfile.TemporaryDirectory(prefix="signalpost-nginx-") as name:
        folder = Path(name)
        servers = " ".join(f"server 127.0.0.1:{upstream} max_fails=0;" for upstream in ports)
        user = "user root;" if os.getuid() == 0 else ""
        (folder / "nginx.conf").write_text(_NGINX.format(folder=folder, user=user, servers=servers, port=port))
        command = [tools.program("nginx"), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]
        process = await asyncio.create_subprocess_exec(*command)
        try:
            yield port
        finally:
            process.terminate()
            await process.wait()


async def _restart_all(
    scene: Scene, processes: list[Process], times: int, codes: Counter[object], chance: random.Random
) -> int:
    """End one process after the other in an orderly way; each time a new one takes its port and its place.

    Goes on past that many times until there were enough answers for them; returns how often it was.
    """
    number = 0
    while number < times or codes.total() < times * REQUESTS_PER_RESTART:
        await asyncio.sleep(chance.uniform(0.1, 0.6))
        index = number % len(processes)
        old = processes[index]
        assert await old.stop() == 0
        processes[index] = await scene.serve(with_worker=True, port=old.port)
        number += 1
    return number


@holds("O2")
@sizes("times", quick=2, heavy=20)
async def test_a_rolling_restart_fails_no_request(
    scene: Scene, network: HostileNetwork, record: Record, times: int
) -> None:
    """Two processes behind nginx, fifty requests a second; half of them create posts, for a slow network."""
    network.on("", slow(0.2))
    tenant = await scene.tenant()
    await tenant.late_policy()
    accounts = [await tenant.mastodon(network, f"a{number}") for number in range(10)]
    processes = [await scene.serve(with_worker=True) for _ in range(2)]
    ports = [process.port for process in processes if process.port]
    async with _balancer(ports) as port, scene.client_at(port, tenant) as client:
        await scene.until(lambda: scene.answers(client), "an answer through nginx")
        codes: Counter[object] = Counter()
        load = asyncio.create_task(_load(client, tenant, accounts, codes))
        try:
            restarts = await _restart_all(scene, processes, times, codes, random.Random(SEED))
        finally:
            load.cancel()
        texts = await load
    await scene.all_done()
    left = await scene.value("count(*) from target where status = 'publishing'")
    failed = codes.total() - codes[200] - codes[201]
    tried = {"restarts": restarts, "requests": codes.total()}
    record("O2", tried=tried, measured={"requests failed": failed, "targets left publishing": left}, seed=SEED)
    assert failed == 0, codes
    assert left == 0
    assert sorted(network.public()) == sorted(texts)
    assert network.doubles() == {}


async def _load(
    client: httpx.AsyncClient, tenant: Tenant, accounts: Sequence[str], codes: Counter[object]
) -> list[str]:
    """Send requests at a steady pace until it is cancelled, and count their answers; return which posts were made."""
    texts: list[str] = []
    places = asyncio.Semaphore(UNDER_WAY_MAX)

    async def send(number: int) -> None:
        text = f"post {number}"
        body = tenant.body(accounts[number % len(accounts)], text=text)
        try:
            answer = await (client.post("/posts", json=body) if number % 2 else client.get("/posts?limit=5"))
        except httpx.TransportError as error:
            codes[repr(error)] += 1
            return
        codes[answer.status_code] += 1
        if answer.status_code == 201:
            texts.append(text)

    async with asyncio.TaskGroup() as group:
        try:
            for number in itertools.count():
                await places.acquire()
                group.create_task(send(number)).add_done_callback(lambda _: places.release())
                await asyncio.sleep(1 / REQUESTS_PER_SECOND)
        except asyncio.CancelledError:
            pass  # the requests under way are awaited
    return texts
