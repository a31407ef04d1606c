"""Requests at a steady pace through nginx, while the processes behind it are replaced."""

import asyncio
import itertools
import os
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from tests.counterparts import tools
from tests.faults.scene import Tenant

REQUESTS_PER_SECOND = 50
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
async def balancer(ports: Sequence[int]) -> AsyncIterator[int]:
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


async def steady_load(
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
