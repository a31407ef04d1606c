"""Videos: tags are blanked, streams are read, the first frame is decoded."""

import io
from typing import IO, Any

import av
from av.audio.codeccontext import AudioCodecContext
from av.audio.stream import AudioStream
from av.error import FFmpegError
from av.subtitles.codeccontext import SubtitleCodecContext
from av.subtitles.stream import SubtitleStream
from av.video.frame import VideoFrame
from PIL import Image

from signalpost.media.file_types import FileType
from signalpost.media.probe import boxes, tags
from signalpost.media.probe.errors import damaged, too_large
from signalpost.media.probe.images import PIXELS_MAX, save_thumbnail

_PACKETS_MAX = 500  # within which the first frame must come
_INT_MAX = 2**31 - 1
_PART_BYTES = 16 * 1024 * 1024  # of these, the largest file has a few hundred
MODULES = (AudioCodecContext, AudioStream, SubtitleCodecContext, SubtitleStream)
"""PyAV would import them when it meets the first stream that needs them; by then no module can be imported."""
_BLANK = {"mov": boxes.blank_movie, "matroska": tags.blank_matroska, "avi": tags.blank_avi}


class _Watched(io.RawIOBase):
    """A file that notes which of its parts are written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._changed: set[int] = set()

    @property
    def changes(self) -> list[tuple[int, int]]:
        """The offsets between which bytes may have changed."""
        return [(part * _PART_BYTES, (part + 1) * _PART_BYTES) for part in sorted(self._changed)]

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def write(self, data: Any) -> int:
        at = self._file.tell()
        self._changed.update(range(at // _PART_BYTES, (at + len(data)) // _PART_BYTES + 1))
        return self._file.write(data)


def examine(file: IO[bytes], file_type: FileType, thumbnail: IO[bytes]) -> dict[str, Any]:
    """Remove metadata in place, write a thumbnail; return the fields of `ProbeResult`.

    Raises:
        InvalidFile: it is damaged, or its frames are too large.
    """
    watched: Any = _Watched(file)
    changed = _BLANK[file_type.decoder](watched)
    file.seek(0)
    try:
        # The demuxer is named and may open nothing itself, so no playlist or reference leads it elsewhere.
        with av.open(
            file, format=file_type.decoder, options={"protocol_whitelist": "none"}, metadata_errors="ignore"
        ) as container:
            return {"changed": changed, "changes": watched.changes} | _describe(container, thumbnail)
    except (FFmpegError, ValueError, IndexError, OSError) as error:
        raise damaged() from error


def _describe(container: Any, thumbnail: IO[bytes]) -> dict[str, Any]:
    stream = next(iter(container.streams.video), None)
    if stream is None:
        raise damaged("This video has no video stream.")
    context = stream.codec_context
    if context is None or not context.width or not context.height:
        raise damaged("The video stream has a format that cannot be read.")
    if context.width * context.height > PIXELS_MAX:
        raise too_large(f"A video frame may have at most {PIXELS_MAX // 1_000_000} million pixels.")
    context.thread_count = 1
    frame = _first_frame(container, stream)
    image: Image.Image = frame.to_image()  # type: ignore[no-untyped-call]
    save_thumbnail(image, thumbnail)
    rotated = abs(getattr(frame, "rotation", 0)) % 180 == 90
    width, height = (frame.height, frame.width) if rotated else (frame.width, frame.height)
    duration = container.duration / 1000 if container.duration else None
    if duration is None and stream.duration and stream.time_base:
        duration = float(stream.duration * stream.time_base) * 1000
    audio = next(iter(container.streams.audio), None)
    rate = stream.average_rate or stream.guessed_rate
    return {
        "width": width,
        "height": height,
        "duration_ms": round(duration) if duration and 0 < duration < _INT_MAX else None,
        "fps": round(float(rate), 3) if rate and 0 < rate < 1_000_000 else None,
        "video_codec": context.name[:40],
        "audio_codec": audio.codec_context.name[:40] if audio is not None and audio.codec_context else None,
    }


def _first_frame(container: Any, stream: Any) -> VideoFrame:
    for count, packet in enumerate(container.demux(stream)):
        for frame in packet.decode():
            return frame  # type: ignore[no-any-return]
        if count > _PACKETS_MAX:
            break
    raise damaged("No frame of this video can be decoded.")
