"""What a file becomes for a network that would refuse it: by its facts, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from signalpost.networks import fitting
from signalpost.networks.contract import Facts, MediaRule, OutgoingMedia, TextRule

RULE = MediaRule(per_post=4, bytes_max=1_000, mime_types=("image/jpeg", "image/png"), pixels_max=10_000)
FACTS = Facts(
    key="example", name="Example", source="here", verified_on="2026-11-21", text=TextRule(max_length=9),
    media={"image": RULE, "video": MediaRule(per_post=1, bytes_max=9, mime_types=("video/mp4",))},
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
    "a video that is too large too": (VIDEO | {"size_bytes": 10}, (), {}),
    "a video that would have to be encoded": (VIDEO | {"video_codec": "vp9"}, (), {}),
    "a sound that would have to be encoded": (VIDEO | {"audio_codec": "opus"}, (), {}),
    "a container with other timestamps": (VIDEO | {"mime_type": "video/x-msvideo"}, (), {}),
    "a kind that the network lacks": ({"kind": "document"}, (), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_converted_for_the_rules_that_it_breaks(name: str) -> None:
    changed, rules, after = CASES[name]
    media = replace(GOOD, **changed)

    needed = fitting.fit(FACTS, media)

    assert (needed.rules if needed else ()) == rules
    assert (needed.apply(media) if needed else media) == replace(media, **after)
    assert needed is None or fitting.fit(FACTS, needed.apply(media)) is None


def test_a_network_with_types_that_we_do_not_write_gets_nothing_else() -> None:
    facts = replace(FACTS, media={"image": replace(RULE, mime_types=("image/bmp",))})

    assert fitting.fit(facts, GOOD) is None


def test_a_thin_image_keeps_a_pixel_in_each_direction() -> None:
    assert fitting.scaled(100_000, 1, 100) == (3_162, 1)
