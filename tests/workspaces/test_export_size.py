"""An export of a large workspace, and an import of it, in their time and memory."""

import asyncio
import resource
import time
from pathlib import Path
from typing import Any

import pytest
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.contract import upload
from tests.helpers.factories import Make

from signalpost.context import AppContext
from signalpost.kit import ids
from signalpost.main import portability

POSTS, FILES, FILE_BYTES = 10_000, 2_000, 100_000
# Copies of one post, of its target and of one file, each with an id of its own.
_COPY = """
do $$
declare
    columns text;
begin
    select string_agg(quote_ident(attname), ', ') into columns from pg_attribute
    where attrelid = '{table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''
        and attname <> all(array[{new}]);
    execute format('insert into {table} (%s, {names}) select %s, {values} from {table} t, generate_series(1, {count}) n'
        ' where t.id = ''{id}''', columns, columns);
end $$
"""
_ID = "(lpad(to_hex(n), 8, ''0'') || substr(t.{column}::text, 9))::uuid"


def copies(table: str, row_id: object, count: int, **values: str) -> str:
    return _COPY.format(
        table=table, id=row_id, count=count, names=", ".join(values), values=", ".join(values.values()),
        new=", ".join(f"'{name}'" for name in values),
    )  # fmt: skip


@pytest.mark.alone
@holds("S14")
@pytest.mark.heavy
@pytest.mark.timeout(600)
async def test_ten_thousand_posts_and_their_media_within_a_minute(
    api: Api, make: Make, context: AppContext, tmp_path: Path, record: Record
) -> None:
    """Memory is that of the whole process of the test. In small: test_export.py."""
    owner = await make.owner()
    await make.account(owner)
    media_id = ids.decode("med", await upload(api, owner))
    post = await make.draft(
        owner, text="A text as people write it, of some two hundred characters. " * 4, platforms=["sandbox"]
    )
    async with context.database.transaction() as db:
        await db.execute(copies("post", ids.decode("pst", post["id"]), POSTS, id=_ID.format(column="id")))
        target = {"id": _ID.format(column="id"), "post_id": _ID.format(column="post_id")}
        await db.execute(copies("target", ids.decode("tgt", post["targets"][0]["id"]), POSTS, **target))
        folder = ids.encode("wsp", owner.workspace_id)
        files = {
            "id": _ID.format(column="id"),
            "storage_path": f"''{folder}/copy'' || n || ''.png''",
            "thumbnail_path": "null",
            "size_bytes": str(FILE_BYTES),
        }
        await db.execute(copies("media", media_id, FILES, **files))
    for number in range(1, FILES + 1):
        file = tmp_path / "copy"
        await asyncio.to_thread(file.write_bytes, number.to_bytes(4, "big") * (FILE_BYTES // 4))
        await context.storage.move(file, f"{folder}/copy{number}.png")
    before, archive = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, tmp_path / "large.tar"

    began = time.monotonic()
    exported: dict[str, Any] = await portability.export_workspace(context, folder, archive)
    took = time.monotonic() - began
    began = time.monotonic()
    imported = await portability.import_workspace(context, archive, owner.email, "Again")
    back = time.monotonic() - began

    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    async with context.database.connection() as db:
        restored = await db.fetchval(
            "select count(*) from post where workspace_id = $1", ids.decode("wsp", imported["workspaceId"])
        )
    lacking = POSTS + 1 - restored + exported["files"] - imported["files"]
    record(
        "S14", tried={"posts": POSTS, "files": FILES},
        measured={"s of the export": round(took, 1), "posts and files that an import lacks": lacking},
    )  # fmt: skip
    assert lacking == 0
    assert (exported["files"], imported["files"]) == (FILES + 2, FILES + 2)
    assert exported["rows"] >= 2 * POSTS
    assert took <= 60
    assert back <= 120
    assert grown <= 100
