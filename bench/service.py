"""The service as an operator runs it, for benches: `signalpost serve` on a temporary folder, spoken to over HTTP."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from bench.load import free_port
from signalpost.embedded_postgres.cluster import Cluster
from signalpost.embedded_postgres.start import start_postgres

START_SECONDS_MAX = 120.0
_UNLIMITED = {"SIGNALPOST_REQUESTS_PER_MINUTE": "100000000", "SIGNALPOST_WRITES_PER_MINUTE": "100000000"}
PROGRAM = Path(sys.executable).with_name("signalpost")


def environment() -> dict[str, str]:
    """Return the environment of a service: without settings of our own, and without limits per minute."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("SIGNALPOST_", "OTEL_"))} | _UNLIMITED


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder that the database's own account may enter."""
    folder = Path(tempfile.mkdtemp(prefix="signalpost-bench-"))
    folder.chmod(0o755)
    try:
        yield folder
    except BaseException:
        sys.stderr.write((folder / "log").read_text(errors="replace")[-3000:] if (folder / "log").exists() else "")
        raise
    finally:
        shutil.rmtree(folder)


class Service:
    """A running service with its embedded database. `start_seconds`: from the command to the first healthy response."""

    def __init__(self, folder: Path, process: "subprocess.Popen[bytes]", port: int, start_seconds: float) -> None:
        self.folder = folder
        self.process = process
        self.port = port
        self.start_seconds = start_seconds
        self.cluster: Cluster = start_postgres(folder)  # it runs: this only adopts it

    @property
    def roots(self) -> tuple[int, int]:
        """The processes of which all others are children: of the service, and of the database."""
        return self.process.pid, self.cluster.pid()

    def create_owner(self, email: str = "bench@example.test") -> tuple[httpx.Client, str]:
        """Create a workspace on the command line; return a client with its key, and the id of its profile."""
        arguments = ["--email", email, "--password", "-", "--workspace", "Bench", "--json"]
        command = [str(PROGRAM), "create-owner", *arguments, "--data-dir", str(self.folder)]
        printed = subprocess.run(
            command, input="not a secret at all\n", env=environment(), check=True, stdout=subprocess.PIPE, text=True
        ).stdout
        owner = json.loads(printed.splitlines()[-1])
        return self.client(owner["apiKey"]), owner["profileId"]

    def client(self, key: str) -> httpx.Client:
        return httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=30
        )


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[Service]:
    """Run `signalpost serve` with these variables until the block ends."""
    port = free_port()
    command = [str(PROGRAM), "serve", "--data-dir", str(folder), "--port", str(port)]
    with (folder / "log").open("ab") as log:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment() | settings)
    with ended(process):
        healthy(f"http://127.0.0.1:{port}/api/v1/healthz/api", process)
        yield Service(folder, process, port, time.perf_counter() - started)


@contextmanager
def ended(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def healthy(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Poll every 5 ms until the health check is ok."""
    stop_at = time.perf_counter() + START_SECONDS_MAX
    with httpx.Client() as client:
        while time.perf_counter() < stop_at:
            if process.poll() is not None:
                raise RuntimeError(f"the service ended with {process.returncode}")
            try:
                answer = client.get(url)
                if answer.status_code == 200 and (not answer.content or answer.json()["status"] == "ok"):
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.005)  # noqa: TID251 - nothing else runs here
    raise TimeoutError(f"not healthy within {START_SECONDS_MAX} s")


def created(client: httpx.Client, path: str, body: dict[str, Any]) -> Any:
    """POST and return the decoded response; anything but a success ends the bench."""
    response = client.post(path, json=body)
    if not response.is_success:
        raise RuntimeError(f"POST {path}: {response.status_code} {response.text[:500]}")
    return response.json()
