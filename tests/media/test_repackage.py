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
            if packet.size:
                found.setdefault(packet.stream.type, []).append(bytes(packet))
    return found


def rotated(movie: bytes) -> bytes:
    """Turn it by 90 degrees, as telephones do: by the matrix in its track header."""
    at = movie.index(b"tkhd") + 44
    return movie[:at] + struct.pack(">9i", 0, 65_536, 0, -65_536, 0, 0, 0, 0, 1 << 30) + movie[at + 36 :]


async def repackage(folder: Path, content: bytes, mime_type: str, bytes_max: int = 10**6) -> Any:
    (folder / "file").write_bytes(content)
    spec = DeriveSpec((MP4,), bytes_max)
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


@pytest.mark.parametrize("frames", [1, 2, 30])
@pytest.mark.parametrize(("container", "mime_type"), [("mov", "video/quicktime"), ("matroska", "video/x-matroska")])
async def test_no_frame_is_lost_that_waits_for_a_later_one(
    tmp_path: Path, container: str, mime_type: str, frames: int
) -> None:
    """Matroska says when a frame is shown, but not when it is decoded: the first packets have no such time."""
    content = reordered(container, frames)

    assert isinstance(await repackage(tmp_path, content, mime_type), DeriveResult)

    assert shown((tmp_path / "output").read_bytes()) == shown(content)


def reordered(container: str, frames: int) -> bytes:
    """A video whose frames are not stored in the order in which they are shown, as those of most encoders are."""
    written = io.BytesIO()
    with av.open(written, "w", format=container) as movie:
        stream: Any = movie.add_stream("libx264", rate=25, options={"bf": "3", "b-adapt": "0"})
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for number in range(frames):
            frame = av.VideoFrame(96, 64, "yuv420p")
            for plane in frame.planes:
                plane.update(bytes([number * 8]) * plane.buffer_size)
            frame.pts = number
            movie.mux(stream.encode(frame))
        movie.mux(stream.encode())
    return written.getvalue()


def shown(content: bytes) -> list[tuple[float | None, int]]:
    """When each frame is shown, and how bright it is."""
    with av.open(io.BytesIO(content)) as movie:
        return [(frame.time, bytes(frame.planes[0])[0]) for frame in movie.decode(video=0)]


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
