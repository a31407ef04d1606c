"""Videos that are encoded again in the confined process: within limits, upright, with their sound, without metadata."""

import io
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import av
import pytest
from PIL import Image
from tests.helpers import media_files
from tests.media.test_repackage import rotated

from signalpost.kit.frames import FrameLimits
from signalpost.kit.shares import Busy
from signalpost.media import file_types, probe_process
from signalpost.media.probe_process import DeriveResult, DeriveSpec, Rejection

MP4 = "video/mp4"


async def encode(
    folder: Path, content: bytes, mime_type: str, *, bytes_max: int = 10**6, pixels_max: int | None = None
) -> Any:
    (folder / "file").write_bytes(content)
    spec = DeriveSpec((MP4,), bytes_max, FrameLimits(pixels_max), encodes_video=True)
    return await probe_process.derive(folder / "file", file_types.ALLOWED[mime_type], folder / "output", spec, None)


def described(content: bytes) -> dict[str, Any]:
    with av.open(io.BytesIO(content)) as movie:
        frames = [(frame.width, frame.height) for frame in movie.decode(video=0)]
        return {
            "codecs": [stream.codec_context.name for stream in movie.streams],
            "sizes": set(frames),
            "frames": len(frames),
            "seconds": round((movie.duration or 0) / 1_000_000, 1),
            "rate": movie.streams.video[0].average_rate,
        }


@pytest.mark.parametrize(
    ("extension", "codec", "mime_type", "sound"),
    [
        ("mp4", "mpeg4", MP4, True),
        ("mov", "mpeg4", "video/quicktime", False),
        ("webm", "libvpx", "video/webm", False),
        ("avi", "mpeg4", "video/x-msvideo", False),
        ("mkv", "mpeg4", "video/x-matroska", True),
    ],
)
async def test_any_video_becomes_one_that_every_network_takes(
    tmp_path: Path, extension: str, codec: str, mime_type: str, *, sound: bool
) -> None:
    content = media_files.video(tmp_path, extension, codec=codec, sound=sound)

    result = await encode(tmp_path, content, mime_type)

    codecs = ("h264", "aac" if sound else None)
    assert result == DeriveResult(mime_type=MP4, width=96, height=64, video_codec=codecs[0], audio_codec=codecs[1])
    written = (tmp_path / "output").read_bytes()
    assert described(written) == {
        "codecs": [name for name in codecs if name], "sizes": {(96, 64)}, "frames": 12, "seconds": 0.5, "rate": 24,
    }  # fmt: skip
    assert media_files.SECRET not in written
    assert file_types.recognize(written[: file_types.HEAD_BYTES]) == file_types.ALLOWED[MP4]


async def test_an_animated_gif_becomes_a_video(tmp_path: Path) -> None:
    """Its frames keep their times; what is transparent is white, not black."""
    frames = [Image.new("RGBA", (96, 64), (0, 0, 0, 0)) for _ in range(12)]
    for number, frame in enumerate(frames):
        frame.paste((200, 0, 0, 255), (number, 0, number + 8, 64))
    gif = io.BytesIO()
    frames[0].save(gif, "GIF", save_all=True, append_images=frames[1:], duration=100, loop=0, disposal=2)

    result = await encode(tmp_path, gif.getvalue(), "image/gif")

    assert result == DeriveResult(mime_type=MP4, width=96, height=64, video_codec="h264", audio_codec=None)
    written = (tmp_path / "output").read_bytes()
    assert described(written) == {
        "codecs": ["h264"], "sizes": {(96, 64)}, "frames": 12, "seconds": 1.2, "rate": 10,
    }  # fmt: skip
    assert _brightness(tmp_path / "output")[3] > 200


async def test_it_gets_as_small_as_it_has_to_be(tmp_path: Path) -> None:
    content = media_files.video(tmp_path)

    fewer_pixels = await encode(tmp_path, content, MP4, pixels_max=1_600)
    assert (fewer_pixels.width, fewer_pixels.height) == (48, 32)
    assert described((tmp_path / "output").read_bytes())["sizes"] == {(48, 32)}

    content = media_files.video(tmp_path, frames=24, size=(160, 96))
    fewer_bytes = await encode(tmp_path, content, MP4, bytes_max=60_000)
    assert isinstance(fewer_bytes, DeriveResult), fewer_bytes
    assert (tmp_path / "output").stat().st_size <= 60_000 < len(content)


async def test_it_stays_upright(tmp_path: Path) -> None:
    """Telephones say how a video is to be turned; what is encoded again is turned."""
    content = rotated(media_files.video(tmp_path, "mov"))
    before = await probe_process.probe(_file(tmp_path, content), file_types.ALLOWED["video/quicktime"], tmp_path / "t")

    result = await encode(tmp_path, content, "video/quicktime")

    assert (result.width, result.height) == (64, 96) == (before.width, before.height)  # type: ignore[union-attr]
    assert described((tmp_path / "output").read_bytes())["sizes"] == {(64, 96)}
    assert _brightness(tmp_path / "output") == pytest.approx(_brightness(tmp_path / "probed", turned=True), abs=12)


def _brightness(path: Path, *, turned: bool = False) -> list[float]:
    """Return the mean brightness of the four quarters of the first picture."""
    with av.open(str(path)) as movie:
        frame: Any = next(movie.decode(video=0))
    image: Any = frame.to_image().convert("L")
    if turned:
        image = image.rotate(frame.rotation, expand=True)
    width, height = image.size
    return [
        float(image.crop((x, y, x + width // 2, y + height // 2)).resize((1, 1), 4).getpixel((0, 0)))
        for x in (0, width // 2)
        for y in (0, height // 2)
    ]


def _file(folder: Path, content: bytes) -> Path:
    (folder / "probed").write_bytes(content)
    return folder / "probed"


@pytest.mark.parametrize(("case", "bytes_max", "code"), [("whole", 3_000, "out_of_range"), ("half", 10**6, "format")])
async def test_what_cannot_be_encoded_is_rejected(tmp_path: Path, case: str, bytes_max: int, code: str) -> None:
    content = media_files.video(tmp_path)
    result = await encode(tmp_path, content if case == "whole" else content[:-300], MP4, bytes_max=bytes_max)

    assert isinstance(result, Rejection)
    assert result.code == code


async def test_one_video_is_encoded_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits too long comes back later, so that a job does not run into its end."""
    monkeypatch.setattr(probe_process, "TURN_SECONDS_MAX", 0.01)
    async with probe_process.encoding_turn("one"):
        for tenant in ("one", "other"):
            with pytest.raises(Busy):
                async with probe_process.encoding_turn(tenant):
                    raise AssertionError("two at a time")
    async with probe_process.encoding_turn("other"):
        pass


def test_an_encoder_ends_with_the_service() -> None:
    """One that was killed would otherwise leave a process behind that uses a core for minutes."""
    child = (
        "from signalpost.media.probe import __main__ as child; import sys, time\n"
        "child._end_with_parent(); print('ready', flush=True); time.sleep(60)"
    )
    parent = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}], stdout=subprocess.PIPE)\n"
        "child.stdout.readline(); print(child.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        watched = os.pidfd_open(int(started.stdout.readline()))
        started.kill()
        poll = select.poll()
        poll.register(watched, select.POLLIN)
        assert poll.poll(10_000), "it outlived its parent"
        os.close(watched)
