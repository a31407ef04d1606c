"""What Discord allows, and the values of its options."""

from typing import Annotated, Final, Literal

import msgspec

from signalpost.networks.connectors.discord.sources import SOURCES
from signalpost.networks.contract import (
    Appearance,
    CredentialField,
    Facts,
    Kind,
    MediaRule,
    Option,
    RateLimit,
    TextRule,
    View,
)

Snowflake = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{15,20}$")]
Address = Annotated[str, msgspec.Meta(pattern=r"^https?://", max_length=2_048)]
MIB: Final = 1_048_576
FILE_BYTES_MAX: Final = 10 * MIB
REQUEST_BYTES_MAX: Final = 25 * MIB  # of all files of a message, unless a single one may be larger
EMBEDS_LENGTH_MAX: Final = 6_000


class Poll(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A poll below the text of the first message."""

    question: Annotated[str, msgspec.Meta(title="Question", min_length=1, max_length=300)]
    answers: Annotated[
        list[Annotated[str, msgspec.Meta(min_length=1, max_length=55)]],
        msgspec.Meta(title="Choices", min_length=1, max_length=10),
    ]
    hours: Annotated[int, msgspec.Meta(title="Duration in hours", ge=1, le=768)] = 24
    multiple: Annotated[bool, msgspec.Meta(title="Several choices")] = False


class Embed(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A box below the text of the first message."""

    title: Annotated[str, msgspec.Meta(title="Title", max_length=256)] = ""
    description: Annotated[str, msgspec.Meta(title="Text", max_length=4_096)] = ""
    url: Annotated[str, msgspec.Meta(title="Link", pattern=r"^(https?://|$)", max_length=2_048)] = ""
    color: Annotated[str, msgspec.Meta(title="Colour, for example #5865f2", pattern=r"^(#[0-9a-fA-F]{6})?$")] = ""
    image_url: Annotated[
        str, msgspec.Meta(title="Address of a picture", pattern=r"^(https?://|$)", max_length=2_048)
    ] = ""
    footer: Annotated[str, msgspec.Meta(title="Small print", max_length=2_048)] = ""


_TYPES: Final[dict[Kind, tuple[str, ...]]] = {
    "image": ("image/jpeg", "image/png", "image/webp", "image/avif", "image/heic"),
    "gif": ("image/gif",),
    "video": ("video/mp4", "video/webm", "video/quicktime", "video/x-matroska", "video/x-msvideo"),
    "document": ("application/pdf",),
}
"""Discord takes any file; these are the types that this service takes."""

FACTS = Facts(
    key="discord",
    name="Discord",
    source="discord.com/developers/docs (API v10) and its OpenAPI document",
    verified_on="2026-11-28",
    sources=SOURCES,
    appearance=Appearance(views=(View(kind="poll", option="poll"), View(kind="message")), card="large"),
    api_version="v10",
    base_url="https://discord.com",
    credential_fields=(
        CredentialField(name="webhookUrl", label="Address of a webhook of the channel", secret=True, required=False),
        CredentialField(name="botToken", label="Or the token of a bot", secret=True, required=False),
        CredentialField(name="channelId", label="With a bot: the ID of the channel", required=False),
    ),
    rate_limit=RateLimit(count=5, seconds=2, per="account"),
    text=TextRule(max_length=2_000, unit="code_point"),
    media={
        kind: MediaRule(per_post=10, bytes_max=FILE_BYTES_MAX, mime_types=types, alt_text_max=1_024)
        for kind, types in _TYPES.items()
    },
    media_total=10,
    media_mixed=True,
    thread_parts_max=50,
    options={
        "silent": Option(
            type=bool, description="Whether the message arrives without a notification.", label="Without notification"
        ),
        "mentions": Option(
            type=Annotated[list[Literal["everyone", "roles", "users"]], msgspec.Meta(max_length=3)],
            description="Who is notified of `@everyone`, `@here`, roles and users in the text. Nobody without it.",
            label="Who mentions notify",
        ),
        "suppressEmbeds": Option(type=bool, description="Whether links show no preview.", label="No previews of links"),
        "spoiler": Option(
            type=bool,
            description="Whether files are hidden until someone clicks them.",
            label="Hide files until a click",
        ),
        "threadId": Option(type=Snowflake, description="The id of a thread of the channel to post in.", label="Thread"),
        "threadName": Option(
            type=Annotated[str, msgspec.Meta(min_length=1, max_length=100)],
            description="The title of a new post in a forum or media channel. Needed there, unless `threadId` is set.",
            label="Title of the forum post",
        ),
        "appliedTags": Option(
            type=Annotated[list[Snowflake], msgspec.Meta(max_length=5)],
            description="Up to 5 tags of the forum for the new post.",
            label="Tags of the forum",
        ),
        "poll": Option(
            type=Poll,
            description="A poll below the text: `{question, answers[1-10], hours?, multiple?}`. "
            "Its message has no files.",
        ),
        "embeds": Option(
            type=Annotated[list[Embed], msgspec.Meta(max_length=10)],
            description="Up to 10 boxes `{title?, description?, url?, color?, imageUrl?, footer?}`, "
            "together 6,000 characters.",
            label="Boxes",
        ),
        "username": Option(
            type=Annotated[str, msgspec.Meta(min_length=1, max_length=80)],
            description="The name that a webhook's message shows, instead of that of the webhook.",
            label="Name of the sender",
        ),
        "avatarUrl": Option(
            type=Address,
            description="The address of the picture that a webhook's message shows.",
            label="Picture of the sender",
        ),
    },
    notes="Parts of a thread are replies to each other if a bot sends them, else messages one after the other. By a "
    "webhook nothing can be looked for: if its answer is lost, someone has to look into the channel. Servers with "
    "boosts let bots send files of 50 MiB (level 2) or 100 MiB (level 3).",
)
