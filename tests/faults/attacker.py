"""A program that sends the same requests again and again, beside the test that measures what others notice of it.

Reads from its input the address of the service and, one JSON line each, requests: [method, path, key, body].
"""

import asyncio
import json
import sys

import httpx


async def _send(client: httpx.AsyncClient, method: str, path: str, key: str, body: str) -> None:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    while True:
        answer = await client.request(method, path, content=body, headers=headers)
        assert answer.status_code < 500 or answer.status_code == 503, answer.text[:500]


async def _main() -> None:
    address, *requests = sys.stdin.read().splitlines()
    async with httpx.AsyncClient(base_url=address, timeout=60) as client, asyncio.TaskGroup() as group:
        await client.get("/healthz/api")
        print("begun", flush=True)  # noqa: T201 - for the test
        for request in requests:
            group.create_task(_send(client, *json.loads(request)))


asyncio.run(_main())
