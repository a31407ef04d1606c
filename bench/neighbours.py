"""What one caller can do to another: `python -m bench.neighbours [--quick] [--only WORD]`, over HTTP.

A stranger sends the largest allowed requests of each operation, sixteen at a time, without limits per minute: what the
limits allow at once, for as long as one likes. Meanwhile another workspace reads and creates posts, one each 10 ms.
Latencies are theirs; the ratio is to those of the same run without the stranger. Target: p99 of 100 ms where two
processors are free for it.
"""

import argparse
import asyncio
import json
import multiprocessing
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx
import uvloop

from bench.load import request_bytes
from bench.service import Service, created, serving, temporary_folder

ATTACKERS = 16
READERS = 4
PAUSE_SECONDS = 0.04
BODY_BYTES_MAX = 2_000_000
SHOWN = 12
QUIET_EVERY = 6
_FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
_TEXT = "Ein Satz mit #Hashtag, @someone.test und https://example.com/ä . "


@dataclass
class Latencies:
    """Of the requests of the one who is not attacking, in milliseconds."""

    p50: float
    p99: float
    worst: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Latencies":
        percentiles = statistics.quantiles(seconds, n=100)
        return cls(percentiles[49] * 1000, percentiles[98] * 1000, max(seconds) * 1000)


class Person:
    """A workspace with a profile, an account and a post."""

    def __init__(self, service: Service, email: str) -> None:
        self.client, self.profile = service.create_owner(email)
        self.key = self.client.headers["Authorization"].removeprefix("Bearer ")
        connecting = {"profileId": self.profile, "fields": {"username": "bench"}}
        self.account = created(self.client, "/platforms/sandbox/connect", connecting)["id"]
        self.post = self.create("A post.")

    def body(self, text: str, **rest: Any) -> dict[str, Any]:
        targets = [{"accountId": self.account}]
        return {"profileId": self.profile, "text": text, "targets": targets, "draft": True} | rest

    def create(self, text: str, **rest: Any) -> str:
        post_id: str = created(self.client, "/posts", self.body(text, **rest))["id"]
        return post_id

    def request(self, method: str, path: str, body: Any = None) -> bytes:
        content = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
        return request_bytes(method, f"/api/v1{path}", self.key, content)


def bodies_of(document: Any, person: Person) -> Iterator[tuple[str, list[bytes]]]:
    """Yield each operation that takes a body, with requests that fill every field of it with the largest values."""
    places = {"/posts/": person.post, "/profiles/": person.profile, "/platforms/accounts/": person.account}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if schema is None:
                continue
            place = next((own for prefix, own in places.items() if path.startswith(prefix + "{")), "none")
            address = "/".join(place if part.startswith("{") else part for part in path.split("/"))
            names = list(_members(document, schema)) or ["unknown"]
            requests = [
                person.request(method.upper(), address.removeprefix("/api/v1"), dict.fromkeys(names, value))
                for value in _largest(BODY_BYTES_MAX * 9 // 10 // len(names))
            ]
            yield f"{method.upper()} {path.removeprefix('/api/v1')}", requests


def _members(document: Any, schema: Any) -> Iterator[str]:
    if reference := schema.get("$ref"):
        schema = document["components"]["schemas"][reference.rpartition("/")[2]]
    yield from schema.get("properties", {})
    for part in (*schema.get("allOf", ()), *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _members(document, part)


def _largest(size: int) -> list[Any]:
    """Return values of `size` bytes each, within what a body may hold."""
    return [
        "x" * size,
        _FAMILY * (size // 18),
        "http://a.b/ " * (size // 12),
        [[]] * (size // 100),
        [{}] * (size // 100),
        {f"{number:08}": 1 for number in range(size // 50)},
        [1] * (size // 20),
    ]


def special_requests(person: Person) -> Iterator[tuple[str, list[bytes]]]:
    """Yield what is valid, and long to do."""
    yield "small requests", [person.request("GET", f"/posts/{person.post}")]
    thread = [{"text": _TEXT * 90} for _ in range(29)]
    yield "a long thread, validated", [person.request("POST", "/posts/validate", person.body("x", thread=thread))]
    yield "a long thread, created", [person.request("POST", "/posts", person.body("x", thread=thread))]
    for number in range(100):
        person.create(f"{number} " + _TEXT * 600)
    yield "pages of 4 MB", [person.request("GET", "/posts?limit=100")]
    yield "a long search", [person.request("GET", f"/posts?limit=100&q={'abc%20' * 30}")]


async def attack(port: int, requests: Sequence[bytes]) -> None:
    """Send these requests one after the other over each of sixteen connections, for ever."""

    async def attacker(number: int) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=BODY_BYTES_MAX)
                while True:
                    writer.write(requests[number % len(requests)])
                    number += 1
                    await _response(reader)

    await asyncio.gather(*(attacker(number) for number in range(ATTACKERS)))


async def _response(reader: asyncio.StreamReader) -> int:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0] or 0)
    await reader.readexactly(length)
    return int(head[9:12])


@contextmanager
def attacked(port: int, requests: Sequence[bytes]) -> Iterator[None]:
    """Attack from another process, which takes no turns with those who measure."""
    process = multiprocessing.get_context("fork").Process(target=_attack, args=(port, requests), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def _attack(port: int, requests: Sequence[bytes]) -> None:
    uvloop.run(attack(port, requests))


async def latencies(port: int, person: Person, seconds: float) -> Latencies:
    """Read and create posts in turns."""
    requests = [
        (person.request("GET", f"/posts/{person.post}"), 200),
        (person.request("POST", "/posts", person.body("Another post.")), 201),
    ]
    found: list[float] = []
    end = time.perf_counter() + seconds

    async def read(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < end:
            request, expected = requests[number % 2]
            number += 1
            started = time.perf_counter()
            writer.write(request)
            status = await _response(reader)
            found.append(time.perf_counter() - started)
            if status != expected:
                raise RuntimeError(f"answered with {status}")
            await asyncio.sleep(PAUSE_SECONDS)
        writer.close()

    await asyncio.gather(*(read(number) for number in range(READERS)))
    return Latencies.of(found)


def measure(service: Service, *, seconds: float, only: str) -> None:
    quiet, stranger = Person(service, "quiet@example.test"), Person(service, "stranger@example.test")
    document = httpx.get(f"http://127.0.0.1:{service.port}/api/v1/openapi.json", timeout=30).json()
    uvloop.run(latencies(service.port, quiet, 1.0))
    alone: list[Latencies] = []
    found: list[tuple[str, Latencies]] = []
    chosen = [one for one in (*special_requests(stranger), *bodies_of(document, stranger)) if only in one[0]]
    for number, (name, requests) in enumerate(chosen):
        if number % QUIET_EVERY == 0:
            alone.append(uvloop.run(latencies(service.port, quiet, seconds)))
        with attacked(service.port, requests):
            found.append((name, uvloop.run(latencies(service.port, quiet, seconds))))
    nothing = sorted(alone, key=lambda one: one.p99)[len(alone) // 2]
    base = nothing.p99
    found.sort(key=lambda one: -one[1].p99)
    found.sort(key=lambda one: one[0] != "small requests")
    print("| meanwhile, a stranger sends | p50 ms | p99 ms | worst ms | p99 / that of a quiet service |")
    print("|---|---|---|---|---|")
    for name, one in [("nothing", nothing), *found[:SHOWN]]:
        print(f"| {name} | {one.p50:.1f} | {one.p99:.1f} | {one.worst:.1f} | {one.p99 / base:.1f} |")
    rest = [one for _, one in found[SHOWN:]]
    if rest:
        p50, p99, worst = (max(getattr(one, name) for one in rest) for name in ("p50", "p99", "worst"))
        print(f"| {len(rest)} other operations, at most | {p50:.1f} | {p99:.1f} | {worst:.1f} | {p99 / base:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="shorter rounds")
    parser.add_argument("--only", default="", metavar="WORD", help="what has this word in its name")
    options = parser.parse_args()
    with temporary_folder() as folder, serving(folder) as service:
        measure(service, seconds=1.0 if options.quick else 4.0, only=options.only)


if __name__ == "__main__":
    main()
