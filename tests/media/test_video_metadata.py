"""What people did not mean to publish is blanked wherever a video may hold it, and the video plays as before."""

import io
import struct
from pathlib import Path

import av
import pytest
from tests.helpers import media_files

from signalpost.media import file_types, probe_process
from signalpost.media.file_types import FileType
from signalpost.media.probe_process import ProbeResult

SECRET = media_files.SECRET
_CONTAINERS = (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"mvex", b"moof", b"traf")


def _frames(content: bytes) -> list[bytes]:
    with av.open(io.BytesIO(content)) as container:
        frames = [frame.to_image().tobytes() for frame in container.decode(video=0)]
    assert len(frames) == 12
    return frames


def _movie(folder: Path, extension: str, **options: str) -> bytes:
    """Return half a second of moving pictures, with sound, without any metadata but the library's own name."""
    file = folder / f"movie.{extension}"
    with av.open(str(file), "w", options=options) as container:
        stream = container.add_stream("mpeg4", rate=24)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for number in range(12):
            frame = av.VideoFrame.from_image(media_files.picture(96, 64).rotate(30 * number))
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return file.read_bytes()


def _with_box(content: bytes, path: tuple[bytes, ...], extra: bytes) -> bytes:
    """Append a box inside of the first box at this path; the media data has to lie before it."""
    if not path:
        return content + extra
    at = 0
    while at < len(content):
        size, name = struct.unpack(">I4s", content[at : at + 8])
        if name == path[0]:
            inner = _with_box(content[at + 8 : at + size], path[1:], extra)
            return content[:at] + media_files.box(name, inner) + content[at + size :]
        at += size
    raise LookupError(path)


def _element(name: str, content: bytes) -> bytes:
    return bytes.fromhex(name) + (1 << 56 | len(content)).to_bytes(8, "big") + content


async def _cleaned(folder: Path, content: bytes, file_type: FileType) -> bytes:
    file = folder / "file"
    file.write_bytes(content)
    result = await probe_process.probe(file, file_type, folder / "thumbnail")
    assert isinstance(result, ProbeResult), result
    assert result.changed is (file.read_bytes() != content)
    assert bool(result.changes) is result.changed
    return file.read_bytes()


@pytest.mark.parametrize("fragmented", [False, True], ids=["whole", "fragmented"])
async def test_every_unknown_box_of_a_movie_is_blanked_at_every_level(tmp_path: Path, *, fragmented: bool) -> None:
    """Cameras put places into uuid, meta, skip and free, and what comes next year has another name."""
    options = {"movflags": "frag_keyframe+empty_moov+default_base_moof"} if fragmented else {}
    movie = _movie(tmp_path, "mp4", **options)
    levels = [(), (b"moov",), *([] if fragmented else [_CONTAINERS[:depth] for depth in range(2, 6)])]
    names = (b"uuid", b"meta", b"skip", b"free", b"udta", b"new!")
    spoilt = movie
    for level in levels:
        for name in names:
            spoilt = _with_box(spoilt, level, media_files.box(name, bytes(16) + SECRET + b"+52.5200+013.4050/"))
    assert _frames(spoilt) == _frames(movie)

    cleaned = await _cleaned(tmp_path, spoilt, file_types.MP4)

    assert SECRET not in cleaned
    assert b"+52.5200" not in cleaned
    assert len(cleaned) == len(spoilt)
    assert _frames(cleaned) == _frames(movie)
    assert await _cleaned(tmp_path, cleaned, file_types.MP4) == cleaned


async def test_titles_names_and_padding_of_matroska_are_blanked(tmp_path: Path) -> None:
    file = tmp_path / "movie.mkv"
    movie = _movie(tmp_path, "mkv")
    with av.open(str(file)) as source, av.open(str(tmp_path / "named.mkv"), "w") as target:
        target.metadata["title"] = f"At home, {SECRET.decode()}"
        stream = target.add_stream_from_template(source.streams.video[0])
        stream.metadata["title"] = f"Track of {SECRET.decode()}"
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    spoilt = (tmp_path / "named.mkv").read_bytes() + _element("EC", SECRET) + _element("1043A770", SECRET * 20) + SECRET
    assert spoilt.count(SECRET) >= 24

    cleaned = await _cleaned(tmp_path, spoilt, file_types.MATROSKA)

    assert SECRET not in cleaned
    assert len(cleaned) == len(spoilt)
    assert _frames(cleaned) == _frames(movie)
    with av.open(io.BytesIO(cleaned)) as container:
        assert "title" not in container.metadata
        assert "title" not in container.streams.video[0].metadata
    assert await _cleaned(tmp_path, cleaned, file_types.MATROSKA) == cleaned


@pytest.mark.parametrize("extension", ["mp4", "mov", "mkv", "avi"])
async def test_a_video_plays_as_before(tmp_path: Path, extension: str) -> None:
    file_type = {"mp4": file_types.MP4, "mov": file_types.QUICKTIME, "mkv": file_types.MATROSKA, "avi": file_types.AVI}
    movie = _movie(tmp_path, extension)

    assert _frames(await _cleaned(tmp_path, movie, file_type[extension])) == _frames(movie)
