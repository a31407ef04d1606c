"""The container of `deploy/container`, built by its own file and run as that says: `make test-install`, as root.

Base images cannot be had everywhere, so a bare Debian with its Python stands in for the official image of Python.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.counterparts.tools import CHECKOUT, program
from tests.e2e.test_install import debian, until

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(3600), pytest.mark.xdist_group("install")]
BASE = "localhost/python"
IMAGE = "localhost/signalpost"
COMPRESSED_MB_MAX = 180
"""What Signalpost adds to its base, compressed."""
MACHINE = ("/etc/pip.conf", "/etc/ssl/certs")
"""How pip reaches its registry on this machine, which is mounted while the image is built and is no part of it."""


class Builder:
    """Buildah with a store of its own."""

    def __init__(self, folder: Path) -> None:
        self._command = [program("buildah"), "--root", str(folder / "root"), "--runroot", str(folder / "run")]
        self._environment = os.environ | {"STORAGE_DRIVER": "overlay", "BUILDAH_ISOLATION": "chroot"}

    def __call__(self, *arguments: str | Path) -> str:
        done = subprocess.run(
            [*self._command, *arguments],
            env=self._environment,
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{arguments}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        return done.stdout.strip()


class Running:
    """A container that runs with a read-only file system, but for its volume and /tmp, and a network of its own."""

    def __init__(self, root: Path, data: Path, config: dict[str, Any]) -> None:
        self._user = config["User"].partition(":")[0]
        environment = [f"--setenv={variable}" for variable in config["Env"]]
        self.log = data.with_suffix(".log")
        with self.log.open("ab") as log:
            self._machine = subprocess.Popen(
                [
                    program("systemd-nspawn"), "--quiet", f"--directory={root}", "--read-only", "--tmpfs=/tmp",
                    f"--bind={data}:/data", "--private-network", "--register=no", "--keep-unit", "--console=pipe",
                    f"--user={self._user}", "--kill-signal=SIGTERM", *environment, *config["Cmd"],
                ],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        children = Path(f"/proc/{self._machine.pid}/task/{self._machine.pid}/children")
        until(children.read_text, "container")
        self.process = children.read_text().split()[0]
        self._path = next(variable for variable in config["Env"] if variable.startswith("PATH="))

    def run(self, *command: str, network_only: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a command in it as its user, or one of this machine in its network."""
        where = ["--net"] if network_only else ["--all", "--root", f"--setuid={self._user}", f"--setgid={self._user}"]
        arguments = command if network_only else ("env", "-i", self._path, *command)
        return subprocess.run(
            ["nsenter", f"--target={self.process}", *where, "--", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )

    def stop(self) -> int:
        """SIGTERM to its first process, as an engine does; its exit code."""
        os.kill(int(self.process), 15)
        return self._machine.wait(120)

    def close(self) -> None:
        self._machine.kill()
        self._machine.wait()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    assert os.geteuid() == 0, "run it as root: it runs a container"
    made = Path(tempfile.mkdtemp(prefix="signalpost-image-"))
    yield made
    Builder(made)("umount", "--all")
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def builder(folder: Path) -> Builder:
    """Has the image."""
    build = Builder(folder)
    bare = build("from", "scratch")
    build("add", bare, debian(), "/")
    build("commit", "--quiet", bare, BASE)
    mounts = [f"--volume={path}:{path}:ro" for path in MACHINE if Path(path).exists()]
    build(
        "bud", "--format=docker", "--network=host", f"--tag={IMAGE}", f"--build-arg=PYTHON_IMAGE={BASE}", *mounts,
        "--file=deploy/container/Containerfile", ".",
    )  # fmt: skip
    return build


def test_what_is_added_to_the_base_is_small(builder: Builder, folder: Path) -> None:
    sizes = []
    for image in (BASE, IMAGE):
        target = folder / image.rpartition("/")[2]
        builder("push", "--compression-format=gzip", image, f"dir:{target}")
        sizes.append(sum(layer["size"] for layer in json.loads((target / "manifest.json").read_text())["layers"]))
        shutil.rmtree(target)
    megabytes = (sizes[1] - sizes[0]) / 1e6
    sys.stdout.write(f"compressed: {megabytes:.0f} MB, besides its base\n")
    assert megabytes <= COMPRESSED_MB_MAX


def test_from_nothing_to_a_published_post(builder: Builder, folder: Path) -> None:
    """Read-only and without rights; healthy by its own check; what it keeps outlives it."""
    config: dict[str, Any] = json.loads(builder("inspect", "--type=image", IMAGE))["Docker"]["config"]
    assert config["StopSignal"] == "SIGTERM"
    assert [*config["Volumes"]] == ["/data"]
    root = Path(builder("mount", builder("from", IMAGE)))
    data = folder / "data"
    data.mkdir()
    os.chown(data, int(config["User"].partition(":")[0]), int(config["User"].partition(":")[2]))
    kind, *check = config["Healthcheck"]["Test"]
    assert kind == "CMD"

    with _running(root, data, config) as first:
        until(lambda: first.run(*check).returncode == 0, "healthy container")
        found = re.search(r"/first-run\?token=\S+", first.log.read_text())
        assert found is not None
        assert "<form" in first.run("curl", "-sSf", f"http://127.0.0.1:8000{found[0]}", network_only=True).stdout
        demo = first.run("signalpost", "demo", "--data-dir", "/data/signalpost")
        publish, status = re.findall(r"^curl .*$", demo.stdout, re.MULTILINE)
        post = json.loads(first.run("bash", "-c", f"{publish} -sSf", network_only=True).stdout)
        status = f"{status.replace('POST_ID', post['id'])} -sSf"
        until(lambda: '"published"' in first.run("bash", "-c", status, network_only=True).stdout, "published post")
        assert first.run("touch", "/data/writable").returncode == 0
        assert first.run("touch", "/opt/signalpost/writable").returncode != 0
        assert first.stop() == 0

    with _running(root, data, config) as second:
        until(lambda: second.run(*check).returncode == 0, "healthy container")
        assert '"published"' in second.run("bash", "-c", status, network_only=True).stdout


@contextmanager
def _running(root: Path, data: Path, config: dict[str, Any]) -> Iterator[Running]:
    running = Running(root, data, config)
    try:
        yield running
    finally:
        running.close()
