"""How much may be uploaded: by the plan, by the operator, and by the disk."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.helpers import media_files
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.media.test_upload import send

from signalpost.context import AppContext
from signalpost.plans import limits
from signalpost.settings import Settings


@pytest.fixture
def tight(context: AppContext, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Change settings for one test."""

    def change(**values: Any) -> None:
        monkeypatch.setattr(context, "settings", replace(context.settings, **values))

    return change


async def test_the_plan_limits_storage(api: Api, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted before, during and after an upload, so that nothing can bypass it."""
    owner = await make.owner()
    content = media_files.image("PNG")
    monkeypatch.setitem(limits.STORAGE_BYTES.by_plan, "self_hosted", 2 * len(content))

    first = await send(api, owner, content)
    over = await send(api, owner, media_files.PDF.replace(b"\n1", bytes(2 * len(content)) + b"\n1"))
    for _ in range(3):
        last = await send(api, owner, content)

    assert first.status_code == 201
    assert [over.status_code, last.status_code] == [402, 402]
    assert over.json()["code"] == last.json()["code"] == "plan_limit_reached"
    assert last.json()["limit"]["name"] == "storageBytes"


async def test_of_many_uploads_for_the_last_bytes_one_is_stored(
    api: Api, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await make.owner()
    monkeypatch.setitem(limits.STORAGE_BYTES.by_plan, "self_hosted", len(media_files.PDF))

    answers = await asyncio.gather(*(send(api, owner, media_files.PDF) for _ in range(8)))

    assert sorted(answer.status_code for answer in answers) == [201] + [402] * 7


async def test_the_plan_and_the_operator_limit_a_video(
    api: Api, make: Make, tmp_path: Path, tight: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await make.owner()
    movie = b"".join(media_files.padded(media_files.video(tmp_path), 300_000))

    tight(media_file_bytes_max=200_000)
    by_operator = await send(api, owner, movie)
    tight(media_file_bytes_max=10**9)
    monkeypatch.setitem(limits.FILE_BYTES.by_plan, "self_hosted", 100_000)
    by_plan = await send(api, owner, movie)

    assert [answer.status_code for answer in (by_operator, by_plan)] == [413, 413]
    assert [answer.json()["limit"]["max"] for answer in (by_operator, by_plan)] == [200_000, 100_000]


async def test_a_nearly_full_disk_stops_uploads(api: Api, make: Make, settings: Settings, tight: Any) -> None:
    """The database needs the rest of the disk more than any user needs another video."""
    owner = await make.owner()
    tight(storage_free_bytes_min=10**17)
    before = {path.name for path in (settings.data_dir / "incoming").glob("*")}  # uploads that other tests began

    answer = await send(api, owner, media_files.image("PNG"))

    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert {path.name for path in (settings.data_dir / "incoming").glob("*")} <= before
