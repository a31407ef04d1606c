"""The child process that opens files: whatever happens to it says something about the file, never a 500."""

import asyncio
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from tests.helpers import media_files

from signalpost.media import file_types, probe_process
from signalpost.media.file_types import GIF, JPEG, PDF, PNG
from signalpost.media.probe_process import ProbeResult, Rejection


async def _probe(folder: Path, content: bytes, file_type: file_types.FileType) -> ProbeResult | Rejection:
    file = folder / "file"
    file.write_bytes(content)
    return await probe_process.probe(file, file_type, folder / "thumbnail")


async def test_a_valid_file_is_described(tmp_path: Path) -> None:
    assert await _probe(tmp_path, media_files.image("JPEG"), JPEG) == ProbeResult(changed=True, width=48, height=64)


@pytest.mark.parametrize(
    "end",
    [
        "raise SystemExit(3)",
        "import os; os.kill(os.getpid(), 9)",
        "while True: pass",
        "x = bytearray(2**31)",
        "print('?')",
    ],
)
async def test_a_child_that_fails_rejects_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    """Killed for memory or time, crashed, or hanging: the client gets a 422, and no request waits for ever."""
    program = tmp_path / "program"
    program.write_text(
        f"#!{sys.executable}\nimport resource\nresource.setrlimit(resource.RLIMIT_AS, (2**29, 2**29))\n{end}\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(probe_process.sys, "executable", str(program))
    monkeypatch.setattr(probe_process, "WALL_SECONDS", -1)

    assert isinstance(await _probe(tmp_path, media_files.PDF, PDF), Rejection)


@pytest.mark.parametrize(("encodes_video", "cpu_seconds"), [(False, "10"), (True, "200")])
def test_the_child_sets_its_own_limits(*, encodes_video: bool, cpu_seconds: str) -> None:
    code = (
        "import resource\n"
        "from signalpost.media.probe import __main__ as child\n"
        f"child._set_limits(encodes_video={encodes_video})\n"
        "print(resource.getrlimit(resource.RLIMIT_AS)[1], resource.getrlimit(resource.RLIMIT_CPU)[1])\n"
        "bytearray(600_000_000)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == [str(512 * 1024 * 1024), cpu_seconds]
    assert "MemoryError" in done.stderr


async def test_decompression_bombs_are_cheap_to_reject(tmp_path: Path) -> None:
    """They are rejected by their header, before anything is unpacked."""
    assert len(media_files.pixel_bomb()) < 30_000
    for content, file_type in ((media_files.pixel_bomb(), PNG), (media_files.animation(10_000), GIF)):
        rejection = await _probe(tmp_path, content, file_type)
        assert isinstance(rejection, Rejection)
        assert rejection.code == "out_of_range"


async def test_no_secret_reaches_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug in a decoder must not expose our master key from the environment."""
    seen = tmp_path / "seen"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nenv > {seen}\n")
    program.chmod(0o755)
    monkeypatch.setitem(os.environ, "SIGNALPOST_MASTER_KEY", "not-for-you")
    monkeypatch.setattr(probe_process.sys, "executable", str(program))

    await _probe(tmp_path, media_files.PDF, PDF)

    assert "not-for-you" not in seen.read_text()


async def test_the_files_of_one_tenant_leave_a_process_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slow files would otherwise hold both processes; those of another tenant wait for one of them at most."""
    program = tmp_path / "program"
    program.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(1)\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    file = tmp_path / "file"
    ended = []

    async def probe(tenant: str) -> None:
        await probe_process.probe(file, PNG, tmp_path / "thumbnail", tenant=tenant)
        ended.append(tenant)

    slow = [asyncio.create_task(probe("slow")) for _ in range(4)]
    await asyncio.sleep(0.2)
    await probe("other")
    await asyncio.gather(*slow)
    assert ended.index("other") <= 2, "at most one of the other tenant's files ends between its begin and its end"


async def test_what_a_rare_file_needs_is_imported_in_time(tmp_path: Path) -> None:
    """A module that is missing when the rights are gone would refuse good files: these need the rarely used ones."""
    picture = media_files.picture()
    stereo, palette, grey = io.BytesIO(), io.BytesIO(), io.BytesIO()
    picture.save(stereo, "MPO", save_all=True, append_images=[picture.rotate(180)])
    picture.convert("P").save(palette, "GIF", save_all=True, append_images=[Image.new("RGBA", (64, 48), (9, 9, 9, 0))])
    picture.convert("LA").save(grey, "PNG", dpi=(72, 72))
    folder = tmp_path / "files"
    folder.mkdir()
    files = {
        stereo.getvalue(): JPEG, palette.getvalue(): GIF, grey.getvalue(): PNG,
        media_files.video(folder, "mkv", sound=True): file_types.MATROSKA,
    }  # fmt: skip

    for content, file_type in files.items():
        assert isinstance(await _probe(tmp_path, content, file_type), ProbeResult), file_type
