"""Runs the child process that opens a file, and turns whatever happens to it into a result.

One child for each file, not a pool of them: decision 0071.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from signalpost.kit import log
from signalpost.kit.frames import FrameLimits
from signalpost.kit.shares import Shares
from signalpost.media.file_types import FileType

PROCESSES_MAX = 2
"""Child processes at the same time: each may use half a gigabyte of memory and a core."""
ENCODERS_MAX = 1
"""Child processes that encode videos, besides the others: each uses a core for minutes."""
TURN_SECONDS_MAX = 15.0
WALL_SECONDS = 20
ENCODE_WALL_SECONDS = 220
R = TypeVar("R")
_logger = log.get("media")
_slots = asyncio.Semaphore(PROCESSES_MAX)
_shares = Shares(1)
_encoders = Shares(ENCODERS_MAX)
_encoder_shares = Shares(1)


class ProbeResult(Struct):
    """What the file contains.

    `changed`: metadata was removed, so the bytes differ from those received. `changes`: they do between these offsets
    at most; None means anywhere.
    """

    changed: bool
    changes: list[tuple[int, int]] | None = None
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    fps: float | None = None
    video_codec: str | None = None
    audio_codec: str | None = None


class DeriveResult(Struct):
    """What was made of an image or a video."""

    mime_type: str
    width: int
    height: int
    video_codec: str | None = None  # None: that of the file
    audio_codec: str | None = None


class DeriveSpec(Struct):
    """What a file has to become: one of these types, with at most so many bytes and pixels."""

    mime_types: tuple[str, ...]
    bytes_max: int
    frame: FrameLimits = FrameLimits()
    watermark_type: str | None = None
    encodes_video: bool = False


class Rejection(Struct):
    """Why the file is not accepted: an issue code and a sentence for the user."""

    code: str
    message: str


class _Output(Struct, Generic[R]):
    result: R | None = None
    rejection: Rejection | None = None


_probed = msgspec.json.Decoder(_Output[ProbeResult])
_derived = msgspec.json.Decoder(_Output[DeriveResult])


async def probe(
    path: Path, file_type: FileType, thumbnail: Path, *, tenant: Hashable = None
) -> ProbeResult | Rejection:
    """Remove metadata from the file in place, write `thumbnail` if it has pictures, and describe it.

    Each tenant has one file opened at a time, so that the slow ones of one leave a process to the others.

    A child that dies, hangs or prints something else did so because of the file: that is a rejection, not our error.
    """
    arguments = (str(path), file_type.mime_type, str(thumbnail))
    async with _shares.take(tenant), _slots:
        return await _run(arguments, _probed, file_type, WALL_SECONDS)


async def derive(
    path: Path, file_type: FileType, output: Path, spec: DeriveSpec, watermark: Path | None, *, tenant: Hashable = None
) -> DeriveResult | Rejection:
    """Write another form of a file to `output`, of an image with the watermark. In the same kind of process.

    Encoding a video takes longer than a slot is meant for, so it needs none, but a turn: see `encoding_turn`.
    """
    encoded = msgspec.json.encode(spec).decode()
    arguments = (str(path), file_type.mime_type, str(output), encoded, "" if watermark is None else str(watermark))
    if spec.encodes_video:
        return await _run(arguments, _derived, file_type, ENCODE_WALL_SECONDS)
    async with _shares.take(tenant), _slots:
        return await _run(arguments, _derived, file_type, WALL_SECONDS)


@asynccontextmanager
async def encoding_turn(tenant: Hashable) -> AsyncIterator[None]:
    """Let few encode a video at the same time, and of each tenant one.

    Raises:
        Busy: others took too long.
    """
    async with _encoder_shares.take(tenant, TURN_SECONDS_MAX), _encoders.take(None, TURN_SECONDS_MAX):
        yield


async def _run(
    arguments: Sequence[str], decoder: "msgspec.json.Decoder[_Output[R]]", file_type: FileType, seconds: float
) -> R | Rejection:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        "-m",
        "signalpost.media.probe",
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        # No secrets are passed on. Some interpreters need to know where their own library is.
        env={name: value for name, value in os.environ.items() if name == "LD_LIBRARY_PATH"},
    )
    try:
        async with asyncio.timeout(seconds + 2):  # the child ends itself before
            stdout, _ = await child.communicate()
    except TimeoutError:
        stdout = b""
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode == 0:
        with suppress(msgspec.MsgspecError):
            output = decoder.decode(stdout)
            if (decided := output.result or output.rejection) is not None:
                return decided
    _logger.info("media.probe_failed", mime_type=file_type.mime_type, status=child.returncode)
    return Rejection("format", "This file cannot be opened within the limits on memory and time.")
