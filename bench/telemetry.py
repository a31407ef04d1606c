"""What OpenTelemetry adds to a request: `python -m bench.telemetry [--quick]`. Starts services on a temporary folder.

The same service without the variables (twice, which shows how far two runs of the same differ), with a collector and a
sampler that records no trace, and with all three signals. The collector takes everything and answers at once. CPU is
that of the service with its threads that export; memory is measured after the load. Goal: without the variables the
library is not loaded, so the ratio is 1.00.
"""

import argparse
import asyncio
import json
import statistics
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from bench.load import request_bytes, run
from bench.service import Service, created, serving, temporary_folder
from bench.usage import memory_mb

ROUNDS = 5
SECONDS = 6.0
POSTS = 50
MODES = ("unset", "unset again", "on, sampler always_off", "on")
_LIBRARY = "_upb"
"""A file of the library that reads and writes the protocol's messages, as it is mapped into a process."""


class Measured(NamedTuple):
    """CPU in milliseconds per request, megabytes of memory, and whether the library was loaded."""

    read_ms: float
    write_ms: float
    memory: float
    is_loaded: bool


class _Collector(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@contextmanager
def collecting() -> Iterator[str]:
    """Run a collector; yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Collector)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def variables(mode: str, endpoint: str) -> dict[str, str]:
    if mode.startswith("unset"):
        return {}
    sampler = {"OTEL_TRACES_SAMPLER": "always_off"} if "always_off" in mode else {}
    return {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint} | sampler


def measured(service: Service, key: str, profile: str, seconds: float) -> Measured:
    """Read a page of posts, then write drafts."""
    draft = json.dumps({"profileId": profile, "publishMode": "draft", "text": "A draft of the bench"}).encode()
    roots = service.roots[:1]
    reads = request_bytes("GET", "/api/v1/posts?limit=20", key)
    writes = request_bytes("POST", "/api/v1/posts", key, draft)
    read = asyncio.run(run(service.port, lambda: reads, expect=200, roots=roots, seconds=seconds))
    write = asyncio.run(run(service.port, lambda: writes, expect=201, roots=roots, seconds=seconds))
    is_loaded = _LIBRARY in Path(f"/proc/{service.process.pid}/maps").read_text()
    return Measured(read.cpu_ms[0], write.cpu_ms[0], memory_mb(*roots), is_loaded)


def measure(folder: Path, *, rounds: int, seconds: float) -> None:
    with serving(folder) as service:
        client, profile = service.create_owner()
        key = client.headers["Authorization"].removeprefix("Bearer ")
        for number in range(POSTS):
            created(client, "/posts", {"profileId": profile, "publishMode": "draft", "text": f"Draft {number}"})
    results: dict[str, list[Measured]] = defaultdict(list)
    with collecting() as endpoint:
        for _ in range(rounds):
            for mode in MODES:
                with serving(folder, **variables(mode, endpoint)) as service:
                    results[mode].append(measured(service, key, profile, seconds))
    print("| variables | GET /posts, ms CPU | ratio | POST /posts, ms CPU | ratio | memory, MB | library loaded |")
    print("|---|---|---|---|---|---|---|")
    least = results[MODES[0]]
    for mode in MODES:
        ours = results[mode]
        cells = [mode]
        for name in ("read_ms", "write_ms"):
            pairs = [(getattr(mine, name), getattr(base, name)) for mine, base in zip(ours, least, strict=True)]
            cells.append(f"{statistics.median(value for value, _ in pairs):.2f}")
            cells.append(f"{statistics.median(value / base for value, base in pairs):.2f}")
        cells.append(f"{statistics.median(mine.memory for mine in ours):.0f}")
        cells.append("yes" if any(mine.is_loaded for mine in ours) else "no")
        print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    options = parser.parse_args()
    with temporary_folder() as folder:
        measure(folder, rounds=2 if options.quick else ROUNDS, seconds=2.0 if options.quick else SECONDS)


if __name__ == "__main__":
    main()
