"""What a workspace has can be taken along: complete, without secrets; what is made of it publishes nothing."""

import asyncio
import base64
import gzip
import io
import json
import os
import re
import sys
import tarfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
import pytest
from tests.helpers.api import Api
from tests.helpers.contract import SOON, Sample, create_sample
from tests.helpers.factories import Login, Make
from tests.helpers.mail import InTest

from signalpost.context import AppContext
from signalpost.engine.jobs import RunAgain
from signalpost.identity.actions import passwords, sign_in
from signalpost.identity.schemas import Tokens
from signalpost.kit import ids
from signalpost.kit.archive import ArchiveReader, ArchiveWriter, BadArchive
from signalpost.kit.db import Database
from signalpost.kit.errors import OperatorError
from signalpost.kit.tenant import across_workspaces
from signalpost.main import app, portability
from signalpost.main.backup import archive as backup_archive
from signalpost.main.backup.dump import dump
from signalpost.migrations import runner
from signalpost.settings import Settings
from signalpost.workspaces import archive, work
from signalpost.workspaces.actions import export, import_archive
from signalpost.workspaces.actions.export import AT_ONCE_MAX, Running, path_of
from signalpost.workspaces.exported import EXPORTED, NOT_EXPORTED

_TABLES = """
select c.relname, array_agg(a.attname::text) filter (where a.atttypid = 'bytea'::regtype) as bytes
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
group by c.relname having 'workspace_id' = any(array_agg(a.attname))
"""
PLAIN_BYTES = {
    "attempt.content_hash", "target.content_hash", "media.sha256", "audit_seal.previous", "audit_seal.hash",
    "audit_seal.checks",
}  # fmt: skip
"""Hashes of what is in the archive anyway. All other columns of bytes are sealed, or hashes of secrets."""
CHANGED = {
    "account": {"status", "status_reason", "token_expires_at", "upkeep_at", "secrets", "noticed_status"},
    "media": {"variants"},
    "link_page": {"is_published"},
    "link_page_slug": {"slug"},
    "webhook": {"status", "secret", "stopped_at", "replay"},
    "post": {"status", "publish_mode", "queued_at", "stage", "created_by_user_id"},
    "target": {"status", "error", "due_at", "next_attempt_at", "held_reason", "intent", "pending_state"},
}
"""What an import changes on purpose, besides ids."""


async def test_every_table_of_workspaces_is_decided_on(database: Database) -> None:
    async with database.connection() as db:
        found = {row["relname"]: set(row["bytes"] or ()) for row in await db.fetch(_TABLES)}

    assert EXPORTED.keys() | NOT_EXPORTED.keys() == found.keys()
    assert not EXPORTED.keys() & NOT_EXPORTED.keys()
    carried = {
        f"{table}.{column}"
        for table, exported in EXPORTED.items()
        for column in found[table] - {*exported.without, *exported.more}
    }
    assert carried == PLAIN_BYTES


@pytest.fixture
async def full(api: Api, make: Make, context: AppContext) -> Sample:
    """A workspace with one of each thing, a published post, and one that waits."""
    sample = await create_sample(api, make)
    owner = sample.owner
    point = {"focalPoint": {"x": 0.25, "y": 1}}
    assert (await api.patch(f"/media/{sample.ids['med']}", json=point, key=owner.key)).status_code == 200
    crops = {"sandbox": {"x": 0, "y": 0.5, "width": 1, "height": 0.5}}
    media = {"media": [{"mediaId": sample.ids["med"], "crops": crops}]}
    for fields in (media, {"scheduledAt": SOON} | media):
        await make.post(owner, **fields)
    secret = {"X-Queue-Secret": context.settings.queue_secret or ""}
    assert (await api.post("/queue/process", json={"limit": 500}, headers=secret)).status_code == 200
    return sample


async def exported(context: AppContext, owner: Login, tmp_path: Path) -> Path:
    path = tmp_path / f"{owner.workspace_id}.export"
    await portability.export_workspace(context, ids.encode("wsp", owner.workspace_id), path)
    return path


def lines_of(reader: ArchiveReader[archive.Manifest], table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(reader.read(archive.member_of(table))).splitlines()]


async def rows_of(database: Database, table: str, workspace_id: UUID) -> list[dict[str, Any]]:
    async with database.connection() as db:
        found = await db.fetch(f"select to_jsonb(t) from {table} t where workspace_id = $1", workspace_id)
    return [row[0] for row in found]


async def test_an_archive_has_every_row_and_file_and_no_secret(
    full: Sample, context: AppContext, database: Database, tmp_path: Path
) -> None:
    path = await exported(context, full.owner, tmp_path)

    with archive.read(path) as reader:
        reader.check()
        counts = reader.manifest.rows
        text = "\n".join(gzip.decompress(reader.read(archive.member_of(table))).decode() for table in EXPORTED)
        [media] = lines_of(reader, "media")
        stored = b"".join([piece async for piece in context.storage.read(media["storage_path"])])
        assert reader.read(archive.member_of_file(media["storage_path"])) == stored
    for table, decision in EXPORTED.items():
        rows = await rows_of(database, table, full.owner.workspace_id)
        expected = [row for row in rows if decision.condition == "true" or not row["internal"]]
        assert counts[table] == len(expected), table
    tables = "profile media account post target webhook audit member comment comment_reply"
    assert set(tables.split()) <= {table for table, number in counts.items() if number}
    assert full.owner.key not in text
    assert full.owner.key.split("_")[-1][:43] not in text
    assert "whsec_" not in text
    assert full.owner.email in text  # of the member
    assert "Where can I buy this?" in text  # what someone wrote under a post


async def test_an_import_brings_back_what_an_export_took(
    full: Sample, context: AppContext, make: Make, database: Database, tmp_path: Path, api: Api
) -> None:
    """Beside the workspace it came from, with ids of its own; rows agree but for those, and for what is held."""
    path = await exported(context, full.owner, tmp_path)
    newcomer = await make.owner()

    done = await portability.import_workspace(context, path, newcomer.email, "Brought along")

    workspace_id = ids.decode("wsp", done["workspaceId"])
    assert done["ids"] == "new"
    assert workspace_id is not None
    mask = workspace_id.int ^ full.owner.workspace_id.int
    for table in (name for name, decision in EXPORTED.items() if decision.stays is None):
        before = await rows_of(database, table, full.owner.workspace_id)
        after = await rows_of(database, table, workspace_id)
        changed = CHANGED.get(table, set())
        assert _comparable(before, changed, mask) == _comparable(after, changed, 0), table
    theirs = await make.login(newcomer.user_id, workspace_id, newcomer.email)
    listed = (await api.get("/posts", key=theirs.key)).json()["data"]
    assert {post["status"] for post in listed} == {"published", "draft"}
    [file] = (await api.get("/media", key=theirs.key)).json()["data"]
    assert (await api.get(file["url"].partition("/api/v1")[2])).status_code == 200


_UUID = re.compile("[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_OUTSIDE = re.compile("(wsp|prof|med|acc|lnk|slq|whk|pst|tgt)_[0-9A-HJKMNP-TV-Z]{26}")


def _comparable(rows: list[dict[str, Any]], without: set[str], mask: int) -> list[str]:
    """Rows as text, without what changes on purpose; with every id in them as the import makes it."""

    def outside(match: re.Match[str]) -> str:
        value = ids.decode(match[1], match[0])
        assert value is not None
        return ids.encode(match[1], UUID(int=value.int ^ mask))

    texts = []
    for row in rows:
        kept = {name: value for name, value in row.items() if name not in without and not name.endswith("user_id")}
        text = json.dumps(kept, sort_keys=True)
        text = _UUID.sub(lambda match: str(UUID(int=UUID(match[0]).int ^ mask)), text)
        texts.append(_OUTSIDE.sub(outside, text))
    return sorted(texts)


Edit = Callable[[dict[str, list[dict[str, Any]]], archive.Manifest], None]


def rewritten(path: Path, to: Path, edit: Edit, *, strays: dict[str, bytes] | None = None) -> Path:
    """The same archive with other rows, whole and with right digests."""
    to.unlink(missing_ok=True)
    with archive.read(path) as reader:
        tables = {table: lines_of(reader, table) for table in EXPORTED}
        manifest = reader.manifest
        edit(tables, manifest)
        files = {name: reader.read(name) for name in reader.names(archive.MEDIA)} | (strays or {})
    members = {
        archive.member_of(table): gzip.compress(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
        for table, rows in tables.items()
    }
    writer = ArchiveWriter(to)
    for name, content in (members | files).items():
        writer.add(name, io.BytesIO(content), len(content))
    writer.finish(manifest)
    return to


def with_gaps(path: Path, to: Path) -> Path:
    """The same archive with a member that would be any size when it is unpacked."""
    with tarfile.open(path) as old, tarfile.open(to, "w") as new:
        gaps = tarfile.TarInfo("media/one.png")
        gaps.type = tarfile.GNUTYPE_SPARSE
        new.addfile(gaps)
        for member in old.getmembers():
            new.addfile(member, old.extractfile(member))
    return to


async def test_an_archive_that_does_not_fit_changes_nothing(
    full: Sample, context: AppContext, make: Make, database: Database, tmp_path: Path
) -> None:
    """Whatever its author wrote into it: rows of others, files elsewhere, columns that are secret, half a file."""
    path, neighbour = await exported(context, full.owner, tmp_path), await create_sample(make.api, make)
    elsewhere = f"{neighbour.ids['wsp']}/x.png"

    def with_row(table: str, **fields: Any) -> Edit:
        return lambda tables, _: tables[table][0].update(fields)

    def of_other_version(_: Any, manifest: archive.Manifest) -> None:
        manifest.revision = "0001"

    edits: dict[str, Edit] = {
        "has media of another workspace": with_row("media", storage_path=elsewhere),
        "media of another workspace: 'wsp": lambda tables, manifest: tables["media"][0].update(
            storage_path=f"{manifest.workspace.id}/../{elsewhere}"
        ),
        "a type that is not accepted: 'text/html'": with_row("media", mime_type="text/html"),
        "has a column that account has not": with_row("account", secrets="\\x00"),
        "column that post": with_row("post", **{'id"; drop table post; --': 1}),
        "do not fit": with_row("target", status="wrong"),
        "rows that do not fit: badly": with_row("target", id="not an id"),
        "fit: badly": with_row("target", id=7),
        "no list of ids": with_row("webhook", profile_ids="not a list"),
        "a time in target that no clock here shows": with_row("target", published_at="infinity"),
        "a time in post": with_row("post", published_at="0044-03-15 BC"),
        "media of another size": with_row("media", size_bytes=0),
        "was made by version": of_other_version,
    }
    messages = {}
    for expected, edit in edits.items():
        made = rewritten(path, tmp_path / "edited", edit)
        with pytest.raises(OperatorError) as raised:
            await portability.import_workspace(context, made, neighbour.owner.email, None)
        messages[expected] = str(raised.value)
    stray = rewritten(path, tmp_path / "edited", lambda *_: None, strays={"media/stray.png": b"x"})
    outside = rewritten(path, tmp_path / "outside", lambda *_: None, strays={"media/../../stray.png": b"x"})
    cut = tmp_path / "cut"
    cut.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    sparse = with_gaps(path, tmp_path / "sparse")
    plain = rewritten(path, tmp_path / "plain", lambda *_: None, strays={archive.member_of("profile"): b"x"})
    damaged = ("has gaps", sparse), ("is damaged", plain)
    for expected, file in (*damaged, ("no row names", stray), ("leads outside", outside), ("cut off", cut)):
        with pytest.raises(BadArchive, match=expected):
            await portability.import_workspace(context, file, neighbour.owner.email, None)

    assert {expected: message for expected, message in messages.items() if expected not in message} == {}
    async with database.connection() as db:
        owned = "select count(*) from member where user_id = $1"
        assert await db.fetchval(owned, neighbour.owner.user_id) == 1
    assert [path async for path in context.storage.paths() if "stray" in path] == []


async def test_what_waits_or_is_under_way_does_not_go_out_again(
    full: Sample, context: AppContext, make: Make, api: Api, database: Database, tmp_path: Path
) -> None:
    """Nobody works on the posts of an import, in whatever state they were exported."""
    path, newcomer = await exported(context, full.owner, tmp_path), await make.owner()
    states = {
        "pending": ("draft", "pending"), "retrying": ("draft", "cancelled"), "publishing": ("failed", "failed"),
        "processing": ("failed", "failed"), "unknown": ("failed", "failed"),
    }  # fmt: skip
    seen = {}
    for state in states:

        def put(tables: dict[str, list[dict[str, Any]]], _: Any, state: str = state) -> None:
            post = next(row for row in tables["post"] if row["status"] == "scheduled")
            post["status"] = "publishing"
            target = next(row for row in tables["target"] if row["post_id"] == post["id"])
            target |= {"status": state, "next_attempt_at": "2026-01-01T00:00:00Z", "due_at": "2026-01-01T00:00:00Z"}
            tables["target"], tables["post"] = [target], [post]
            tables["attempt"] = tables["metric_latest"] = tables["metric"] = []

        file = rewritten(path, tmp_path / "edited", put)
        done = await portability.import_workspace(context, file, newcomer.email, None)
        workspace_id = ids.decode("wsp", done["workspaceId"])
        assert workspace_id is not None
        [post], [target] = (
            await rows_of(database, "post", workspace_id), await rows_of(database, "target", workspace_id)
        )  # fmt: skip
        assert target["next_attempt_at"] is None
        seen[state] = (post["status"], target["status"])
    secret = {"X-Queue-Secret": context.settings.queue_secret or ""}
    assert (await api.post("/queue/process", json={"limit": 500}, headers=secret)).status_code == 200

    assert seen == states


async def test_another_instance_keeps_the_ids(
    full: Sample, context: AppContext, settings: Settings, fresh_dsn: str, tmp_path: Path
) -> None:
    path = await exported(context, full.owner, tmp_path)
    own = replace(settings, master_key=base64.b64encode(os.urandom(32)).decode(), data_dir=tmp_path)
    async with app.open_context(own, fresh_dsn) as other, Api(app.create(other)) as api:
        newcomer = await Make(other, api).owner()

        done = await portability.import_workspace(other, path, newcomer.email, None)

        assert done["ids"] == "kept"
        theirs = await Make(other, api).login(newcomer.user_id, full.owner.workspace_id, newcomer.email)
        post = await api.get(f"/posts/{full.ids['pst']}", key=theirs.key)
        assert (post.status_code, post.json()["status"]) == (200, "draft")
        webhook = await api.get(f"/webhooks/{full.ids['whk']}", key=theirs.key)
        assert (webhook.status_code, webhook.json()["status"]) == (200, "paused")
        [account] = (await api.get("/platforms/accounts/all", key=theirs.key)).json()["data"]
        assert (account["id"], account["status"]) == (full.ids["acc"], "needs_reauth")
        # Now that the workspace is here, ids are new; an archive that says it is another keeps those of its rows.
        assert (await portability.import_workspace(other, path, newcomer.email, None))["ids"] == "new"
        foreign = rewritten(path, tmp_path / "foreign", of_account_only)
        with pytest.raises(BadArchive, match=r"rows of another workspace: account\.profile_id"):
            await portability.import_workspace(other, foreign, newcomer.email, None)


_PAYLOAD = "select payload from job where kind = $1 and payload ->> 'source' = $2"


async def test_an_import_that_is_killed_leaves_no_files(
    full: Sample, context: AppContext, make: Make, database: Database, tmp_path: Path
) -> None:
    """The files come before the rows; the lock holds the program up between them."""
    path = await exported(context, full.owner, tmp_path)
    newcomer = await make.owner()
    lease: Any = InTest(database)
    environment = os.environ | {
        "SIGNALPOST_DATA_DIR": str(context.settings.data_dir),
        "SIGNALPOST_DATABASE_URL": database.dsn,
    }
    # The program applies policies again where tests of other rooms left tables of theirs, and would wait for the lock.
    await runner.migrate(database.dsn)
    holder = await asyncpg.connect(database.dsn)  # without time limits: the program may start slowly
    await holder.execute("begin; lock table workspace in share mode")
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "signalpost", "workspaces", "import", str(path), "--owner", newcomer.email,
        env=environment,
    )  # fmt: skip

    async def stored() -> set[str]:
        return {path async for path in context.storage.paths(ids.encode("wsp", workspace_id))}

    try:
        source = str(full.owner.workspace_id)
        while (payload := await holder.fetchval(_PAYLOAD, import_archive.CLEAR_JOB, source)) is None:
            assert program.returncode is None
            await asyncio.sleep(0.05)
        workspace_id = UUID(json.loads(payload)["workspace"])
        while not (left := await stored()):
            assert program.returncode is None
            await asyncio.sleep(0.05)
        clear = partial(import_archive.clear_import, context, lease, full.owner.workspace_id, workspace_id)
        assert await clear() == 60, "it is under way"
        assert left <= await stored()
    finally:
        if program.returncode is None:
            program.kill()
        await program.wait()
        holder.terminate()

    while await clear() is not None:  # the server notices a moment later that the program is gone
        await asyncio.sleep(0.05)
    assert await stored() == set()


def of_account_only(tables: dict[str, list[dict[str, Any]]], manifest: archive.Manifest) -> None:
    """An account in somebody else's profile."""
    manifest.workspace.id = ids.encode("wsp", ids.new_id())
    accounts = [row | {"id": str(ids.new_id()), "remote_id": "another"} for row in tables["account"]]
    for table in tables:
        tables[table] = accounts if table == "account" else []


async def tokens_of(context: AppContext, owner: Login) -> Tokens:
    async with context.database.transaction() as db:
        return await sign_in.open_session(db, context.keys, owner.user_id, owner.workspace_id, "owner", "203.0.113.9")


async def session_of(context: AppContext, owner: Login) -> str:
    return (await tokens_of(context, owner)).access_token


async def age(context: AppContext, owner: Login, tmp_path: Path) -> None:
    """Ten minutes later; a file is found by the moment at which it was asked for."""
    async with context.database.transaction() as db:
        [(before, after)] = await db.fetch(
            "update workspace_export set requested_at = requested_at - interval '10 minutes' where workspace_id = $1"
            " returning requested_at + interval '10 minutes', requested_at",
            owner.workspace_id,
        )
    file = tmp_path / f"aged-{after.timestamp()}"
    await context.storage.fetch(path_of(owner.workspace_id, before), file)
    await context.storage.delete([path_of(owner.workspace_id, before)])
    await context.storage.move(file, path_of(owner.workspace_id, after))


async def run_jobs(context: AppContext, *kinds: str) -> None:
    """What the engine does with these jobs of this room, once."""
    lease: Any = InTest(context.database)
    async with context.database.transaction() as db:
        taken = await db.fetch("delete from job where kind = any($1) returning kind, payload", list(kinds))
    handlers = {job.kind: job.handler for job in work.jobs(context)}
    for row in taken:
        await handlers[row["kind"]](lease, row["payload"])


async def test_the_owner_asks_fetches_it_for_some_days_and_is_mailed(
    full: Sample, context: AppContext, api: Api, database: Database, tmp_path: Path
) -> None:
    owner, path = full.owner, f"/workspaces/{full.ids['wsp']}/export"
    token = await session_of(context, owner)

    assert (await api.get(path, key=token)).status_code == 404
    asked = await api.post(path, key=token)
    again = await api.post(path, key=token)
    assert (asked.status_code, asked.json()["status"], asked.json()["downloadUrl"]) == (202, "pending", None)
    assert again.json()["requestedAt"] == asked.json()["requestedAt"]  # one at a time
    await run_jobs(context, export.JOB)
    ready = (await api.get(path, key=token)).json()
    assert ready["status"] == "ready"
    content = await api.get(ready["downloadUrl"].partition("/api/v1")[2])
    assert (content.status_code, len(content.content)) == (200, ready["sizeBytes"])
    file = tmp_path / "fetched.tar"
    file.write_bytes(content.content)
    with archive.read(file) as reader:
        reader.check()
        assert reader.manifest.workspace.id == full.ids["wsp"]
    async with database.connection() as db:
        mailed = await db.fetchval(
            "select payload::text from job where kind = 'mail.send' and payload ->> 'to' = $1", owner.email
        )
        recorded = await db.fetchval(
            "select count(*) from audit where workspace_id = $1 and action in ('export_workspace', 'download_export')",
            owner.workspace_id,
        )
    assert "export_ready" in mailed
    assert "signature" not in mailed  # who reads the mail has not the file
    assert recorded == 3

    async with database.transaction() as db:
        await db.execute("update workspace_export set expires_at = now() where workspace_id = $1", owner.workspace_id)
    lease: Any = InTest(database)
    await export.expire_exports(context, lease)
    assert (await api.get(path, key=token)).json()["status"] == "expired"
    assert (await api.get(ready["downloadUrl"].partition("/api/v1")[2])).status_code == 404
    assert [name async for name in context.storage.paths() if name.startswith(f"{full.ids['wsp']}/exports/")] == []


async def test_a_url_is_for_one_export_and_for_an_hour(
    full: Sample, context: AppContext, api: Api, tmp_path: Path
) -> None:
    path, token = f"/workspaces/{full.ids['wsp']}/export", await session_of(context, full.owner)
    await api.post(path, key=token)
    await run_jobs(context, export.JOB)
    assert (await api.post(path, key=token)).json()["status"] == "ready"  # it is not made again at once
    await age(context, full.owner, tmp_path)
    url = (await api.get(path, key=token)).json()["downloadUrl"].partition("/api/v1")[2]
    assert (await api.get(url)).status_code == 200

    of_another = url.replace(full.ids["wsp"], ids.encode("wsp", (await full.make.owner()).workspace_id))
    longer = re.sub(r"expires=(\d+)", lambda match: f"expires={int(match[1]) + 1}", url)
    assert [(await api.get(bad)).status_code for bad in (of_another, longer)] == [404, 404]
    assert (await api.post(path, key=token)).json()["status"] == "pending"
    assert (await api.get(url)).status_code == 404
    assert len(await files_of(context, full)) == 1
    await run_jobs(context, export.JOB, export.REMOVE_JOB)
    assert len(await files_of(context, full)) == 1  # the newer one


async def files_of(context: AppContext, full: Sample) -> list[str]:
    return [path async for path in context.storage.paths() if path.startswith(f"{full.ids['wsp']}/exports/")]


async def test_an_export_asked_for_while_the_former_one_expires_keeps_its_file(
    full: Sample,
    context: AppContext,
    api: Api,
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, token = f"/workspaces/{full.ids['wsp']}/export", await session_of(context, full.owner)
    await api.post(path, key=token)
    await run_jobs(context, export.JOB)
    await age(context, full.owner, tmp_path)
    async with database.transaction() as db:
        await db.execute(
            "update workspace_export set expires_at = now() where workspace_id = $1", full.owner.workspace_id
        )
    delete = context.storage.delete

    async def after_another_was_made(paths: list[str]) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(context.storage, "delete", delete)
            await api.post(path, key=token)
            await run_jobs(context, export.JOB)
        await delete(paths)

    lease: Any = InTest(database)
    with monkeypatch.context() as patch:
        patch.setattr(context.storage, "delete", after_another_was_made)
        await export.expire_exports(context, lease)
    ready = (await api.get(path, key=token)).json()
    assert ready["status"] == "ready"
    assert (await api.get(ready["downloadUrl"].partition("/api/v1")[2])).status_code == 200


async def given_away(context: AppContext, api: Api, make: Make, owner: Login, session: Tokens) -> None:
    successor = await make.member(owner, role="admin")
    listed = (await api.get("/team", key=session.access_token)).json()["data"]
    row = next(each["id"] for each in listed if each["email"] == successor.email)
    assert (await api.post("/team/transfer", json={"memberId": row}, key=session.access_token)).status_code == 200


async def left(context: AppContext, api: Api, make: Make, owner: Login, session: Tokens) -> None:
    await given_away(context, api, make, owner, session)
    assert (await api.post("/team/leave", key=session.access_token)).status_code == 204


async def password_changed(context: AppContext, _api: Api, _make: Make, owner: Login, _session: Tokens) -> None:
    with across_workspaces():
        async with context.database.transaction() as db:
            await passwords.reset_password(context, db, email=owner.email, password="another long password")


async def session_stolen(context: AppContext, api: Api, _make: Make, owner: Login, session: Tokens) -> None:
    async with context.database.transaction() as db:
        await db.execute("update session set generation = 5 where user_id = $1", owner.user_id)
    assert (await api.post("/auth/refresh", json={"refreshToken": session.refresh_token})).status_code == 401


@pytest.mark.parametrize("happens", [given_away, left, password_changed, session_stolen])
async def test_the_url_ends_with_the_rights_of_whoever_asked_for_it(
    api: Api, make: Make, context: AppContext, happens: Callable[..., Awaitable[None]]
) -> None:
    """Who lost a session to a thief, or gave the workspace away, does not leave a copy of everything behind."""
    owner = await make.owner()
    path, session = f"/workspaces/{ids.encode('wsp', owner.workspace_id)}/export", await tokens_of(context, owner)
    await api.post(path, key=session.access_token)
    await run_jobs(context, export.JOB)
    url = (await api.get(path, key=session.access_token)).json()["downloadUrl"].partition("/api/v1")[2]
    assert (await api.get(url)).status_code == 200

    await happens(context, api, make, owner, session)

    assert (await api.get(url)).status_code == 404
    async with context.database.connection() as db:
        now_owner = await db.fetchval(
            "select user_id from member where workspace_id = $1 and role = 'owner'", owner.workspace_id
        )
    token = await session_of(context, replace(owner, user_id=now_owner))
    shown = (await api.get(path, key=token)).json()
    assert (shown["status"], shown["downloadUrl"]) == ("expired", None)
    assert (await api.post(path, key=token)).json()["status"] == "pending"  # at once, for whoever owns it


async def test_only_the_owner_who_has_just_signed_in_exports(full: Sample, context: AppContext, api: Api) -> None:
    path, token = f"/workspaces/{full.ids['wsp']}/export", await session_of(context, full.owner)
    admin = await session_of(context, await full.make.member(full.owner, role="admin"))

    assert [(await api.post(path, key=key)).status_code for key in (full.owner.key, admin)] == [403, 403]
    async with context.database.transaction() as db:
        await db.execute(
            "update session set created_at = now() - interval '16 minutes' where user_id = $1", full.owner.user_id
        )
    refused = [await api.post(path, key=token), await api.get(path, key=token)]
    assert [(answer.status_code, "15 minutes" in answer.text) for answer in refused] == [(403, True), (403, True)]


async def test_an_export_that_fails_says_so_and_one_that_was_interrupted_is_made_again(
    full: Sample, context: AppContext, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, token = f"/workspaces/{full.ids['wsp']}/export", await session_of(context, full.owner)
    await api.post(path, key=token)
    lease: Any = InTest(context.database)

    async def cut(*_: object) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(context.storage, "move", cut)
        with pytest.raises(asyncio.CancelledError):
            await export.make_export(context, lease, full.owner.workspace_id)
    assert (await api.get(path, key=token)).json()["status"] == "pending"
    assert list((context.settings.data_dir / "incoming").glob("*/export.tar")) == []

    await export.make_export(context, lease, full.owner.workspace_id)
    assert (await api.get(path, key=token)).json()["status"] == "ready"
    await age(context, full.owner, tmp_path)
    await api.post(path, key=token)
    full_disk = replace(context, settings=replace(context.settings, storage_free_bytes_min=1 << 60))
    await export.make_export(full_disk, lease, full.owner.workspace_id)
    failed = (await api.get(path, key=token)).json()
    assert (failed["status"], failed["downloadUrl"]) == ("failed", None)
    assert (await api.post(path, key=token)).json()["status"] == "pending"


async def test_exports_of_one_person_and_of_many_wait_for_each_other(
    full: Sample, context: AppContext, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise who owns many large workspaces would hold every place for jobs, and the mails of all would wait."""
    path, token = f"/workspaces/{full.ids['wsp']}/export", await session_of(context, full.owner)
    await api.post(path, key=token)
    lease: Any = InTest(context.database)
    running = context.state(Running).user_ids
    make = next(job.handler for job in work.jobs(context) if job.kind == export.JOB)
    payload = {"workspace": str(full.owner.workspace_id)}

    for others in ({full.owner.user_id}, {ids.new_id() for _ in range(AT_ONCE_MAX)}):
        running |= others
        assert await make(lease, payload) == RunAgain(work.EXPORT_AGAIN_SECONDS)
        running -= others
    with monkeypatch.context() as patch:
        patch.setattr(context.storage, "move", None)
        with pytest.raises(TypeError):
            await make(lease, payload)
    assert running == set()
    assert await make(lease, payload) is None
    assert (await api.get(path, key=token)).json()["status"] == "ready"


async def test_a_backup_has_files_and_no_exports(full: Sample, context: AppContext, api: Api, tmp_path: Path) -> None:
    """They would double it, and can be made again."""
    path, token = f"/workspaces/{full.ids['wsp']}/export", await session_of(context, full.owner)
    await api.post(path, key=token)
    await run_jobs(context, export.JOB)

    await dump(
        context.database.dsn,
        context.storage,
        tmp_path / "backup",
        backup_id=ids.new_id(),
        version="0",
        master_key=None,
        with_media=True,
    )

    with backup_archive.read(tmp_path / "backup") as reader:
        names = reader.names(backup_archive.MEDIA)
    mine = [name for name in names if full.ids["wsp"] in name]
    assert [name for name in mine if "/exports/" in name] == []
    assert any(full.ids["med"] in name for name in mine)
