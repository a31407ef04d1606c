"""What `docs/guides/install.md` promises, by its own commands: `make test-install`, as root.

The Debian package is installed in a Debian of its own, which systemd boots in a container without a network; the wheel
is run by uvx and pipx, as a user without rights, in an empty folder.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.counterparts.tools import CHECKOUT, free_port, program
from tests.main.test_wheel import UV, build, clean, copy_source

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(3600), pytest.mark.xdist_group("install")]
GUIDE = (CHECKOUT / "docs/guides/install.md").read_text()
INCLUDED = "python3,python3-venv,systemd,systemd-sysv,dbus,libstdc++6,curl"
"""Besides a bare Debian: what the package and the image need, since a container has no network, and what the guide
types."""
NOBODY = 65534
SECONDS_WARM_MAX = 20.0
LOAD = """
import collections, json, socket, sys, threading
results, running = collections.Counter(), True
def load():
    while running:
        try:
            with socket.create_connection(("127.0.0.1", 8000)) as client:
                client.sendall(b"GET /api/v1/healthz/api HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n")
                results[client.makefile("rb").read().partition(b"\\r\\n")[0].decode() or "nothing"] += 1
        except OSError as error:
            results[str(error)] += 1
threads = [threading.Thread(target=load) for _ in range(4)]
[thread.start() for thread in threads]
sys.stdin.read()
running = False
[thread.join() for thread in threads]
print(json.dumps(results))
"""


def blocks(heading: str) -> list[str]:
    """The shell blocks of a section of the guide, without its subsections."""
    section = re.split(r"\n##+ ", GUIDE.partition(f"# {heading}\n")[2])[0]
    return re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def until(condition: Callable[[], object], what: str, seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"no {what} within {seconds} s"
        time.sleep(0.1)  # noqa: TID251 - this test has no event loop


class Machine:
    """A Debian that was booted by systemd, with nothing of this project in it."""

    def __init__(self, root: Path, boot: "subprocess.Popen[bytes]") -> None:
        self.root, self._boot = root, boot

    @property
    def first_process(self) -> int:
        [child] = Path(f"/proc/{self._boot.pid}/task/{self._boot.pid}/children").read_text().split()
        return int(child)

    def run(self, script: str, text_in: str = "", *, check: bool = True) -> str:
        """Type into a shell of root; returns what it prints."""
        inside = [
            "nsenter",
            f"--target={self.first_process}",
            "--mount",
            "--uts",
            "--ipc",
            "--net",
            "--pid",
            "--cgroup",
        ]
        clean = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LANG=C.UTF-8", "TERM=dumb"]
        done = subprocess.run(
            [*inside, "--", *clean, "bash", "-eu", "-c", f"cd /root\n{script}"], input=text_in, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert not check or done.returncode == 0, f"{script}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout + done.stderr

    def exists(self, path: str) -> bool:
        return os.path.lexists(self.root / path.lstrip("/"))

    @contextmanager
    def under_load(self) -> Iterator[dict[str, int]]:
        """Clients that connect all the while; afterwards, the first lines of their responses, or what failed."""
        command = ["nsenter", f"--target={self.first_process}", "--net", "--", sys.executable, "-c", LOAD]
        results: dict[str, int] = {}
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as clients:
            yield results
            results.update(json.loads(clients.communicate()[0]))


def debian() -> Path:
    """An archive of a bare Debian of the release of this machine; made once."""
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    codename = release["VERSION_CODENAME"].strip('"')
    archive = CHECKOUT / ".cache" / "test-tools" / f"debian-{codename}-{INCLUDED.replace(',', '-')}.tar"
    if not archive.exists():
        fresh = archive.with_name(f"{os.getpid()}.{archive.name}")
        subprocess.run([program("mmdebstrap"), "--variant=apt", f"--include={INCLUDED}", codename, fresh], check=True)
        fresh.replace(archive)
    return archive


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    assert os.geteuid() == 0, "run it as root: it boots a container"
    folder = Path(tempfile.mkdtemp(prefix="signalpost-debian-"))
    root = folder / "root"
    root.mkdir()
    subprocess.run(["tar", "-xf", debian(), "-C", root, "--exclude=./dev/*"], check=True)
    command = [program("systemd-nspawn"), "--quiet", "--boot", f"--directory={root}", "--private-network"]
    command += ["--register=no", "--keep-unit", "--console=pipe"]
    with (folder / "console").open("wb") as console:
        boot = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=console)
    made = Machine(root, boot)
    try:
        until(Path(f"/proc/{boot.pid}/task/{boot.pid}/children").read_text, "container")
        until(lambda: made.run("systemctl is-system-running", check=False).strip() in ("running", "degraded"), "boot")
        yield made
        made.run("systemctl poweroff", check=False)
        boot.wait(120)
    finally:
        boot.kill()
        boot.wait()
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Of this version and of one that follows it."""
    made = []
    for number in ("0.1.0", "0.1.1"):
        source = copy_source(tmp_path_factory.mktemp("source") / number)
        project = source / "pyproject.toml"
        project.write_text(
            re.sub(r'^version = ".*"$', f'version = "{number}"', project.read_text(), flags=re.MULTILINE)
        )
        made.append(build(source, "wheel", tmp_path_factory.mktemp("wheels")))
    return made


def package(wheel: Path, folder: Path) -> Path:
    """Built as a release is, without the minutes of compression."""
    folder.mkdir(exist_ok=True)
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000", "DPKG_DEB_COMPRESSOR_TYPE": "none"}
    done = subprocess.run(
        [CHECKOUT / "scripts" / "build-deb", wheel, folder],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def packages(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("packages")
    return [package(wheel, folder) for wheel in wheels]


def test_the_same_wheel_gives_the_same_package(wheels: list[Path], packages: list[Path], tmp_path: Path) -> None:
    """Byte for byte, in another folder at another time."""
    again = package(wheels[0], tmp_path)
    assert again.name == packages[0].name
    assert again.read_bytes() == packages[0].read_bytes()


def test_lintian_finds_nothing_that_has_no_reason(packages: list[Path]) -> None:
    """Reasons are in deploy/debian/lintian-overrides; the compression is ours, see `package`."""
    usual = "uses-no-compression-for-data-tarball,uses-no-compression-for-control-tarball"
    command = [program("lintian"), "--allow-root", "--fail-on", "error,warning", "--suppress-tags", usual, packages[0]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_from_nothing_to_a_published_post_and_back(machine: Machine, packages: list[Path]) -> None:
    """Install, first-run link, a published post, restarts, an upgrade, remove, install again, purge."""
    install, link, demo, restart = blocks("A Debian package")
    remove, purge = blocks("Upgrade and remove")
    shutil.copy(packages[0], machine.root / "root")
    machine.run(install)

    assert machine.run("systemctl is-active signalpost signalpost.socket") == "active\nactive\n"
    found = re.search(r"http://127\.0\.0\.1:8000/first-run\?token=\S+", machine.run(link))
    assert found is not None
    assert "<form" in machine.run(f"curl -sSf '{found[0]}'")
    publish, status = re.findall(r"^curl .*$", machine.run(demo), re.MULTILINE)
    post = json.loads(machine.run(f"{publish} -sSf"))
    assert post["status"] == "queued"
    status = f"{status.replace('POST_ID', post['id'])} -sSf"

    def published() -> bool:
        return bool(json.loads(machine.run(status))["status"] == "published")

    until(published, "published post")

    with machine.under_load() as restarted:
        for _ in range(3):
            machine.run(restart)
    (machine.root / "root" / packages[0].name).unlink()
    shutil.copy(packages[1], machine.root / "root")
    with machine.under_load() as upgraded:
        machine.run(install)
        until(lambda: machine.run("systemctl is-active signalpost", check=False) == "active\n", "new version")
    sys.stdout.write(f"responses during three restarts: {restarted}; during an upgrade: {upgraded}\n")
    assert [*restarted] == [*upgraded] == ["HTTP/1.0 200 OK"]
    assert machine.run("signalpost --version") == "signalpost 0.1.1\n"
    assert published()

    said = machine.run(remove, "y\n")
    assert "The data in /var/lib/signalpost is kept" in said
    assert machine.exists("/var/lib/signalpost/master.key")
    assert machine.exists("/etc/signalpost/signalpost.env")
    assert not machine.exists("/usr/lib/signalpost")
    assert "Failed to connect" in machine.run("curl -sS http://127.0.0.1:8000/", check=False)
    machine.run(install)
    assert published()

    said = machine.run(purge, "y\n")
    assert "Deleting /var/lib/signalpost: database, files and master key." in said
    left = machine.run("find / -xdev -name '*signalpost*' -not -path '/root/*' -not -path '/var/log/*'").split()
    assert left == []
    assert "signalpost" in machine.run("getent passwd signalpost"), "users of the system stay, as others of Debian do"


@pytest.fixture(scope="module")
def reader(wheels: list[Path]) -> Iterator[Path]:
    """The folder of a user without rights, who has the wheel there and nothing else."""
    folder = Path(tempfile.mkdtemp(prefix="signalpost-reader-"))
    folder.chmod(0o755)
    for tool in ("uv", "uvx"):
        shutil.copy(Path(sys.executable).parent / tool, folder / tool)
    install = [*UV, "pip", "install", "--python", "/usr/bin/python3", "--target", folder / "pipx-packages"]
    subprocess.run([*install, "--constraints", CHECKOUT / "requirements" / "dev.txt", "pipx"], check=True)
    launcher = folder / "pipx"
    launcher.write_text(f'#!/bin/sh\nPYTHONPATH={folder}/pipx-packages exec /usr/bin/python3 -m pipx "$@"\n')
    launcher.chmod(0o755)
    shutil.copy(wheels[0], folder)
    subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", folder], check=True)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize(("number", "tool"), [(0, "uvx"), (1, "pipx")])
def test_a_wheel_runs_in_an_empty_folder(reader: Path, number: int, tool: str) -> None:
    """The first time fills the cache; the second time counts: healthy, and the link is printed."""
    lines = blocks("With uvx or pipx")
    home = {"HOME": str(reader), "UV_PYTHON": "/usr/bin/python3", "PIPX_DEFAULT_PYTHON": "/usr/bin/python3"}
    environment = clean({"PATH": f"{reader}:/usr/bin:/bin", "LANG": "C.UTF-8"} | home)

    def typed(line: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            ["bash", "-eu", "-c", f"exec {line}"], cwd=reader, env=environment, user=NOBODY, group=NOBODY,
            extra_groups=[], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    serve = f"{lines[number].strip()} --port {free_port()}"
    with typed(lines[number].strip().replace(" serve", " --version")) as first:
        said = first.communicate()[0]
    assert "signalpost 0.1.0\n" in said, said
    shutil.rmtree(reader / "data", ignore_errors=True)
    started = time.monotonic()
    with typed(serve) as service:
        assert service.stdout is not None
        text = ""
        while "Try it with" not in text and (line := service.stdout.readline()):
            text += line
        seconds = time.monotonic() - started
        found = re.search(r"http://127\.0\.0\.1:\d+/first-run\?token=\S+", text)
        assert found is not None, text
        health = found[0].partition("/first-run")[0] + "/api/v1/healthz/api"
        assert json.loads(subprocess.run(["curl", "-sSf", health], capture_output=True, check=True).stdout)["version"]
        if tool == "uvx":
            with typed(lines[2].strip()) as demo:
                publish = re.findall(r"^curl .*$", demo.communicate()[0], re.MULTILINE)[0]
            post = subprocess.run(["bash", "-c", f"{publish} -sSf"], capture_output=True, check=True)
            assert json.loads(post.stdout)["status"] == "queued"
        service.terminate()
        service.stdout.read()
    sys.stdout.write(f"{tool}: ready after {seconds:.1f} s with a warm cache\n")
    assert seconds < SECONDS_WARM_MAX
