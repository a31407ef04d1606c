"""The commands of README and of the guide to networks, run as they are, with only the placeholders replaced."""

import asyncio
import json
import re
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest
from PIL import Image
from tests.counterparts import ReferencePds, mastodon_mock, octokit_receiver
from tests.counterparts.tools import CHECKOUT
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


def test_make_serve_starts_what_the_tests_start() -> None:
    """The first block is not run here, since it would set the environment up; this checks what it executes."""
    [first, *_] = blocks("Start")
    assert first == "make serve\n"
    line = ["make", "--no-print-directory", "--dry-run", "serve"]
    planned = subprocess.run(line, cwd=CHECKOUT, capture_output=True, text=True, check=True, timeout=30)
    assert planned.stdout.rstrip().endswith("exec .venv/bin/signalpost serve")


async def test_the_demo_publishes(service: Service) -> None:
    _, demo, status = blocks("Start")
    printed = await typed(service, demo)
    line, asked = re.findall(r"^curl .*$", printed, re.MULTILINE)
    post = await answer(service, line)
    assert post["status"] == "queued"

    key = re.findall(r"Bearer (\S+)'", line)[0]
    shown = filled(status, {ADDRESS: service.base_url, "KEY": key})
    assert shown.split() == asked.split(), "README shows what the command prints"
    ask = filled(asked, {"POST_ID": post["id"]})

    async def published() -> bool:
        return bool((await answer(service, ask))["status"] == "published")

    await service.until(published, "published post", 15)


async def test_the_lines_about_bluesky_and_webhooks_work(pds: ReferencePds, service: Service, api: Api) -> None:
    """With another server, as README says below: `service` beside the identifier."""
    alice = pds.accounts[0]
    picture = service.folder / "cat.jpg"
    await asyncio.to_thread(Image.new("RGB", (64, 48), "teal").save, picture)
    [_, publishing], [hearing] = blocks("Publish to Bluesky"), blocks("Receive results")
    [variables, connect, upload, post] = publishing.split("\n\n")
    variables = filled(variables, {ADDRESS: service.base_url, "sp_live_…": api.key, "prof_…": api.profile})
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
    [sandbox], [bluesky_line] = blocks("Sandbox", guide), blocks("Bluesky", guide)
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
