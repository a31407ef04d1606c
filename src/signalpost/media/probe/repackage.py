"""A video in another container: its streams are copied, not encoded again."""

from collections.abc import Iterator, Sequence
from typing import IO, Any

import av
from av.container import InputContainer
from av.error import FFmpegError

from signalpost.media.file_types import FileType
from signalpost.media.probe.errors import InvalidFile, damaged
from signalpost.media.probe.videos import MODULES

_Packet = Any  # PyAV's class has parameters in its stubs only
_MODULES = MODULES  # all that PyAV would import later
_FORMATS = {"video/mp4": "mp4"}
_UNDATED_MAX = 32  # a codec holds back at most 16 frames to put them in order


def repackage(
    file: IO[bytes], file_type: FileType, output: IO[bytes], spec: dict[str, Any], _watermark: IO[bytes] | None
) -> dict[str, Any]:
    """Write the first video stream and the first audio stream into the container that `spec` wants.

    Returns:
        Its type, width and height.

    Raises:
        InvalidFile: it is damaged, or a stream cannot stand in this container.
    """
    mime_type = spec["mime_types"][0]
    options = {"protocol_whitelist": "none"}
    try:
        with av.open(file, "r", format=file_type.decoder, options=options, metadata_errors="ignore") as source:
            _copy_streams(source, output, _FORMATS[mime_type])
            context = source.streams.video[0].codec_context
            width, height = context.width, context.height
    except (FFmpegError, ValueError, IndexError, OSError) as error:
        raise damaged() from error
    if output.tell() > spec["bytes_max"]:
        raise InvalidFile("out_of_range", f"In another container the video is larger than {spec['bytes_max']} bytes.")
    return {"mime_type": mime_type, "width": width, "height": height}


def _copy_streams(source: InputContainer, output: IO[bytes], container_format: str) -> None:
    chosen: list[Any] = [*source.streams.video[:1], *source.streams.audio[:1]]
    with av.open(output, "w", format=container_format) as target:
        copies = {stream.index: target.add_stream_from_template(stream) for stream in chosen}
        for packet in _packets(source, chosen):
            packet.stream = copies[packet.stream.index]
            target.mux(packet)


def _packets(source: InputContainer, chosen: Sequence[Any]) -> Iterator[_Packet]:
    """Yield all packets, each with the time at which it is to be decoded.

    Matroska does not store it. FFmpeg finds it, but for the first packets of a stream whose frames are not in order.
    """
    undated: dict[int, list[_Packet]] = {stream.index: [] for stream in chosen}
    for packet in source.demux(chosen):
        if packet.dts is not None:
            yield from _dated(undated.pop(packet.stream.index, []), packet.dts)
            yield packet
        elif packet.size:  # else it is the mark of the end
            waiting = undated.get(packet.stream.index)
            if waiting is None or len(waiting) == _UNDATED_MAX:
                raise damaged()
            waiting.append(packet)
    for waiting in undated.values():
        yield from _dated(waiting, min((packet.pts for packet in waiting if packet.pts is not None), default=0))


def _dated(packets: Sequence[_Packet], following: int) -> Sequence[_Packet]:
    """Count the times of these packets back from that of the one that follows them."""
    for packet in reversed(packets):
        following -= packet.duration or 1
        packet.dts = following
    return packets
