"""A video or a GIF encoded as H.264 and AAC in an MP4 file, so that a network with narrow limits takes it."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import IO, Any, Final

import av
from av.audio.resampler import AudioResampler
from av.error import BlockingIOError as NoFrameYet
from av.error import EOFError as NoMoreFrames
from av.error import FFmpegError
from av.filter import Graph

from signalpost.media.file_types import FileType
from signalpost.media.probe.errors import InvalidFile, damaged, too_large
from signalpost.media.probe.images import PIXELS_MAX
from signalpost.media.probe.videos import MODULES

_MODULES = (*MODULES, AudioResampler, Graph)  # all that PyAV would import later
MIME_TYPE: Final = "video/mp4"
_SIZE_SHARE: Final = 0.92  # of the bytes that are allowed; the rest is for the container
_BUFFER_SECONDS: Final = 1  # for which the encoder may exceed its bit rate
_PIXELS_MAX: Final = 1920 * 1088  # of a frame: what fits into the memory of the process
_SOUND_BITS: Final = (128_000, 64_000)  # a second
_SOUND_RATE: Final = 48_000
_PICTURE_BITS_MIN: Final = 150_000  # a second; less is not worth watching
_BITS_PER_PIXEL: Final = 0.05  # of one frame; with less the picture is made smaller
_BITS_PER_PIXEL_MAX: Final = 0.25
_FRAMES_MAX: Final = 60  # a second
_TURNS: Final = {90: ("cclock",), 180: ("clock", "clock"), 270: ("clock",)}
"""Rotation of the frames as they are shown, against the clock -> how they are turned."""


def encode(
    file: IO[bytes], file_type: FileType, output: IO[bytes], spec: dict[str, Any], _watermark: IO[bytes] | None
) -> dict[str, Any]:
    """Write the first video stream and the first audio stream with at most `bytes_max` bytes and the pixels of `frame`.

    Returns:
        Its type, width, height and codecs.

    Raises:
        InvalidFile: it is damaged, or cannot be made small enough.
    """
    options = {"protocol_whitelist": "none"}
    try:
        with av.open(file, "r", format=file_type.decoder.lower(), options=options, metadata_errors="ignore") as source:
            encoding = _Encoding(source, spec)
            encoding.write(output)
    except (FFmpegError, ValueError, IndexError, OSError) as error:
        raise damaged() from error
    if output.tell() > spec["bytes_max"]:
        raise _too_small(spec["bytes_max"])
    return {
        "mime_type": MIME_TYPE,
        "width": encoding.width,
        "height": encoding.height,
        "video_codec": "h264",
        "audio_codec": "aac" if encoding.sound else None,
    }


def _too_small(bytes_max: int) -> InvalidFile:
    return InvalidFile("out_of_range", f"The video cannot be made as small as {bytes_max} bytes.")


class _Encoding:
    """What is read, and how it is to be written."""

    def __init__(self, source: Any, spec: dict[str, Any]) -> None:
        self._source = source
        self.picture = source.streams.video[0]
        self.sound = next(iter(source.streams.audio), None)
        context = self.picture.codec_context
        if context.width * context.height > PIXELS_MAX:
            raise too_large(f"A video frame may have at most {PIXELS_MAX // 1_000_000} million pixels.")
        for stream in (self.picture, *([self.sound] if self.sound else [])):
            stream.codec_context.thread_count = 1
        rate = self.picture.average_rate or self.picture.guessed_rate or 25
        self._rate = min(Fraction(rate).limit_denominator(1001), Fraction(_FRAMES_MAX))
        self._sound_bits, self._picture_bits = self._bits(spec["bytes_max"])
        self._pixels_max = min(
            spec["frame"]["pixels_max"] or _PIXELS_MAX,
            _PIXELS_MAX,
            int(self._picture_bits / (_BITS_PER_PIXEL * float(self._rate))),
        )
        self.width = self.height = 0

    def _bits(self, bytes_max: int) -> tuple[int, int]:
        """Return how many bits a second of sound and of pictures may have."""
        seconds = (self._source.duration or 0) / 1_000_000
        if seconds <= 0:
            raise damaged("This video does not say how long it is.")
        bits = int(bytes_max * 8 * _SIZE_SHARE / (seconds + _BUFFER_SECONDS))
        for sound in _SOUND_BITS if self.sound else (0,):
            if bits - sound >= _PICTURE_BITS_MIN:
                return sound, bits - sound
        raise _too_small(bytes_max)

    def write(self, output: IO[bytes]) -> None:
        """Decode and encode, packet by packet."""
        frames = self._frames()
        first = next(frames, None)
        if first is None:
            raise damaged("No frame of this video can be decoded.")
        self.width, self.height = first.width, first.height
        bits = min(self._picture_bits, int(_BITS_PER_PIXEL_MAX * self.width * self.height * self._rate))
        with av.open(output, "w", format="mp4") as target:
            bounds = {"crf": "21", "maxrate": str(bits), "bufsize": str(bits * _BUFFER_SECONDS)}
            options = {"preset": "veryfast", "threads": "1", **bounds}
            picture: Any = target.add_stream("libx264", rate=self._rate, options=options)
            picture.width, picture.height, picture.pix_fmt = self.width, self.height, "yuv420p"
            sound: Any = None
            if self.sound is not None:
                sound = target.add_stream("aac", rate=_SOUND_RATE, layout="stereo")
                sound.bit_rate = self._sound_bits
            target.mux(picture.encode(first))
            for frame in frames:
                if isinstance(frame, av.VideoFrame):
                    target.mux(picture.encode(frame))
                else:
                    target.mux(sound.encode(frame))
            for stream in filter(None, (picture, sound)):
                target.mux(stream.encode())

    def _frames(self) -> Iterator[Any]:
        """Yield the first picture as it is to be encoded, then all other pictures and the sound."""
        graph: Graph | None = None
        waiting: list[Any] | None = []  # sound before the first picture
        resampler = AudioResampler(format="fltp", layout="stereo", rate=_SOUND_RATE)
        chosen = [stream for stream in (self.picture, self.sound) if stream is not None]
        for packet in self._source.demux(chosen):
            for frame in packet.decode():
                if isinstance(frame, av.AudioFrame):
                    sound = resampler.resample(frame)
                    if waiting is None:
                        yield from sound
                    else:
                        waiting += sound
                    continue
                graph = graph or self._graph(frame)
                graph.push(frame)
                for picture in _pulled(graph):
                    yield picture
                    yield from waiting or ()
                    waiting = None
        if graph is not None:
            graph.push(None)
            yield from _pulled(graph)
            yield from waiting or ()
            yield from resampler.resample(None)

    def _graph(self, frame: Any) -> Graph:
        """Return the filters that turn, scale and time the pictures."""
        graph = Graph()
        graph.threads = 1
        turns = _TURNS.get(round(frame.rotation) % 360, ())
        width, height = (frame.height, frame.width) if len(turns) == 1 else (frame.width, frame.height)
        factor = min(1.0, math.sqrt(self._pixels_max / (width * height)))
        width, height = (max(2, int(side * factor) // 2 * 2) for side in (width, height))
        steps = [graph.add_buffer(template=self.picture)]
        steps += [graph.add("transpose", direction) for direction in turns]
        steps += [
            graph.add("scale", f"{width}:{height}"),
            graph.add("setsar", "1"),
            graph.add("fps", str(self._rate)),
            graph.add("format", "yuv420p"),
            graph.add("buffersink"),
        ]
        graph.link_nodes(*steps).configure()
        return graph


def _pulled(graph: Graph) -> Iterator[Any]:
    while True:
        try:
            yield graph.vpull()
        except (NoFrameYet, NoMoreFrames):
            return
