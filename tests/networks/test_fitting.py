"""What a file becomes for a network that would refuse it: by its facts, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from signalpost.conformance.harness import outgoing
from signalpost.kit.frames import FrameLimits
from signalpost.networks import CONNECTORS, fitting, preflight
from signalpost.networks.contract import Facts, MediaRule, OutgoingMedia, TextRule

RULE = MediaRule(per_post=4, bytes_max=1_000, mime_types=("image/jpeg", "image/png"), pixels_max=10_000)
VIDEO_RULE = MediaRule(
    per_post=1, bytes_max=10_000_000, mime_types=("video/mp4",), pixels_max=500_000, duration_ms_max=200_000
)
FACTS = Facts(
    key="example", name="Example", source="here", verified_on="2026-11-21", text=TextRule(max_length=9),
    media={"image": RULE, "video": VIDEO_RULE},
)  # fmt: skip
GOOD = OutgoingMedia(
    kind="image",
    mime_type="image/png",
    size_bytes=900,
    sha256=b"",
    width=90,
    height=100,
    read=lambda: iter(()),  # type: ignore[arg-type, return-value] # never read
)
VIDEO = {
    "kind": "video", "mime_type": "video/quicktime", "size_bytes": 9, "video_codec": "h264", "audio_codec": "aac",
}  # fmt: skip
CASES: dict[str, tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]] = {
    "nothing": ({}, (), {}),
    "another type": ({"mime_type": "image/heic"}, ("mime_type",), {"mime_type": "image/jpeg"}),
    "too many bytes": ({"size_bytes": 1_001}, ("max_bytes",), {"size_bytes": 1_000}),
    "too many pixels": ({"width": 200, "height": 200}, ("max_pixels",), {"width": 100, "height": 100}),
    "unknown pixels": ({"width": None}, (), {}),
    "everything": (
        {"mime_type": "image/avif", "size_bytes": 9_999, "width": 1_000, "height": 10},
        ("mime_type", "max_bytes"),
        {"mime_type": "image/jpeg", "size_bytes": 1_000},
    ),
    "a video": ({"kind": "video", "mime_type": "video/mp4", "size_bytes": 9}, (), {}),
    "a video in another container": (VIDEO, ("mime_type",), {"mime_type": "video/mp4"}),
    "a video without sound": (VIDEO | {"audio_codec": None}, ("mime_type",), {"mime_type": "video/mp4"}),
    "a video nobody knows the length of": (VIDEO | {"size_bytes": 10_000_001}, (), {}),
    "a kind that the network lacks": ({"kind": "document"}, (), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_converted_for_the_rules_that_it_breaks(name: str) -> None:
    changed, rules, after = CASES[name]
    media = replace(GOOD, **changed)

    needed = fitting.fit(FACTS, media, {})

    assert (needed.rules if needed else ()) == rules
    assert (needed.apply(media) if needed else media) == replace(media, **after)
    assert needed is None or fitting.fit(FACTS, needed.apply(media), {}) is None


@pytest.mark.parametrize(
    ("gif_as_video", "duration_ms", "becomes"), [(True, 1_200, "video"), (True, None, "gif"), (False, 1_200, "gif")]
)
def test_an_animated_gif_becomes_a_video_where_the_network_shows_none(
    *, gif_as_video: bool, duration_ms: int | None, becomes: str
) -> None:
    facts = replace(FACTS, gif_as_video=gif_as_video)
    media = replace(GOOD, kind="gif", mime_type="image/gif", duration_ms=duration_ms)

    (after,) = fitting.fitted(facts, outgoing("x", media=(media,))).media

    assert (after.kind, after.is_animation) == (becomes, becomes == "video")
    assert after.mime_type == ("video/mp4" if becomes == "video" else "image/gif")
    connector = replace(CONNECTORS["sandbox"], facts=replace(facts, text=TextRule(max_length=9)))
    issues = [issue.rule for issue in preflight.check(connector, outgoing("x", media=(after,)), {})]
    assert issues == ([] if becomes == "video" else ["example.media.kind"])


def test_a_network_with_types_that_we_do_not_write_gets_nothing_else() -> None:
    facts = replace(FACTS, media={"image": replace(RULE, mime_types=("image/bmp",))})

    assert fitting.fit(facts, GOOD, {}) is None


SIDES = FrameLimits(side_short_max=1_080, side_long_max=1_920)


@pytest.mark.parametrize(
    ("frame", "size", "after"),
    [
        (SIDES, (4032, 3024), (1440, 1080)),
        (SIDES, (3024, 4032), (1080, 1440)),
        (SIDES, (1254, 1254), (1080, 1080)),
        (SIDES, (1086, 1448), (1080, 1440)),
        (SIDES, (4000, 1000), (1920, 480)),
        (SIDES, (941, 1672), (941, 1672)),
        (SIDES, (1920, 1080), (1920, 1080)),
        (FrameLimits(1_000_000, 1_080, 1_920), (4032, 3024), (1154, 866)),
    ],
)
def test_a_frame_is_made_smaller_until_it_keeps_every_limit(
    frame: FrameLimits, size: tuple[int, int], after: tuple[int, int]
) -> None:
    assert frame.scaled(*size) == after
    assert frame.scaled(*after) == after


def test_a_thin_image_keeps_a_pixel_in_each_direction() -> None:
    assert FrameLimits(100).scaled(100_000, 1) == (3_162, 1)


@pytest.mark.parametrize("size", [(4032, 3024), (3024, 4032), (1254, 1254), (1920, 1921)])
def test_a_photo_of_a_phone_becomes_one_that_tiktok_takes(size: tuple[int, int]) -> None:
    facts = CONNECTORS["tiktok"].facts
    photo = replace(GOOD, mime_type="image/jpeg", width=size[0], height=size[1])

    needed = fitting.fit(facts, photo, {})

    assert needed is not None
    assert set(needed.rules) <= {"max_short_side", "max_long_side"}
    assert fitting.fit(facts, needed.apply(photo), {}) is None


def test_the_sides_of_a_video_bound_the_pixels_that_are_encoded() -> None:
    facts = replace(FACTS, media={"video": replace(VIDEO_RULE, pixels_max=None, side_short_max=180)})

    needed = fitting.fit(facts, replace(GOOD, **VIDEO | {"width": 640, "height": 360, "duration_ms": 1_000}), {})

    assert needed is not None
    assert needed.frame == FrameLimits(320 * 180)


MINUTE = {**VIDEO, "width": 800, "height": 600, "duration_ms": 60_000, "fps": 30.0}
ENCODED: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "too many bytes": ({"size_bytes": 10_000_001, "mime_type": "video/mp4"}, ("max_bytes",)),
    "another container, too many bytes": ({"size_bytes": 10_000_001}, ("mime_type", "max_bytes")),
    "too many pixels": ({"width": 1920, "height": 1080}, ("mime_type", "max_pixels")),
    "pictures that cannot be copied": ({"video_codec": "vp9"}, ("mime_type",)),
    "a sound that cannot be copied": ({"audio_codec": "opus"}, ("mime_type",)),
    "a container with other timestamps": ({"mime_type": "video/x-msvideo"}, ("mime_type",)),
    "an unknown frame rate": ({"mime_type": "video/webm", "fps": None}, ("mime_type",)),
}
NOT_ENCODED: dict[str, dict[str, Any]] = {
    "longer than the network takes": {"duration_ms": 200_001},
    "so long that too few bytes are left for a second": {"duration_ms": 400_000},
    "of unknown length": {"duration_ms": None},
    "of unknown size": {"width": None},
    "larger than can be decoded here": {"width": 7680, "height": 4320},
    "work for many minutes": {"width": 3840, "height": 2160, "fps": 60.0, "duration_ms": 199_000},
}


@pytest.mark.parametrize("name", ENCODED)
def test_a_video_is_encoded_for_the_rules_that_it_breaks(name: str) -> None:
    changed, rules = ENCODED[name]
    media = replace(GOOD, **{**MINUTE, **changed})

    needed = fitting.fit(FACTS, media, {})

    assert needed is not None
    assert (needed.encodes_video, needed.rules) == (True, rules)
    after = needed.apply(media)
    assert fitting.fit(FACTS, after, {}) is None
    assert (after.width or 0) * (after.height or 0) <= 500_000


@pytest.mark.parametrize("name", NOT_ENCODED)
def test_a_video_that_cannot_be_encoded_is_left_to_preflight(name: str) -> None:
    limits = replace(VIDEO_RULE, duration_ms_max=None) if "few bytes" in name else VIDEO_RULE
    facts = replace(FACTS, media={"video": limits})
    media = replace(GOOD, **{**MINUTE, "size_bytes": 10_000_001, **NOT_ENCODED[name]})

    assert fitting.fit(facts, media, {}) is None


def test_a_long_video_is_made_smaller_so_that_it_takes_no_longer() -> None:
    facts = replace(FACTS, media={"video": replace(VIDEO_RULE, bytes_max=10**9, pixels_max=None)})
    sizes = []
    for seconds in (30, 100, 180):
        media = replace(GOOD, **{**MINUTE, "width": 1920, "height": 1080, "duration_ms": seconds * 1_000})
        needed = fitting.fit(facts, replace(media, mime_type="video/webm"), {})
        assert needed is not None
        sizes.append(needed.apply(media).width)
    assert sizes[0] == 1920
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


UPRIGHT, WIDE = (1080, 1920), (3000, 1000)
SHAPES = FrameLimits(ratio_min=0.75, ratio_max=1.91)


@pytest.mark.parametrize(
    ("reshape", "size", "after"),
    [
        ("crop", UPRIGHT, (1080, 1440)),
        ("pad", UPRIGHT, (1440, 1920)),
        ("crop", WIDE, (1910, 1000)),
        ("pad", WIDE, (3000, 1571)),
        ("crop", (3024, 4032), (3024, 4032)),
        ("pad", (1910, 1000), (1910, 1000)),
        ("crop", (1, 5_000), (1, 1)),
        (None, UPRIGHT, UPRIGHT),
    ],
)
def test_a_picture_gets_the_nearest_shape(reshape: Any, size: tuple[int, int], after: tuple[int, int]) -> None:
    frame = replace(SHAPES, reshape=reshape)

    assert frame.scaled(*size) == after
    assert frame.scaled(*after) == after
    small = replace(frame, side_long_max=500)
    assert max(small.scaled(*size)) <= 500


@pytest.mark.parametrize("how", ["pad", "crop"])
@pytest.mark.parametrize("size", [UPRIGHT, WIDE])
def test_a_picture_is_cropped_or_padded_only_if_the_post_says_so(size: tuple[int, int], how: str) -> None:
    instagram = CONNECTORS["instagram"]
    picture = replace(GOOD, mime_type="image/jpeg", width=size[0], height=size[1], url=lambda: "https://example.com/x")
    post = outgoing("x", media=(picture,))

    refused = preflight.check(instagram, fitting.fitted(instagram.facts, post), {})
    assert [issue.rule for issue in refused] == ["instagram.media.aspect_ratio"]
    fitted = fitting.fitted(instagram.facts, replace(post, options={"fit": how}))
    assert [issue for issue in preflight.check(instagram, fitted, {}) if issue.severity == "error"] == []
    needed = fitting.fit(instagram.facts, picture, {"fit": how})
    assert needed is not None
    assert needed.rules == ("aspect_ratio",)
    story = preflight.check(instagram, replace(post, options={"fit": how, "type": "story"}, parts=post.parts), {})
    assert "instagram.options.type_mismatch" in [issue.rule for issue in story]
