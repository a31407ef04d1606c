"""What Slack allows, and the values of its options."""

from typing import Annotated, Final

import msgspec

from signalpost.networks.connectors.slack.sources import SOURCES
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

Timestamp = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{9,11}\.[0-9]{6}$")]
TEXT_MAX: Final = 4_000
FILE_BYTES_MAX: Final = 1_000_000_000

_TYPES: Final[dict[Kind, tuple[str, ...]]] = {
    "image": ("image/jpeg", "image/png", "image/webp", "image/avif", "image/heic"),
    "gif": ("image/gif",),
    "video": ("video/mp4", "video/webm", "video/quicktime", "video/x-matroska", "video/x-msvideo"),
    "audio": ("audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/flac", "audio/aac", "audio/webm"),
    "document": ("application/pdf",),
}
"""Slack takes any file; these are the types that this service takes."""

FACTS = Facts(
    key="slack",
    name="Slack",
    source="docs.slack.dev (Web API, incoming webhooks)",
    verified_on="2026-11-28",
    sources=SOURCES,
    appearance=Appearance(views=(View(kind="message"),), card="small"),
    base_url="https://slack.com",
    hosts={"hooks": "https://hooks.slack.com"},
    credential_fields=(
        CredentialField(name="webhookUrl", label="Address of an incoming webhook", secret=True, required=False),
        CredentialField(name="botToken", label="Or the token of a bot", secret=True, required=False),
        CredentialField(name="channelId", label="With a bot: the ID of the channel", required=False),
    ),
    rate_limit=RateLimit(count=1, seconds=1, per="account"),
    text=TextRule(max_length=TEXT_MAX, unit="code_point"),
    media={
        kind: MediaRule(per_post=10, bytes_max=FILE_BYTES_MAX, mime_types=types, alt_text_max=1_000)
        for kind, types in _TYPES.items()
    },
    media_total=10,
    media_mixed=True,
    thread_parts_max=50,
    options={
        "mrkdwn": Option(
            type=bool,
            description="Whether the text is sent as it is, in Slack's own markup: `*bold*`, `<https://…|label>`, "
            "`<!here>`. Write `&`, `<` and `>` as `&amp;`, `&lt;` and `&gt;` then. Without it nothing is markup.",
            label="Text in Slack's markup",
            default=False,
        ),
        "unfurlLinks": Option(
            type=bool, description="Whether links to pages show a preview.", label="Previews of pages"
        ),
        "unfurlMedia": Option(
            type=bool, description="Whether links to pictures and videos show a preview.", label="Previews of media"
        ),
        "threadTs": Option(
            type=Timestamp,
            description="The timestamp of a message of the channel to reply to, such as `1716567890.123456`: in its "
            "link the number after `p`, with a point before the last six digits.",
            label="Message to reply to",
        ),
        "replyBroadcast": Option(
            type=bool,
            description="Whether replies without files are shown in the channel too.",
            label="Replies in the channel too",
        ),
    },
    notes="A post of several parts is a thread below the first message if a bot sends it, else messages one after the "
    "other. By a webhook there are no files, nothing can be deleted, and nothing can be looked for: if its answer is "
    "lost, someone has to look into the channel. `&`, `<` and `>` count 4 or 5 characters, as they are sent.",
)
