"""Has a file opened by a child process that may fail, and turns whatever becomes of it into an answer."""

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from signalpost.kit import log
from signalpost.media.file_types import FileType

AT_ONCE = 2
"""Children of this process at the same time: each may take half a gigabyte and a core."""
WALL_SECONDS = 20
_logger = log.get("media")
_slots = asyncio.Semaphore(AT_ONCE)


class ProbeResult(Struct, rename="camel"):
    """What the child saw. `changed`: it took metadata out, so the bytes are others now."""

    changed: bool
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    fps: float | None = None
    video_codec: str | None = None
    audio_codec: str | None = None


class Rejected(Struct):
    """Why a file is not taken in: an issue code and a sentence for its sender."""

    code: str
    message: str


class _Answer(Struct):
    found: ProbeResult | None = None
    refused: Rejected | None = None


_answers = msgspec.json.Decoder(_Answer)


async def examine(file: Path, found: FileType, thumbnail: Path) -> ProbeResult | Rejected:
    """Clean `file` in place, write `thumbnail` if it has pictures, and say what it is.

    A child that dies, hangs or talks nonsense did so because of the file: that is a refusal, never an error of ours.
    """
    async with _slots:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-m",
            "signalpost.media.probe",
            str(file),
            found.mime_type,
            str(thumbnail),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # No secrets of ours go along. Some interpreters need to be told where their own library is.
            env={name: value for name, value in os.environ.items() if name == "LD_LIBRARY_PATH"},
        )
        try:
            async with asyncio.timeout(WALL_SECONDS + 2):  # the child ends itself after WALL_SECONDS
                output, _ = await child.communicate()
        except TimeoutError:
            output = b""
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
    if child.returncode == 0:
        with suppress(msgspec.MsgspecError):
            answer = _answers.decode(output)
            if (decided := answer.found or answer.refused) is not None:
                return decided
    _logger.info("media.probe_died", mime_type=found.mime_type, status=child.returncode)
    return Rejected("format", "This file cannot be opened within the limits of memory and time that are set for it.")
