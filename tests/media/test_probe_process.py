"""The child that opens files: whatever becomes of it is an answer about the file, never a failure of ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.helpers import media_files

from signalpost.media import file_types, probe_process
from signalpost.media.file_types import GIF, JPEG, PDF, PNG
from signalpost.media.probe_process import ProbeResult, Rejection


async def _examine(folder: Path, content: bytes, found: file_types.FileType) -> ProbeResult | Rejection:
    file = folder / "file"
    file.write_bytes(content)
    return await probe_process.probe(file, found, folder / "thumbnail")


async def test_a_good_file(tmp_path: Path) -> None:
    assert await _examine(tmp_path, media_files.image("JPEG"), JPEG) == ProbeResult(changed=True, width=48, height=64)


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
async def test_a_child_that_ends_badly_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    """Killed for memory or time, crashed, or hanging: the sender gets a 422, and nobody waits for ever."""
    program = tmp_path / "program"
    program.write_text(
        f"#!{sys.executable}\nimport resource\nresource.setrlimit(resource.RLIMIT_AS, (2**29, 2**29))\n{end}\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(probe_process.sys, "executable", str(program))
    monkeypatch.setattr(probe_process, "WALL_SECONDS", -1)

    assert isinstance(await _examine(tmp_path, media_files.PDF, PDF), Rejection)


def test_the_child_limits_itself() -> None:
    code = (
        "import resource\n"
        "from signalpost.media.probe import __main__ as child\n"
        "child._set_limits()\n"
        "print(resource.getrlimit(resource.RLIMIT_AS)[1], resource.getrlimit(resource.RLIMIT_CPU)[1])\n"
        "bytearray(600_000_000)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == [str(512 * 1024 * 1024), "10"]
    assert "MemoryError" in done.stderr


async def test_bombs_cost_little(tmp_path: Path) -> None:
    """Rejected by what their head says, not by what unpacking them costs."""
    assert len(media_files.pixel_bomb()) < 30_000
    for content, found in ((media_files.pixel_bomb(), PNG), (media_files.animation(10_000), GIF)):
        refused = await _examine(tmp_path, content, found)
        assert isinstance(refused, Rejection)
        assert refused.code == "out_of_range"


async def test_no_secret_reaches_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in a decoder must not find our master key in its environment."""
    seen = tmp_path / "seen"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nenv > {seen}\n")
    program.chmod(0o755)
    monkeypatch.setitem(os.environ, "SIGNALPOST_MASTER_KEY", "not-for-you")
    monkeypatch.setattr(probe_process.sys, "executable", str(program))

    await _examine(tmp_path, media_files.PDF, PDF)

    assert "not-for-you" not in seen.read_text()
