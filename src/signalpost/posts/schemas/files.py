"""The files of a post as a body names them."""

from typing import Annotated

from msgspec import Meta, field

from signalpost.kit.wire import Input
from signalpost.web.fields import MediaId, PlatformSlug

MediaUrl = Annotated[str, Meta(min_length=1, max_length=2048)]
AltText = Annotated[str, Meta(max_length=1_500)]
ShortText = Annotated[str, Meta(min_length=1, max_length=100)]


class UserTagIn(Input):
    """A person in a picture."""

    username: Annotated[ShortText, Meta(description="The person's username on the network.", examples=["ada"])]
    x: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(description="The position from the left edge, 0 to 1.", examples=[0.5]),
    ] = None
    y: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(description="The position from the top edge, 0 to 1.", examples=[0.25]),
    ] = None


class CropIn(Input):
    """The part of a picture that is sent, as it is seen upright: shares of its width and height, 0 to 1."""

    x: Annotated[
        Annotated[float, Meta(ge=0, le=1)], Meta(description="Where it begins, from the left edge.", examples=[0.1])
    ]
    y: Annotated[
        Annotated[float, Meta(ge=0, le=1)], Meta(description="Where it begins, from the top edge.", examples=[0])
    ]
    width: Annotated[Annotated[float, Meta(gt=0, le=1)], Meta(description="Its share of the width.", examples=[0.8])]
    height: Annotated[Annotated[float, Meta(gt=0, le=1)], Meta(description="Its share of the height.", examples=[1])]


class MediaIn(Input):
    """A file of a post: send either `mediaId` or `mediaUrl`."""

    media_id: Annotated[MediaId | None, Meta(description="A file of this workspace.")] = None
    media_url: Annotated[
        MediaUrl | None,
        Meta(
            description="The storagePath of a file, or an https address that the service fetches.",
            examples=["https://example.com/cat.jpg"],
        ),
    ] = None
    alt_text: Annotated[
        AltText | None,
        Meta(
            description="A description for people who cannot see the picture. Default: the file's own.",
            examples=["A cat on a windowsill"],
        ),
    ] = None
    thumbnail_media_id: Annotated[
        MediaId | None, Meta(description="A picture to show for a video, where the network takes one: YouTube.")
    ] = None
    thumbnail_time_ms: Annotated[
        Annotated[int, Meta(ge=0, le=86_400_000)] | None,
        Meta(description="The moment of a video whose picture is shown for it, in milliseconds.", examples=[1500]),
    ] = None
    user_tags: Annotated[
        Annotated[list[UserTagIn], Meta(max_length=30)], Meta(description="The people in the picture.")
    ] = field(default_factory=list)
    crops: Annotated[
        dict[PlatformSlug, CropIn],
        Meta(
            description="What is sent of the picture, by network; all of it where none is named. For images only.",
            examples=[{"instagram": {"x": 0.1, "y": 0, "width": 0.8, "height": 1}}],
        ),
    ] = field(default_factory=dict)


MediaInputs = Annotated[list[MediaIn], Meta(max_length=35)]
