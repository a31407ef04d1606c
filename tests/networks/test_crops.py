"""Which part of a picture is left: what a person chose, and what the shape of the network takes from that."""

from dataclasses import replace
from typing import Any

import pytest
from PIL import Image, ImageOps

from signalpost.conformance.harness import outgoing
from signalpost.kit.frames import FrameLimits
from signalpost.networks import CONNECTORS, fitting, preflight
from signalpost.networks.contract import OutgoingMedia

PHOTO = OutgoingMedia(
    kind="image", mime_type="image/jpeg", size_bytes=900, sha256=b"", width=1080, height=1920,
    read=lambda: iter(()), url=lambda: "https://example.com/x",  # type: ignore[arg-type, return-value] # never read
)  # fmt: skip
WHOLE = (0.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("crop", "size", "part"),
    [
        (None, (400, 300), (0, 0, 400, 300)),
        (WHOLE, (400, 300), (0, 0, 400, 300)),
        ((0.25, 0.5, 0.5, 0.5), (400, 300), (100, 150, 200, 150)),
        ((1 / 3, 0, 1 / 3, 1), (100, 10), (33, 0, 34, 10)),
        ((0.5, 0.5, 0.5000001, 0.5000001), (401, 301), (200, 150, 201, 151)),
        ((1.0, 1.0, 0.1, 0.1), (400, 300), (399, 299, 1, 1)),
        ((0.4, 0.4, 0.0001, 0.0001), (400, 300), (160, 120, 1, 1)),
        ((0.9, 0.0, 0.2, 1.0), (1, 1), (0, 0, 1, 1)),
    ],
)
def test_the_chosen_part_is_whole_pixels_within_the_picture(
    crop: tuple[float, ...] | None, size: tuple[int, int], part: tuple[int, int, int, int]
) -> None:
    frame = FrameLimits(crop=crop)

    assert tuple(frame.part(*size)) == part
    assert frame.scaled(*size) == part[2:], "never larger than it is"
    assert max(replace(frame, side_long_max=50).scaled(*size)) <= 50


@pytest.mark.parametrize("size", [(1080, 1920), (3000, 1000), (101, 400), (7, 3), (1, 50)])
@pytest.mark.parametrize("focal", [(0.5, 0.5), (0, 0), (1, 1), (0.3, 0.9), (0.999, 0.001)])
def test_a_shape_is_cut_beside_the_focal_point(size: tuple[int, int], focal: tuple[float, float]) -> None:
    """As Pillow centres a picture in a box of that shape, to a pixel, whenever the point can stand in its middle."""
    frame = FrameLimits(ratio_min=0.75, ratio_max=1.91, reshape="crop", focal=focal)

    left, top, width, height = frame.part(*size)

    assert (width, height) == frame.shaped(*size)
    assert 0 <= left <= size[0] - width
    assert 0 <= top <= size[1] - height
    for start, length, whole, share in ((left, width, size[0], focal[0]), (top, height, size[1], focal[1])):
        ideal = min(max(share * whole - length / 2, 0), whole - length)
        assert abs(start - ideal) < 1, (start, ideal)


@pytest.mark.parametrize("size", [(300, 900), (900, 300), (640, 480)])
def test_the_middle_is_what_pillow_cuts(size: tuple[int, int]) -> None:
    """The referee is `ImageOps.fit`, which gets the same size, so that it only cuts."""
    picture = Image.effect_noise(size, 90)
    frame = FrameLimits(ratio_min=1.0, ratio_max=1.0, reshape="crop")

    left, top, width, height = frame.part(*size)

    expected = ImageOps.fit(picture, (width, height), method=Image.Resampling.NEAREST)
    assert picture.crop((left, top, left + width, top + height)).tobytes() == expected.tobytes()


def test_a_shape_takes_nothing_from_outside_of_what_was_chosen() -> None:
    lower_half = FrameLimits(ratio_min=1.0, ratio_max=1.0, reshape="crop", crop=(0, 0.5, 1, 0.5))

    assert tuple(lower_half.part(400, 1600)) == (0, 1000, 400, 400), "the middle of the part, not of the picture"
    assert tuple(replace(lower_half, focal=(0.5, 0)).part(400, 1600)) == (0, 800, 400, 400)
    assert tuple(replace(lower_half, focal=(0.5, 1)).part(400, 1600)) == (0, 1200, 400, 400)
    assert replace(lower_half, reshape="pad").part(400, 1600) == (0, 800, 400, 800)


@pytest.mark.parametrize("key", sorted(key for key in CONNECTORS if "image" in CONNECTORS[key].facts.media))
def test_every_network_with_images_is_sent_the_part(key: str) -> None:
    """With and without conversions of its own: what a person chose is no matter of taste."""
    facts = CONNECTORS[key].facts
    picture = replace(PHOTO, crop=(0.25, 0.25, 0.5, 0.5))

    for auto in (True, False):
        needed = fitting.fit(facts, picture, {}, auto=auto)
        assert needed is not None
        assert "crop" in needed.rules
        after = needed.apply(picture)
        assert ((after.width or 0) <= 540, (after.height or 0) <= 960, after.crop) == (True, True, None)
        assert fitting.fit(facts, replace(picture, crop=WHOLE), {}, auto=auto) == fitting.fit(
            facts, PHOTO, {}, auto=auto
        )


def test_a_part_of_a_shape_that_the_network_takes_is_accepted_and_any_other_refused() -> None:
    instagram = CONNECTORS["instagram"]

    def rules(crop: tuple[float, ...] | None, options: dict[str, Any] | None = None) -> list[str]:
        post = outgoing("x", media=(replace(PHOTO, crop=crop),))
        checked = fitting.fitted(instagram.facts, replace(post, options=options or {}), auto=False)
        return [issue.rule for issue in preflight.check(instagram, checked, {}) if issue.severity == "error"]

    assert rules(None) == ["instagram.media.aspect_ratio"]
    assert rules((0, 0.1, 1, 0.5625)) == [], "1080 x 1080"
    assert rules((0, 0, 0.2, 1)) == ["instagram.media.aspect_ratio"]
    assert rules((0, 0, 0.2, 1), {"fit": "pad"}) == []


def test_a_part_that_is_smaller_than_the_network_takes_is_refused() -> None:
    google = CONNECTORS["google_business"]
    photo = replace(PHOTO, size_bytes=100_000, width=1000, height=1000)

    def rules(crop: tuple[float, ...]) -> list[str]:
        post = fitting.fitted(google.facts, outgoing("x", media=(replace(photo, crop=crop),)))
        return [issue.rule for issue in preflight.check(google, post, {}) if issue.severity == "error"]

    assert rules((0, 0, 0.25, 0.25)) == []
    assert [rule for rule in rules((0, 0, 0.24, 1)) if "min" in rule]


def test_the_focal_point_counts_only_where_a_shape_is_cut() -> None:
    """Otherwise a form that is there already would be made again."""
    instagram, picture = CONNECTORS["instagram"].facts, replace(PHOTO, focal=(0.1, 0.1))
    square = replace(picture, width=1080, height=1080)

    for media, how, focal in ((picture, "crop", (0.1, 0.1)), (picture, "pad", None), (square, "crop", None)):
        needed = fitting.encodable(instagram, media, {"fit": how})
        assert needed is not None
        assert needed.frame.focal == focal, how
