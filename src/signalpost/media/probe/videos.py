"""Videos: tags blanked out, streams read, the first picture decoded."""

from pathlib import Path
from typing import Any

import av
from av.error import FFmpegError
from av.video.frame import VideoFrame
from PIL import Image

from signalpost.media.file_types import FileType
from signalpost.media.probe import boxes, tags
from signalpost.media.probe.errors import damaged, too_big
from signalpost.media.probe.images import PIXELS_MAX, save_thumbnail

_PACKETS_MAX = 500  # until the first picture must have come
_INT_MAX = 2**31 - 1
_BLANK = {"mov": boxes.blank_movie, "matroska": tags.blank_matroska, "avi": tags.blank_avi}


def examine(file: Path, found: FileType, thumbnail: Path) -> dict[str, Any]:
    """Clean the file in place, write a thumbnail; return what is known of it.

    Raises:
        Rejected
    """
    with file.open("r+b") as opened:
        changed = _BLANK[found.decoder](opened)
    try:
        # The demuxer is named and only plain files may be opened: no playlist or reference leads it elsewhere.
        with av.open(
            str(file), format=found.decoder, options={"protocol_whitelist": "file"}, metadata_errors="ignore"
        ) as container:
            return {"changed": changed} | _describe(container, thumbnail)
    except (FFmpegError, ValueError, IndexError, OSError) as error:
        raise damaged() from error


def _describe(container: Any, thumbnail: Path) -> dict[str, Any]:
    stream = next(iter(container.streams.video), None)
    if stream is None:
        raise damaged("There is no picture in this video.")
    context = stream.codec_context
    if context is None or not context.width or not context.height:
        raise damaged("The pictures of this video are in a form that cannot be read.")
    if context.width * context.height > PIXELS_MAX:
        raise too_big(f"A picture has at most {PIXELS_MAX // 1_000_000} million pixels.")
    context.thread_count = 1
    frame = _first_frame(container, stream)
    picture: Image.Image = frame.to_image()  # type: ignore[no-untyped-call]
    save_thumbnail(picture, thumbnail)
    turned = abs(getattr(frame, "rotation", 0)) % 180 == 90
    width, height = (frame.height, frame.width) if turned else (frame.width, frame.height)
    duration = container.duration / 1000 if container.duration else None
    if duration is None and stream.duration and stream.time_base:
        duration = float(stream.duration * stream.time_base) * 1000
    audio = next(iter(container.streams.audio), None)
    rate = stream.average_rate or stream.guessed_rate
    return {
        "width": width,
        "height": height,
        "durationMs": round(duration) if duration and 0 < duration < _INT_MAX else None,
        "fps": round(float(rate), 3) if rate and 0 < rate < 1_000_000 else None,
        "videoCodec": context.name[:40],
        "audioCodec": audio.codec_context.name[:40] if audio is not None and audio.codec_context else None,
    }


def _first_frame(container: Any, stream: Any) -> VideoFrame:
    for count, packet in enumerate(container.demux(stream)):
        for frame in packet.decode():
            return frame  # type: ignore[no-any-return]
        if count > _PACKETS_MAX:
            break
    raise damaged("No picture of this video can be shown.")
