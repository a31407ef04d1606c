"""What a platform allows and lets one choose, and what an account can choose now."""

from typing import Annotated, Literal

from msgspec import Meta

from signalpost.accounts.schemas import Capabilities, CredentialField, PlatformKey
from signalpost.kit.wire import Input, Output
from signalpost.networks.contract.appearance import ViewKind


class TextRules(Output):
    max_length: Annotated[int, Meta(examples=[300])]
    unit: Annotated[str, Meta(examples=["grapheme"])]
    bytes_max: Annotated[int | None, Meta(examples=[3000])]
    url_length: int | None


class MediaRules(Output):
    per_post: Annotated[int, Meta(examples=[4])]
    bytes_max: Annotated[int, Meta(examples=[2_000_000])]
    mime_types: Annotated[list[str], Meta(examples=[["image/jpeg", "image/png"]])]
    duration_ms_max: int | None
    pixels_max: int | None
    side_short_max: int | None
    side_long_max: int | None
    ratio_min: float | None
    ratio_max: float | None
    alt_text_max: Annotated[int | None, Meta(examples=[2000])]


class PlatformRules(Output):
    text: TextRules
    title: TextRules | None
    media: Annotated[
        dict[str, MediaRules],
        Meta(
            examples=[
                {
                    "image": {
                        "perPost": 4,
                        "bytesMax": 2_000_000,
                        "mimeTypes": ["image/jpeg", "image/png"],
                        "durationMsMax": None,
                        "pixelsMax": None,
                        "sideShortMax": None,
                        "sideLongMax": None,
                        "ratioMin": None,
                        "ratioMax": None,
                        "altTextMax": 2000,
                    }
                }
            ]
        ),
    ]
    media_total: int | None
    media_required: Annotated[bool, Meta(examples=[False])]
    thread_parts_max: Annotated[int, Meta(examples=[25])]
    options: Annotated[dict[str, str], Meta(examples=[{"languages": "The languages of the text."}])]


class PlatformView(Output):
    """How the network shows one kind of post. The first view whose conditions a post meets is its own."""

    kind: Annotated[ViewKind, Meta(examples=["feed"])]
    types: Annotated[list[str], Meta(description="Values of the option `type` that lead here.", examples=[["reel"]])]
    option: Annotated[str | None, Meta(description="An option that leads here when it is set.", examples=["poll"])]
    media: Annotated[
        str | None,
        Meta(description="The kind of an only file that leads here, if no view has the type.", examples=["video"]),
    ]
    text: Annotated[
        Literal["above", "below", "over", "none"],
        Meta(description="Where the text stands: of the files, or not at all.", examples=["above"]),
    ]
    files: Annotated[Literal["grid", "carousel"], Meta(description="How several are shown.", examples=["grid"])]
    ratio_min: Annotated[
        float | None,
        Meta(description="Width by height of the frame; a taller file is cropped at its middle.", examples=[0.75]),
    ]
    ratio_max: Annotated[float | None, Meta(description="The same for wider files.", examples=[1.91])]
    fold_lines: Annotated[
        int | None, Meta(description="Lines of text before the reader asks for the rest.", examples=[3])
    ]
    fold_characters: Annotated[
        int | None, Meta(description="The same in grapheme clusters; whichever comes first.", examples=[125])
    ]
    covered_top: Annotated[
        float | None,
        Meta(
            description="What the network covers at the top with buttons and names, as a share of the height; null: "
            "nothing, or nobody says how much.",
            examples=[0.14],
        ),
    ]
    covered_bottom: Annotated[float | None, Meta(description="The same at the bottom.", examples=[0.2])]
    covered_sides: Annotated[
        float | None, Meta(description="The same at each side, as a share of the width.", examples=[None])
    ]
    title_characters: Annotated[
        int | None, Meta(description="Of a title, in grapheme clusters; the rest is not shown.", examples=[40])
    ]
    approximate: Annotated[
        bool, Meta(description="Whether fewer than two sources say these numbers.", examples=[False])
    ]


class PlatformAppearance(Output):
    """How posts look at the network, for previews. Nothing is refused by it."""

    views: list[PlatformView]
    marks: Annotated[
        list[Literal["hashtag", "mention", "link"]],
        Meta(description="What it makes links of in a text.", examples=[["hashtag", "mention", "link"]]),
    ]
    card: Annotated[
        Literal["large", "small", "none"],
        Meta(description="Of an address: below its picture, beside it, or only the address.", examples=["large"]),
    ]
    card_ratio: Annotated[
        float | None, Meta(description="Width by height of the picture of a large card.", examples=[1.91])
    ]


class OptionPart(Output):
    """A member of an option that is an object."""

    key: Annotated[str, Meta(examples=["minutes"])]
    label: Annotated[str, Meta(examples=["Duration in minutes"])]
    type: Annotated[Literal["text", "number", "flag", "choice", "list"], Meta(examples=["number"])]
    choices: Annotated[
        list[str] | None, Meta(description="The only values of a choice, or of each item of a list; null: any.")
    ]
    required: Annotated[bool, Meta(examples=[True])]
    default: str | int | bool | None
    items_min: int | None
    items_max: int | None


class PlatformOption(Output):
    """An option of a network as a form shows it: `options.<platform>.<key>` of a post."""

    key: Annotated[str, Meta(examples=["visibility"])]
    label: Annotated[str, Meta(examples=["Visibility"])]
    help: Annotated[str, Meta(examples=["Who can see the video: `public` (default), `unlisted` or `private`."])]
    type: Annotated[
        Literal["text", "number", "flag", "choice", "list", "object", "objects"],
        Meta(description="`object` and `objects`, a list of them, consist of `parts`.", examples=["choice"]),
    ]
    choices: Annotated[
        list[str] | None,
        Meta(
            description="The only values of a choice, or of each item of a list; null: any.",
            examples=[["public", "unlisted", "private"]],
        ),
    ]
    items_min: Annotated[int | None, Meta(description="Of a list; null: none.")]
    items_max: Annotated[int | None, Meta(description="Of a list; null: the help says it.", examples=[4])]
    parts: list[OptionPart]
    instead: Annotated[
        list[str | bool],
        Meta(description="What can stand in the place of the whole list or object.", examples=[["everyone"]]),
    ]
    source: Annotated[
        str | None,
        Meta(
            description="Where to read what an account can choose now; null: it depends on no account.",
            examples=["/api/v1/platforms/accounts/{accountId}/choices"],
        ),
    ]
    depends_on: Annotated[
        str | None,
        Meta(description="The option whose value decides what `source` lists; null: none.", examples=["boardId"]),
    ]
    required: Annotated[bool, Meta(description="No post goes out without it.", examples=[False])]
    default: Annotated[
        str | int | bool | None, Meta(description="What holds without it; null: the help says it.", examples=["public"])
    ]


class Platform(Output):
    """A platform as this installation serves it. `available` is false while it has no connector."""

    platform: PlatformKey
    name: Annotated[str, Meta(examples=["Bluesky"])]
    available: bool
    configured: bool
    package: Annotated[
        str | None,
        Meta(
            description="The installed package that the network comes from; null: the service itself.",
            examples=["signalpost-ntfy 1.0.0"],
        ),
    ]
    problem: Annotated[
        str | None,
        Meta(
            description="Why that package is not used; null: it works.",
            examples=["The package of this network was written for another version of the contract."],
        ),
    ]
    modes: Annotated[list[Literal["oauth", "credentials"]], Meta(examples=[["credentials"]])]
    redirect_uri: Annotated[
        str | None,
        Meta(description="The redirect address to enter where the operator registers an app; null: none is needed."),
    ]
    credential_fields: list[CredentialField]
    capabilities: Capabilities | None
    rules: PlatformRules | None
    appearance: PlatformAppearance | None
    options: list[PlatformOption]
    upstream_version: str | None
    sunset_date: str | None
    source: Annotated[str | None, Meta(examples=["docs.bsky.app"])]
    verified_on: Annotated[str | None, Meta(examples=["2026-11-21"])]


class ChoicesQuery(Input):
    option: Annotated[
        Annotated[str, Meta(min_length=1, max_length=40)] | None,
        Meta(description="Only this option; without it, all that depend on no other.", examples=["boardSectionId"]),
    ] = None
    of: Annotated[
        Annotated[str, Meta(min_length=1, max_length=500)] | None,
        Meta(
            description="The value of what that option `dependsOn`: the sections of which board.",
            examples=["549755885175"],
        ),
    ] = None


class PeopleQuery(Input):
    q: Annotated[
        str,
        Meta(min_length=2, max_length=100, description="The first letters of a name or handle.", examples=["ali"]),
    ]


class MentionablePerson(Output):
    """A person whom a post of the account can mention, as `@` and the handle in its text."""

    handle: Annotated[str, Meta(description="Without `@`.", examples=["alice.example.com"])]
    name: Annotated[str, Meta(examples=["Alice"])]


class OptionChoice(Output):
    """A value that an option can have for this account now, or cannot have."""

    value: Annotated[str, Meta(description='As the option takes it; of a flag: "true".', examples=["549755885175"])]
    label: Annotated[str, Meta(description="What it is called at the platform.", examples=["Recipes"])]
    reason: Annotated[str | None, Meta(description="Why the account cannot choose it; null: it can.")]


class OptionChoices(Output):
    option: Annotated[str, Meta(examples=["boardId"])]
    choices: Annotated[list[OptionChoice], Meta(description="At most 500.")]
