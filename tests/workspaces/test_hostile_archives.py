"""Archives of strangers, damaged and rewritten at random places: an import refuses each and leaves nothing.

That an archive which is well formed and lies is refused too stands in `test_export.py`.
"""

import io
import random
import tarfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.figures.record import Record, holds
from tests.helpers.contract import create_sample
from tests.helpers.factories import Make
from tests.workspaces.test_export import exported

from signalpost.context import AppContext
from signalpost.kit.archive import MANIFEST, ArchiveReader, BadArchive, Kind, Manifest
from signalpost.kit.db import Database
from signalpost.kit.errors import OperatorError
from signalpost.main import portability

SEED = 26
ARCHIVES = 100
_ROWS = """
select (select count(*) from workspace), (select count(*) from post), (select count(*) from media),
    (select count(*) from member)
"""


def _hostile(content: bytes, places: Sequence[int], number: int) -> bytes:
    """Return the archive with a bit, a run or a length changed, cut, repeated, or stuffed at one of the places."""
    chance = random.Random(SEED * 1_000 + number)
    at, size = chance.choice(places), chance.randrange(1, 4_096)
    match number % 6:
        case 0:
            return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
        case 1:
            return content[:at] + chance.randbytes(size) + content[at + size :]
        case 2:
            return content[:at]
        case 3:
            return content[:at] + content[at + size :]
        case 4:
            return content[:at] + content[at - size :]
        case _:
            return content[:at] + zlib.compress(b"\0" * 50_000_000) + content[at:]


def _places(archive: Path) -> list[int]:
    """Return where an archive says what its manifest vouches for: contents and names, not what fills blocks."""
    with tarfile.open(archive) as opened:
        members = [member for member in opened.getmembers() if member.name != MANIFEST]
    contents = [range(member.offset_data, member.offset_data + member.size) for member in members]
    starts = [member.offset_data - tarfile.BLOCKSIZE for member in members]
    names = [range(start, start + 8) for start in starts]
    return [place for part in [*contents, *names] for place in part]


@holds("S19")
async def test_an_archive_that_was_tampered_with_changes_nothing(
    context: AppContext, make: Make, database: Database, tmp_path: Path, record: Record
) -> None:
    sample = await create_sample(make.api, make)
    archive = await exported(context, sample.owner, tmp_path)
    content, places = archive.read_bytes(), _places(archive)
    hostile = tmp_path / "hostile"
    async with database.connection() as db:
        before = await db.fetchrow(_ROWS)
    accepted, crashes = [], []
    for number in range(ARCHIVES):
        changed = _hostile(content, places, number)
        if changed == content:
            continue
        hostile.write_bytes(changed)
        try:
            await portability.import_workspace(context, hostile, sample.owner.email, None)
            accepted.append(number)
        except (BadArchive, OperatorError):
            pass
        except Exception as error:  # noqa: BLE001 - counted
            crashes.append((number, repr(error)[:200]))
    async with database.connection() as db:
        after = await db.fetchrow(_ROWS)

    record(
        "S19",
        tried={"hostile archives": ARCHIVES},
        measured={"accepted": len(accepted), "crashes": len(crashes)},
        seed=SEED,
    )
    assert (accepted, crashes) == ([], [])
    assert before == after


def test_a_manifest_that_is_no_text_is_said(tmp_path: Path) -> None:
    content = b'{"kind": "a backup", "x": "\xff"}'
    path = tmp_path / "archive"
    with tarfile.open(path, "w") as made:
        info = tarfile.TarInfo(MANIFEST)
        info.size = len(content)
        made.addfile(info, io.BytesIO(content))
    with pytest.raises(BadArchive, match="damaged"):
        ArchiveReader(path, Kind("a backup", 1, Manifest))
