"""A backup brings back everything, and what the saved instance published meanwhile does not go out again."""

import io
import os
import tarfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from tests.faults.hostile import HostileNetwork
from tests.faults.scene import Scene, Tenant, open_scene
from tests.helpers.contract import upload

from signalpost.kit import clock
from signalpost.kit.archive import ArchiveWriter, BadArchive
from signalpost.kit.errors import OperatorError
from signalpost.main.backup import archive, commands
from signalpost.main.backup.dump import VOLATILE
from signalpost.settings import Settings

_TABLES = """
select relname from pg_class
where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace and relname <> all($1)
"""


def saved(scene: Scene, tmp_path: Path) -> tuple[Settings, Path]:
    """The settings of the instance of a scene, and where its backup goes."""
    return replace(scene.context.settings, database_url=scene.dsn), tmp_path / "instance.backup"


@pytest.fixture
async def elsewhere(scene: Scene, tmp_path: Path, unused_dsn: str) -> Settings:
    """An instance that nobody has used: with a database and a folder of its own, and no master key yet."""
    folder = tmp_path / "elsewhere"
    return replace(scene.context.settings, database_url=unused_dsn, data_dir=folder)


async def rows_of(dsn: str) -> dict[str, list[str]]:
    """Every row of every table that a backup has, as text."""
    connection = await asyncpg.connect(dsn)
    try:
        names = [row[0] for row in await connection.fetch(_TABLES, sorted(VOLATILE | {"lane"}))]
        return {
            name: sorted(row[0] for row in await connection.fetch(f'select t::text from "{name}" t')) for name in names
        }
    finally:
        await connection.close()


async def test_a_backup_has_every_table(scene: Scene, tmp_path: Path) -> None:
    """Also one that is in partitions, unless it is named as one that a backup does not have."""
    await scene.query("create table in_partitions (id int) partition by list (id)")
    await scene.query("create table first_partition partition of in_partitions for values in (7)")
    await scene.query("insert into in_partitions values (7)")
    settings, file = saved(scene, tmp_path)
    await commands.backup(settings, file, with_key=False, with_media=False)
    with archive.read(file) as reader:
        rows = {table.name: table.rows for table in reader.manifest.tables}

    assert sorted(rows) == sorted(row[0] for row in await scene.query(_TABLES, sorted(VOLATILE)))
    assert rows["in_partitions"] == 1


async def test_everything_comes_back(
    scene: Scene, elsewhere: Settings, tmp_path: Path, network: HostileNetwork
) -> None:
    """Rows, files and the key, while somebody goes on writing; secrets can be opened."""
    owner = await scene.tenant()
    account = await owner.mastodon(network)
    media = await upload(scene.api, owner.login)
    post = await owner.post(account, text="kept", scheduledAt=clock.wire(clock.now() + timedelta(days=1)))
    settings, file = saved(scene, tmp_path)
    before = await rows_of(scene.dsn)
    summary = await commands.backup(settings, file, with_key=True, with_media=True)
    assert summary["rows"] > 0
    assert summary["files"] >= 1
    assert file.stat().st_mode & 0o077 == 0

    assert (await commands.verify(elsewhere, file))["masterKey"] == "fits"
    restored = await commands.restore(elsewhere, file)
    assert restored["rows"] == summary["rows"]
    assert elsewhere.database_url is not None
    assert await rows_of(elsewhere.database_url) == before
    async with open_scene(elsewhere, elsewhere.database_url, tmp_path) as other:
        again = Tenant(other, owner.login)
        assert (await again.status(post))["status"] == "scheduled"
        picture = await other.api.call("GET", f"/media/{media}", key=owner.login.key)
        assert picture.status_code == 200
        await again.call("POST", f"/platforms/accounts/{account}/health", None)
        created = await again.post(account, text="new", scheduledAt=clock.wire(clock.now() + timedelta(days=1)))
        assert (await again.status(created))["status"] == "scheduled"
    with pytest.raises(OperatorError, match="has users already"):
        await commands.restore(elsewhere, file)


async def test_nothing_goes_out_twice_after_a_restore(
    scene: Scene, elsewhere: Settings, tmp_path: Path, network: HostileNetwork
) -> None:
    """The saved instance goes on after its backup. The restored one calls nobody until it may, and then asks first."""
    network.knows_keys = False
    owner = await scene.tenant()
    accounts = [await owner.mastodon(network), await owner.bluesky(network)]
    soon = clock.wire(clock.now() + timedelta(seconds=3))
    due = {name: await owner.post(*accounts, text=f"{name} comes out", scheduledAt=soon) for name in ("one", "two")}
    due["thread"] = await owner.post(accounts[1], text="first part", scheduledAt=soon, thread=[{"text": "second part"}])
    unsent = await owner.post(accounts[0], text="only after the restore", scheduledAt=soon)
    later = await owner.post(*accounts, text="next week", scheduledAt=clock.wire(clock.now() + timedelta(days=7)))
    settings, file = saved(scene, tmp_path)
    await commands.backup(settings, file, with_key=True, with_media=True)
    await owner.call("DELETE", f"/posts/{unsent}")
    await scene.worker()
    for post in due.values():
        await owner.ends(post, "published")
    await owner.post(accounts[0], text="made after the backup")
    await scene.until(lambda: network.public("made after"), "the newest post")
    scene.close()
    before, public = (len(network.calls), network.lookups), sorted(network.public())

    await commands.restore(elsewhere, file)
    assert elsewhere.database_url is not None
    async with open_scene(elsewhere, elsewhere.database_url, tmp_path) as other:
        again = Tenant(other, owner.login)
        worker = await other.worker()
        await other.until(lambda: "engine.held" in worker.log_file.read_text(), "a held engine")
        health = (await other.api.call("GET", "/healthz/api")).json()
        assert any("signalpost resume" in reason for reason in health["reasons"])
        assert (len(network.calls), network.lookups) == before
        resumed = await commands.resume(other.context)
        assert resumed["lookedUp"] == 6
        await other.age_sent_parts()
        for post in due.values():
            await again.ends(post, "published")
        await again.ends(unsent, "published")
        for name, post in due.items():
            for restored, original in zip(
                (await again.call("GET", f"/posts/{post}"))["targets"],
                (await owner.call("GET", f"/posts/{post}"))["targets"],
                strict=True,
            ):
                assert restored["platformPostId"] == original["platformPostId"], name
        assert (await again.status(later))["status"] == "scheduled"
        assert network.doubles() == {}
        assert sorted(network.public()) == sorted([*public, "only after the restore"])
        with pytest.raises(OperatorError, match="works already"):
            await commands.resume(other.context)


def _without(source: Path, target: Path, member: str) -> None:
    with tarfile.open(source) as old, tarfile.open(target, "w") as new:
        for entry in old:
            if entry.name != member:
                new.addfile(entry, old.extractfile(entry))


def _changed(source: Path, target: Path, member: str) -> None:
    with tarfile.open(source) as old, tarfile.open(target, "w") as new:
        for entry in old:
            stream = old.extractfile(entry)
            assert stream is not None
            content = stream.read()
            new.addfile(entry, io.BytesIO(content[:-1] + bytes([content[-1] ^ 1]) if entry.name == member else content))


async def test_a_backup_that_cannot_be_used_changes_nothing(scene: Scene, elsewhere: Settings, tmp_path: Path) -> None:
    """Cut off, damaged, incomplete, of another key, not a backup at all: each says what is wrong."""
    await scene.tenant()
    settings, file = saved(scene, tmp_path)
    await commands.backup(settings, file, with_key=False, with_media=True)
    with pytest.raises(OperatorError, match="exists already"):
        await commands.backup(settings, file, with_key=False, with_media=True)
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]  # noqa: PTH208 - no wait

    bad: dict[str, str] = {}

    async def refused(name: str, path: Path, error: type[Exception] = BadArchive, **more: Any) -> None:
        with pytest.raises(error) as raised:
            await commands.restore(replace(elsewhere, **more), path)
        bad[name] = str(raised.value)

    broken = tmp_path / "broken"
    broken.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    await refused("cut off", broken)
    broken.write_bytes(os.urandom(20_000))
    await refused("noise", broken)
    _without(file, broken, "manifest.json")
    await refused("no manifest", broken)
    _without(file, broken, "database/post.copy.gz")
    await refused("no table", broken)
    _changed(file, broken, "database/app_user.copy.gz")
    await refused("damaged", broken)
    with archive.read(file) as reader:
        manifest = reader.manifest
    writer = ArchiveWriter(tmp_path / "outside")
    writer.add("media/../../escaped", io.BytesIO(b"x"), 1)
    manifest.digests = writer.digests
    writer.finish(manifest)
    await refused("outside", tmp_path / "outside")
    await refused("no key", file, OperatorError)
    await refused("other key", file, OperatorError, master_key="A" * 43 + "=")
    assert "lacks database/post" in bad["no table"]
    assert "app_user" in bad["damaged"]
    assert "leads outside" in bad["outside"]
    assert "no master.key" in bad["no key"]
    assert "another master key" in bad["other key"]
    assert not elsewhere.data_dir.exists()
    assert elsewhere.database_url is not None
    assert (await rows_of(elsewhere.database_url))["app_user"] == []
