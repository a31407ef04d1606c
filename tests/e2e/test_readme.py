"""The commands of README and of the guide to networks, run as they are, with only the placeholders replaced."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from tests.counterparts import ReferencePds, mastodon_mock, octokit_receiver
from tests.counterparts.tools import CHECKOUT, free_port
from tests.helpers import bluesky_proxy
from tests.helpers.service_process import Api, Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("e2e")]
ADDRESS = "http://127.0.0.1:8000"


def blocks(section: str, page: str = "README.md") -> list[str]:
    """The shell blocks of a section."""
    text = (CHECKOUT / page).read_text()
    section_text = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return re.findall(r"^```sh\n(.*?)^```", section_text, re.MULTILINE | re.DOTALL)


def filled(text: str, values: Mapping[str, str]) -> str:
    """Replace placeholders; each of them must occur."""
    for placeholder, value in values.items():
        assert placeholder in text, f"{placeholder} is not in the text any more:\n{text}"
        text = text.replace(placeholder, value)
    return text


async def typed(service: Service, line: str) -> str:
    """Run it in a shell in the checkout, as a reader of README does; return its output."""
    environment = service.environment({"SIGNALPOST_DATA_DIR": str(service.folder / "data")})
    done = await asyncio.to_thread(
        subprocess.run, ["bash", "-eu", "-c", line], capture_output=True, text=True, timeout=60, check=False,
        cwd=CHECKOUT, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


async def answer(service: Service, line: str) -> Any:
    return json.loads(await typed(service, line))


class Reader:
    """Someone who types README from top to bottom in an empty folder. Only the port is another one."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.address = f"http://127.0.0.1:{port}"
        # The set-up of the environment is left out: it would take the time of all other tests of this file.
        settings = {"ARGS": f"--port {port}", "MAKEFLAGS": "BASE=Makefile"}
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("SIGNALPOST_")} | settings
        for name in ("Makefile", ".venv", "requirements", "pyproject.toml"):
            (folder / name).symlink_to(CHECKOUT / name)

    async def type(self, line: str, *, text_in: str = "") -> str:
        """Run it in a shell; return its output."""
        done = await asyncio.to_thread(
            subprocess.run, ["bash", "-eu", "-c", line], input=text_in, capture_output=True, text=True, timeout=60,
            check=False, cwd=self.folder, env=self.environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    @asynccontextmanager
    async def terminal(self, line: str, last: str) -> AsyncIterator[str]:
        """Run it in a first terminal, and yield what it shows up to a line with `last`; Ctrl-C ends it."""
        process = await asyncio.create_subprocess_exec(
            "bash", "-c", line, cwd=self.folder, env=self.environment, stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        assert process.stdout is not None
        shown = ""
        while last not in shown:
            read = await process.stdout.readline()
            assert read, f"it has ended:\n{shown}"
            shown += read.decode()
        try:
            yield shown
        finally:
            os.killpg(process.pid, signal.SIGINT)
            await process.wait()


@pytest.fixture
def reader() -> Iterator[Reader]:
    folder = Path(tempfile.mkdtemp(prefix="signalpost-readme-"))
    folder.chmod(0o755)  # the database's account must get through when we are root
    yield Reader(folder, free_port())
    shutil.rmtree(folder)


async def test_readme_from_top_to_bottom(reader: Reader) -> None:
    """Start, demo, the first-run link, and a user made in the terminal, in the order in which a newcomer meets them."""
    serve, demo, status = blocks("Start")
    [owner, _] = blocks("Publish to Bluesky")
    async with (
        reader.terminal(serve, "Ctrl-C stops the service.") as greeting,
        httpx.AsyncClient(timeout=60) as browser,
    ):
        assert f"  Listening on   {reader.address.removeprefix('http://')}\n" in greeting
        printed = await reader.type(demo)
        publish, ask = re.findall(r"^curl .*$", printed, re.MULTILINE)
        post = json.loads(await reader.type(publish))
        assert post["status"] == "queued"
        key = re.findall(r"Bearer (\S+)'", publish)[0]
        assert filled(status, {ADDRESS: reader.address, "KEY": key}).split() == ask.split()
        while json.loads(await reader.type(filled(ask, {"POST_ID": post["id"]})))["status"] != "published":
            await asyncio.sleep(0.1)

        [link] = re.findall(r"http://\S+/first-run\?token=\S+", greeting)
        form = {"email": "ada@example.test", "password": "correct horse", "workspaceName": "Ada"}
        shown, made, again = await browser.get(link), await browser.post(link, data=form), await browser.get(link)
        assert (shown.status_code, made.status_code, again.status_code) == (200, 303, 410)
        assert "create-owner --email you@example.com --workspace Me" in again.text

        created = await reader.type(owner, text_in="correct horse battery\n")
        assert re.search(r"^apiKey +sp_live_[\w.]+$", created, re.MULTILINE)
        assert re.search(r"^profileId +prof_\w+$", created, re.MULTILINE)
    assert not (reader.folder / "data" / "postgres" / "cluster" / "postmaster.pid").exists()


async def test_the_lines_about_bluesky_and_webhooks_work(pds: ReferencePds, service: Service, api: Api) -> None:
    """With another server, as README says below: `service` beside the identifier."""
    alice = pds.accounts[0]
    picture = service.folder / "cat.jpg"
    await asyncio.to_thread(Image.new("RGB", (64, 48), "teal").save, picture)
    [_, publishing], [hearing] = blocks("Publish to Bluesky"), blocks("Receive results")
    [connect, upload, post] = publishing.split("\n\n")
    variables = f"API={service.base_url}/api/v1 KEY={api.key} PROFILE={api.profile}"
    account = {
        "you.bsky.social": alice.handle, "xxxx-xxxx-xxxx-xxxx": f'{alice.app_password}", "service": "{pds.url}',
    }  # fmt: skip

    async with octokit_receiver() as receiver:
        hook = await answer(
            service, f"{variables}\n{filled(hearing, {'https://example.com/hooks/signalpost': receiver.url})}"
        )
        await receiver.use(hook["secret"])
        await answer(service, f"{variables}\n{filled(connect, account)}")
        media = await answer(service, f"{variables}\n{filled(upload, {'cat.jpg': str(picture)})}")
        created = await answer(service, f"{variables}\n{filled(post, {'med_…': media['id']})}")

        ended = await api.ends(created)
        record = (await bluesky_proxy.post(pds, ended["targets"][0]["platformPostId"]))["value"]
        assert record["text"] == "Hello from #signalpost https://example.com"
        assert record["embed"]["images"][0]["alt"] == "A cat asleep on a keyboard"
        assert {(await receiver.delivery()).json["data"]["scope"] for _ in range(2)} == {"post", "target"}
    await api.call("DELETE", f"/webhooks/{hook['id']}")


async def test_the_guide_connects_every_network(pds: ReferencePds, service: Service, api: Api) -> None:
    """Against the reference servers and a mock of Mastodon; each connected account can publish."""
    bob, guide = pds.accounts[1], "docs/guides/networks.md"
    profile = (await api.post("/profiles", json={"name": "Guide"}))["id"]
    variables = f"API={service.base_url}/api/v1 KEY={api.key} PROFILE={profile}"
    [sandbox], [_, bluesky_line] = blocks("Sandbox", guide), blocks("Bluesky", guide)
    [token, address] = blocks("Mastodon", guide)

    async with mastodon_mock() as mastodon:
        instance = {"mastodon.social": mastodon.url}
        account = {
            "you.bsky.social": bob.handle, "xxxx-xxxx-xxxx-xxxx": f'{bob.app_password}", "service": "{pds.url}',
        }  # fmt: skip
        lines = [sandbox, filled(bluesky_line, account), filled(token, instance | {"…": mastodon.access_token})]
        connected = [await answer(service, f"{variables}\n{line}") for line in lines]
        offered = await answer(service, f"{variables}\n{filled(address, instance)}")

        assert [account["platform"] for account in connected] == ["sandbox", "bluesky", "mastodon"]
        assert offered["url"].startswith(f"{service.base_url}/connect/")
        targets = [{"accountId": account["id"]} for account in connected]
        post = await api.post("/posts", json={"profileId": profile, "text": "To all of them", "targets": targets})
        ended = await api.ends(post)
        assert [target["status"] for target in ended["targets"]] == ["published"] * 3
    assert await bluesky_proxy.texts(pds, bob, "To all of them") == ["To all of them"]
