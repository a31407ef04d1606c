"""What a file becomes where a network would refuse it as it is. Pure: facts and a file in, a conversion out.

Images are encoded again. Of a video the streams are copied, if the network only wants another container; if it has too
many bytes or pixels, or a codec that cannot be copied, it is encoded again, as long as that does not take minutes. So
is a GIF, where the network shows GIFs as still images.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from msgspec import Struct

from signalpost.kit.frames import FrameLimits, Part
from signalpost.networks.contract import Facts, MediaRule, Outgoing, OutgoingMedia
from signalpost.networks.contract import Part as PostPart

ENCODED: Final = ("image/jpeg", "image/webp", "image/png")
"""The types that we write, the best first."""
_MP4: Final = "video/mp4"
_PACKAGES: Final = frozenset({"video/quicktime", "video/x-matroska"})
_VIDEO_CODECS: Final = frozenset({"h264", "hevc", "mpeg4"})
_AUDIO_CODECS: Final = frozenset({"aac", "mp3", None})
"""Of a video that can stand in an MP4 file as it is; None: it has no sound."""
_ENCODING_SECONDS_MAX: Final = 110.0
"""Of a processor; what takes longer is refused. These were measured on a slow one:"""
_PIXELS_DECODED_PER_SECOND: Final = 250_000_000
_PIXELS_ENCODED_PER_SECOND: Final = 60_000_000
_PIXELS_OF_SOURCE_MAX: Final = 4096 * 2304
_PIXELS_ENCODED_MAX: Final = 1920 * 1088
_PIXELS_ENCODED_MIN: Final = 320 * 180
_BITS_MIN: Final = 250_000
"""A second, of pictures and sound; less is not worth watching."""
_FRAMES_USUAL: Final = 30.0


class Fit(Struct, frozen=True, kw_only=True):
    """What a network needs of a file: one of these types, and at most so many bytes and pixels."""

    mime_types: tuple[str, ...]
    bytes_max: int
    frame: FrameLimits
    rules: tuple[str, ...]  # that the file breaks as it is: mime_type, max_bytes, max_pixels, max_short_side, ...
    encodes_video: bool = False  # it takes minutes, and is done by a job
    is_animation: bool = False  # a GIF becomes a video

    def apply(self, media: OutgoingMedia) -> OutgoingMedia:
        """Return the file as preflight has to see it: the conversion keeps these limits, or publishing fails."""
        mime_type = media.mime_type if media.mime_type in self.mime_types else self.mime_types[0]
        size_bytes = min(media.size_bytes, self.bytes_max)
        changed = replace(media, mime_type=mime_type, size_bytes=size_bytes, crop=None, focal=None)
        if self.is_animation:
            changed = replace(changed, kind="video", is_animation=True)
        if media.width is None or media.height is None:
            return changed
        width, height = self.frame.scaled(media.width, media.height)
        return replace(changed, width=width, height=height)

    def part(self, media: OutgoingMedia) -> Part | None:
        """Return what is left of a picture; None if nothing is cut off."""
        if media.kind != "image" or not media.width or not media.height:
            return None
        part = self.frame.part(media.width, media.height)
        return None if (part.width, part.height) == (media.width, media.height) else part


FIT: Final = "fit"
"""The option with which a post says that its pictures are cropped or padded to the shape that the network takes."""


def fit(facts: Facts, media: OutgoingMedia, options: Mapping[str, Any], *, auto: bool = True) -> Fit | None:
    """Return what has to be done with a file of a post with these options; None if nothing has to, or can be done.

    `auto`: whether a file is converted that the network would refuse. What a person cut is, in any case.
    """
    if not auto and media.crop is None:
        return None
    if media.kind == "video":
        return _video(facts.media.get("video"), media)
    if media.kind == "gif" and facts.gif_as_video:
        return _animation(facts.media.get("video"), media)
    needed = encodable(facts, media, options)
    return needed if needed is not None and needed.rules else None


def encodable(facts: Facts, media: OutgoingMedia, options: Mapping[str, Any]) -> Fit | None:
    """Return within which limits an image may be encoded again, even if it breaks no rule; None if it cannot be."""
    rule = facts.media.get(media.kind)
    if rule is None or media.kind != "image":
        return None
    mime_types = tuple(mime_type for mime_type in ENCODED if not rule.mime_types or mime_type in rule.mime_types)
    if not mime_types:
        return None
    reshape = options.get(FIT) if FIT in facts.options else None
    frame = replace(rule.frame, reshape=reshape) if reshape in ("pad", "crop") else rule.frame
    if not media.width or not media.height:
        return Fit(mime_types=mime_types, bytes_max=rule.bytes_max, frame=frame, rules=tuple(_broken(rule, media)))
    whole = media.width, media.height
    frame = replace(frame, crop=media.crop)
    _, _, width, height = frame.chosen(*whole)
    if (width, height) == whole:
        frame = replace(frame, crop=None)
    rules = [*_broken(rule, replace(media, width=width, height=height)), *(["crop"] if frame.crop else [])]
    if frame.shaped(*whole) != (width, height):
        rules.append("aspect_ratio")
        frame = replace(frame, focal=media.focal if reshape == "crop" else None)
    return Fit(mime_types=mime_types, bytes_max=rule.bytes_max, frame=frame, rules=tuple(rules))


def _video(rule: MediaRule | None, media: OutgoingMedia) -> Fit | None:
    """Return that a video has to be an MP4 file, and whether it has to be encoded again for that."""
    if rule is None or _MP4 not in rule.mime_types or not (rules := tuple(_broken(rule, media))):
        return None
    copied = media.mime_type in _PACKAGES and media.video_codec in _VIDEO_CODECS and media.audio_codec in _AUDIO_CODECS
    if copied and rules == ("mime_type",):
        return Fit(mime_types=(_MP4,), bytes_max=rule.bytes_max, frame=FrameLimits(), rules=rules)
    pixels_max = _pixels_encoded(rule, media)
    if pixels_max is None:
        return None
    frame = FrameLimits(pixels_max)
    return Fit(mime_types=(_MP4,), bytes_max=rule.bytes_max, frame=frame, rules=rules, encodes_video=True)


def _animation(rule: MediaRule | None, media: OutgoingMedia) -> Fit | None:
    """Return that an animated GIF becomes a video; one of a single frame, which has no duration, stays what it is."""
    pixels_max = None if rule is None else _pixels_encoded(rule, media)
    if rule is None or pixels_max is None:
        return None
    return Fit(
        mime_types=(_MP4,), bytes_max=rule.bytes_max, frame=FrameLimits(pixels_max), rules=("kind",),
        encodes_video=True, is_animation=True,
    )  # fmt: skip


def _pixels_encoded(rule: MediaRule, media: OutgoingMedia) -> int | None:
    """Return how many pixels a frame may have so that encoding takes no longer than it may; None: it cannot be done."""
    if media.width is None or media.height is None or not media.duration_ms:
        return None
    seconds, area = media.duration_ms / 1000, media.width * media.height
    frames = seconds * (media.fps or _FRAMES_USUAL)
    too_long = rule.duration_ms_max is not None and media.duration_ms > rule.duration_ms_max  # and is not cut
    if too_long or area > _PIXELS_OF_SOURCE_MAX or rule.bytes_max * 8 / (seconds + 1) < _BITS_MIN:
        return None
    left = _ENCODING_SECONDS_MAX - frames * area / _PIXELS_DECODED_PER_SECOND
    affordable = int(left * _PIXELS_ENCODED_PER_SECOND / frames)
    if affordable < min(area, _PIXELS_ENCODED_MIN):
        return None
    width, height = rule.frame.scaled(media.width, media.height)
    return min(affordable, width * height, _PIXELS_ENCODED_MAX)


def _broken(rule: MediaRule, media: OutgoingMedia) -> list[str]:
    broken = []
    if rule.mime_types and media.mime_type not in rule.mime_types:
        broken.append("mime_type")
    if media.size_bytes > rule.bytes_max:
        broken.append("max_bytes")
    frame = frame_bounds(rule, media)
    return broken + [name for name, (actual, limit) in frame.items() if limit is not None and actual > limit]


def frame_bounds(rule: MediaRule, media: OutgoingMedia) -> Mapping[str, tuple[int, int | None]]:
    """Return the rules of width and height, each with what the file has and the limit; none if nobody knows them."""
    if media.width is None or media.height is None:
        return {}
    return {
        "max_pixels": (media.width * media.height, rule.pixels_max),
        "max_short_side": (min(media.width, media.height), rule.side_short_max),
        "max_long_side": (max(media.width, media.height), rule.side_long_max),
    }


def fitted(facts: Facts, outgoing: Outgoing, *, auto: bool = True) -> Outgoing:
    """Return a post whose files are as they will be after their conversions."""
    if not any(fit(facts, media, outgoing.options, auto=auto) for part in outgoing.parts for media in part.media):
        return outgoing

    def fitted_media(media: OutgoingMedia) -> OutgoingMedia:
        needed = fit(facts, media, outgoing.options, auto=auto)
        return media if needed is None else needed.apply(media)

    parts = tuple(PostPart(text=part.text, media=tuple(map(fitted_media, part.media))) for part in outgoing.parts)
    return replace(outgoing, parts=parts)
