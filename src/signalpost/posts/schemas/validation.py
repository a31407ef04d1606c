"""What the check of a post says, as the API shows it."""

from typing import Annotated, Any

from msgspec import Meta

from signalpost.kit.wire import Instant, Output
from signalpost.posts.schemas.responses import Platform, PostWarning


class MediaPart(Output, gc=False):
    """A part of a picture, in pixels of the upright file."""

    left: Annotated[int, Meta(examples=[0])]
    top: Annotated[int, Meta(examples=[504])]
    width: Annotated[int, Meta(examples=[3024])]
    height: Annotated[int, Meta(examples=[3024])]


class DerivedMedia(Output, gc=False):
    """A file that is converted for an account, because as it is it breaks `rules`, or because a part was chosen."""

    media_id: Annotated[str, Meta(examples=["med_01M7Z0000000000000000000AB"])]
    rules: Annotated[list[str], Meta(examples=[["bluesky.media.max_bytes"]])]
    mime_type: Annotated[str, Meta(examples=["image/jpeg"])]
    max_size: Annotated[int, Meta(description="It will be smaller, or have as many bytes.", examples=[2_000_000])]
    width: Annotated[int | None, Meta(description="At most.", examples=[4032])]
    height: Annotated[int | None, Meta(description="At most.", examples=[3024])]
    part: Annotated[
        MediaPart | None, Meta(description="What is left of the picture; null: nothing is cut off.", examples=[None])
    ]


class TargetValidation(Output, gc=False):
    """`limit`: of each text; `threadLengths`: of further parts. `derivedMedia`: what is converted before it is sent.

    With `autoFit`: images of any kind, and videos that become an MP4 file within about two minutes. Without it only the
    images of which a part was chosen.
    """

    platform: Platform
    account_id: str
    type: Annotated[str, Meta(examples=["text"])]
    text_length: Annotated[int, Meta(examples=[22])]
    limit: Annotated[int, Meta(examples=[300])]
    overflow_at: Annotated[
        int | None,
        Meta(
            description="Where what does not fit begins in the text, in UTF-16 units as JavaScript counts them; null: "
            "all of it fits.",
            examples=[None],
        ),
    ]
    thread_lengths: Annotated[list[int], Meta(examples=[[18]])]
    thread_overflows: Annotated[
        list[int | None], Meta(description="`overflowAt` of each further part.", examples=[[None]])
    ]
    derived_media: Annotated[list[DerivedMedia], Meta(examples=[[]])]


class PostValidation(Output, gc=False):
    """What creating this post would answer. `repeats`: when it would be published again, the next five times."""

    valid: Annotated[bool, Meta(examples=[True])]
    errors: Annotated[list[dict[str, Any]], Meta(examples=[[]])]
    warnings: Annotated[list[PostWarning], Meta(examples=[[]])]
    targets: list[TargetValidation]
    repeats: Annotated[list[Instant], Meta(examples=[["2026-11-28T18:00:00.000Z"]])]
