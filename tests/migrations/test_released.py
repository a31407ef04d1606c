"""The database of each version that was released is brought to this one, with everything that was in it."""

import asyncio
import json
import re
import secrets
import subprocess
import tarfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx
import pytest
from standardwebhooks.webhooks import Webhook
from tests.counterparts.tools import CHECKOUT
from tests.helpers.service_process import Api, Service, installed
from tests.migrations.released.make import FOLDER, READ, TRASH, every, postgres_program, started

from signalpost.migrations import runner
from signalpost.migrations.revisions import HEAD
from signalpost.posts.states import TARGET_MOVES

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("released")]
ARCHIVES = sorted(FOLDER.glob("*.tar.gz"))
KEPT = (
    "id", "profileId", "text", "title", "media", "link", "thread", "platforms", "scheduledAt",
    "timezone", "publishMode", "recurrence", "externalId", "tags", "notes", "approval", "createdBy", "createdAt",
    "version", "counts",
)  # fmt: skip
"""What a post says that no update and no passing of time changes."""
KEPT_OF_TARGETS = ("id", "accountId", "username", "status", "text", "platformPostId", "url", "attempts", "error")


@dataclass
class Restored:
    """An installation of an earlier version, as this version found it: migrated, serving, without a worker."""

    service: Service
    api: Api
    dsn: str
    made: Mapping[str, Any]


@pytest.fixture(scope="module", params=ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.gz"))
async def restored(request: pytest.FixtureRequest, dsn: str) -> AsyncIterator[Restored]:
    name = f"released_{secrets.token_hex(6)}"
    admin = await asyncpg.connect(dsn, database="postgres")
    await admin.execute(f'create database "{name}"')
    await admin.close()
    ours = re.sub(r"/\w+\?", f"/{name}?", dsn)
    async with installed(SIGNALPOST_DATABASE_URL=ours) as service:
        with tarfile.open(request.param) as archive:
            archive.extractall(service.folder, filter="data")
        load = [
            postgres_program("psql"),
            "--quiet",
            "-v",
            "ON_ERROR_STOP=1",
            "-f",
            service.folder / "database.sql",
            ours,
        ]
        done = await asyncio.to_thread(subprocess.run, load, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        made = json.loads((service.folder / "made.json").read_text())
        await started(service)
        yield Restored(
            service, Api(service, {"profileId": made["profile"], "apiKey": made["keys"]["owner"]}), ours, made
        )


def test_each_version_before_this_one_is_kept() -> None:
    """`tests.migrations.released.make` writes the archive of a version once it has its tag."""
    released = re.findall(r"^## (\d\S+) \(", (CHECKOUT / "CHANGELOG.md").read_text(), re.MULTILINE)
    current = re.search(r'^version = "(.+)"$', (CHECKOUT / "pyproject.toml").read_text(), re.MULTILINE)
    assert current is not None
    kept = {path.name.removesuffix(".tar.gz") for path in ARCHIVES}
    assert set(released) - {current[1]} <= kept <= {*released, current[1]}


async def test_the_database_is_that_of_this_version(restored: Restored) -> None:
    connection = await asyncpg.connect(restored.dsn)
    assert await runner.read_state(connection) == runner.State(HEAD)
    await connection.close()


def without_news(now: Any, before: Any) -> Any:
    """What is there now, without members that objects did not have then."""
    if isinstance(now, dict) and isinstance(before, dict):
        return {key: without_news(now.get(key), value) for key, value in before.items()}
    if isinstance(now, list) and isinstance(before, list) and len(now) == len(before):
        return [without_news(*pair) for pair in zip(now, before, strict=True)]
    return now


async def test_every_post_is_there_with_its_history(restored: Restored) -> None:
    made = restored.made
    for name, before in made["posts"].items():
        now = await restored.api.get(f"/posts/{before['id']}")
        assert without_news(now, {key: before[key] for key in KEPT}) == {key: before[key] for key in KEPT}, name
        # What is due in the year in which this runs is no longer scheduled, but queued.
        assert now["status"] == before["status"] or (before["status"], now["status"]) == ("scheduled", "queued")
        for target, old in zip(now["targets"], before["targets"], strict=True):
            expected = {key: old[key] for key in KEPT_OF_TARGETS}
            assert without_news(target, expected) == expected, name
    for name, post in made["names"].items():
        entries = {entry["id"]: entry for entry in await every(restored.api, f"/posts/{post}/audit")}
        for old in made["history"][name]:
            assert entries[old["id"]].items() >= old.items(), name


def test_it_has_a_target_in_every_state_that_lasts(restored: Restored) -> None:
    """One that is `publishing` has a worker that is at it."""
    made = restored.made
    found = {target["status"] for post in made["posts"].values() for target in post["targets"]}
    ended = {change["to"] for name in TRASH for entry in made["history"][name] for change in entry["changes"] or ()}
    assert found | ({"removed"} & ended) >= TARGET_MOVES.keys() - {"publishing"}


async def test_every_row_of_every_list_is_there(restored: Restored) -> None:
    for path in READ:
        rows = {row["id"] for row in await every(restored.api, path)}
        assert rows == {row["id"] for row in restored.made["lists"][path]}, path
    entries = {entry["id"]: entry for entry in await every(restored.api, "/audit")}
    for old in restored.made["audit"]:
        assert entries[old["id"]].items() >= old.items()


async def test_keys_do_what_they_did(restored: Restored) -> None:
    keys = restored.made["keys"]
    post = {"profileId": restored.made["profile"], "text": "x", "platforms": ["sandbox"]}
    expected = {"owner": (200, 200), "reads": (200, 403), "test": (200, 200), "revoked": (401, 401)}
    assert keys.keys() == expected.keys()
    for name, key in keys.items():
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(base_url=f"{restored.service.base_url}/api/v1", headers=headers) as client:
            read, write = await client.get("/posts"), await client.post("/posts/validate", json=post)
        assert (read.status_code, write.status_code) == expected[name], write.text


async def test_files_have_their_bytes(restored: Restored) -> None:
    shown = await restored.api.get(f"/media/{restored.made['media']}")
    async with httpx.AsyncClient() as client:
        content = (await client.get(shown["url"])).content
    [file] = (restored.service.folder / "data" / "media").rglob(f"{restored.made['media']}.png")
    assert content == file.read_bytes()
    assert shown["size"] == len(content)


async def test_deliveries_that_waited_are_fetched_and_signed_as_before(restored: Restored) -> None:
    """By the secret that the receiver keeps, which the master key of that version sealed."""
    webhook = restored.made["webhook"]
    pending = (await restored.api.get(f"/webhooks/{webhook['id']}/pending"))["data"]
    assert {delivery["id"] for delivery in pending} <= {old["id"] for old in restored.made["deliveries"]}
    assert pending
    for delivery in pending:
        signed = {"webhook-timestamp": delivery["headers"]["webhook-timestamp"]}
        assert Webhook(webhook["secret"]).verify(delivery["body"], delivery["headers"] | signed)


async def test_a_post_that_was_scheduled_is_published_once(restored: Restored) -> None:
    post, api = restored.made["names"]["to be published"], restored.api
    worker = Service(restored.service.folder, **restored.service.settings)
    await worker.launch(command="worker")
    try:
        await api.call("PATCH", f"/posts/{post}", json={"publishMode": "now"})
        published = await api.ends({"id": post})
    finally:
        await worker.stop()
    [target] = published["targets"]
    assert (target["status"], target["attempts"]) == ("published", 1)
    moves = [
        change["to"] for entry in await every(api, f"/posts/{post}/audit") for change in entry["changes"] or ()
        if change["field"] == "status"
    ]  # fmt: skip
    assert moves.count("published") == 1
