"""Videos in another container: made in the confined process, without encoding anything again."""

import io
import struct
from pathlib import Path
from typing import Any

import av
import pytest
from tests.helpers import media_files

from signalpost.media import file_types, probe_process
from signalpost.media.probe_process import DeriveResult, DeriveSpec, ProbeResult, Rejection

MP4 = "video/mp4"


def packets(content: bytes) -> dict[str, list[bytes]]:
    with av.open(io.BytesIO(content)) as container:
        found: dict[str, list[bytes]] = {}
        for packet in container.demux():
            if packet.dts is not None:
                found.setdefault(packet.stream.type, []).append(bytes(packet))
    return found


def rotated(movie: bytes) -> bytes:
    """Turn it by 90 degrees, as telephones do: by the matrix in its track header."""
    at = movie.index(b"tkhd") + 44
    return movie[:at] + struct.pack(">9i", 0, 65_536, 0, -65_536, 0, 0, 0, 0, 1 << 30) + movie[at + 36 :]


async def repackage(folder: Path, content: bytes, mime_type: str, bytes_max: int = 10**6) -> Any:
    (folder / "file").write_bytes(content)
    spec = DeriveSpec((MP4,), bytes_max, None)
    return await probe_process.derive(folder / "file", file_types.ALLOWED[mime_type], folder / "output", spec, None)


@pytest.mark.parametrize(("extension", "mime_type"), [("mov", "video/quicktime"), ("mkv", "video/x-matroska")])
@pytest.mark.parametrize("sound", [True, False])
async def test_every_packet_is_copied(tmp_path: Path, extension: str, mime_type: str, *, sound: bool) -> None:
    content = media_files.video(tmp_path, extension, sound=sound)

    result = await repackage(tmp_path, content, mime_type)

    assert result == DeriveResult(mime_type=MP4, width=96, height=64)
    written = (tmp_path / "output").read_bytes()
    assert packets(written) == packets(content)
    assert file_types.recognize(written[: file_types.HEAD_BYTES]) == file_types.ALLOWED[MP4]
    assert media_files.SECRET not in written
    probed = await probe_process.probe(tmp_path / "output", file_types.ALLOWED[MP4], tmp_path / "thumbnail")
    assert isinstance(probed, ProbeResult), probed
    assert (probed.video_codec, probed.audio_codec) == ("mpeg4", "aac" if sound else None)


async def test_a_video_stays_upright(tmp_path: Path) -> None:
    content = rotated(media_files.video(tmp_path, "mov"))
    before = await probe_process.probe(_file(tmp_path, content), file_types.ALLOWED["video/quicktime"], tmp_path / "t")
    await repackage(tmp_path, content, "video/quicktime")
    after = await probe_process.probe(tmp_path / "output", file_types.ALLOWED[MP4], tmp_path / "thumbnail")

    assert isinstance(before, ProbeResult)
    assert isinstance(after, ProbeResult)
    assert (before.width, before.height) == (after.width, after.height) == (64, 96)


def _file(folder: Path, content: bytes) -> Path:
    (folder / "probed").write_bytes(content)
    return folder / "probed"


async def test_what_cannot_be_copied_is_rejected(tmp_path: Path) -> None:
    content = media_files.video(tmp_path, "mov")
    for case, bytes_max in ((content[: len(content) // 2], 10**6), (content, 1_000)):
        assert isinstance(await repackage(tmp_path, case, "video/quicktime", bytes_max), Rejection)
