"""Captions on the wire."""

from typing import Annotated, Literal

from msgspec import Meta, field

from signalpost.kit.wire import Input, Output
from signalpost.profiles.schemas import LanguageTag
from signalpost.web.fields import PlatformSlug, PostId, ProfileId

Engine = Literal["rules", "model"]


class CaptionsOptimize(Input):
    """Rewrite a text for networks: send either `text` or `postId`."""

    platforms: Annotated[
        Annotated[list[PlatformSlug], Meta(min_length=1, max_length=25)],
        Meta(description="The networks to write for.", examples=[["bluesky", "mastodon"]]),
    ]
    text: Annotated[
        Annotated[str, Meta(min_length=1, max_length=65_000)] | None,
        Meta(description="The text to rewrite.", examples=["Our spring menu is here. #food"]),
    ] = None
    title: Annotated[
        Annotated[str, Meta(max_length=200)] | None,
        Meta(description="The title that belongs to the text.", examples=["Spring menu"]),
    ] = None
    post_id: Annotated[PostId | None, Meta(description="The post whose text, thread and title to rewrite.")] = None
    profile_id: Annotated[
        ProfileId | None,
        Meta(
            description="The profile to write for: its language, its hashtags, and the limits of its accounts' servers."
            " Default: that of the post."
        ),
    ] = None
    tone: Annotated[
        Annotated[str, Meta(min_length=1, max_length=100)] | None,
        Meta(description="How the text should sound. Only a model heeds it.", examples=["friendly and short"]),
    ] = None
    language: Annotated[
        LanguageTag | None,
        Meta(description="The language to write in; only a model translates. Default: the profile's.", examples=["en"]),
    ] = None
    max_hashtags: Annotated[
        Annotated[int, Meta(ge=0, le=100)] | None,
        Meta(description="How many hashtags a caption has at most. Default: no limit.", examples=[3]),
    ] = None
    keep_links: Annotated[
        bool, Meta(description="Whether links of a text that is cut move to its end. Otherwise they go with it.")
    ] = True
    count: Annotated[
        Annotated[int, Meta(ge=1, le=3)], Meta(description="How many variants to return for each network.")
    ] = 1
    engine: Annotated[
        Literal["auto", "rules", "model"],
        Meta(
            description="`rules` cuts, splits and cleans the text; `model` has the operator's language model write it;"
            " `auto` uses the model if there is one."
        ),
    ] = "auto"


class CaptionNote(Output):
    """A change, or something worth knowing."""

    code: Annotated[str, Meta(examples=["shortened"])]
    message: Annotated[str, Meta(examples=["The text was shortened to one post."])]


class CaptionPart(Output):
    """A further post of a thread."""

    text: Annotated[str, Meta(examples=["And there is more."])]
    length: Annotated[int, Meta(description="As the network counts it.", examples=[18])]


class Caption(Output):
    """A text for one network, as it may be sent to `POST /posts`."""

    platform: Annotated[str, Meta(examples=["bluesky"])]
    engine: Annotated[Engine, Meta(description="What wrote it.", examples=["rules"])]
    title: Annotated[str | None, Meta(description="For networks that have titles.", examples=["Spring menu"])]
    text: Annotated[
        str, Meta(description="With its hashtags and links.", examples=["Our spring menu is here.\n\n#food"])
    ]
    thread: Annotated[list[CaptionPart], Meta(description="The posts after the first, if the text is a thread.")]
    hashtags: Annotated[list[str], Meta(description="Those that the caption contains.", examples=[["#food"]])]
    length: Annotated[
        int,
        Meta(
            description="Of `text` as the network counts it, with the link and the campaign parameters of the post.",
            examples=[31],
        ),
    ]
    limit: Annotated[int, Meta(description="The length that the network allows.", examples=[300])]
    fits: Annotated[bool, Meta(description="Whether the network accepts the text and each part.", examples=[True])]
    changes: list[CaptionNote]
    warnings: Annotated[list[CaptionNote], Meta(description="What was lost, or what could not be done.")]


class CaptionUsage(Output):
    """Captions written by a model this month."""

    used: Annotated[int, Meta(examples=[12])]
    limit: Annotated[int | None, Meta(description="Of the plan; null is unlimited.", examples=[100])]


class Captions(Output):
    """Captions, network by network in the order of the request; the best variant of each first."""

    engine: Annotated[Engine, Meta(description="`model` if it wrote any of them.", examples=["rules"])]
    usage: CaptionUsage
    results: list[Caption] = field(default_factory=list)
