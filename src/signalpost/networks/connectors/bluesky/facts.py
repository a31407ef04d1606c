"""What Bluesky allows, and what each of its options takes."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from signalpost.networks.contract import (
    CredentialField,
    Facts,
    MediaRule,
    Option,
    Outgoing,
    PreflightIssue,
    RateLimit,
    TextRule,
)


class LinkCard(msgspec.Struct, forbid_unknown_fields=True):
    """A link card in the sender's own words; what is left out is taken from the page."""

    title: Annotated[str, msgspec.Meta(max_length=300)] | None = None
    description: Annotated[str, msgspec.Meta(max_length=1000)] | None = None
    image: bool = True


Language = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$")]
Label = Literal["sexual", "nudity", "porn", "graphic-media"]
Repliers = Literal["mentioned", "followers", "following"]

FACTS = Facts(
    key="bluesky",
    name="Bluesky",
    source="lexicons and reference server of 2026-08, constants of the official app",
    verified_on="2026-11-21",
    base_url="https://bsky.social",
    credential_fields=(
        CredentialField(name="identifier", label="Handle (alice.bsky.social) or e-mail address"),
        CredentialField(name="appPassword", label="App password (Settings, Privacy and security)", secret=True),
        CredentialField(name="service", label="Server, if it is not bsky.social", required=False),
    ),
    text=TextRule(max_length=300, unit="grapheme", bytes_max=3_000),
    media={
        "image": MediaRule(
            per_post=4,  # up to 10 in a gallery since 2026, which older clients do not show
            bytes_max=2_000_000,
            mime_types=("image/jpeg", "image/png", "image/webp"),
            alt_text_max=2_000,  # characters; the official app's bound, the server has none
        ),
        "video": MediaRule(
            per_post=1,
            bytes_max=52_428_800,  # 50 MiB: what Bluesky's own servers take as a blob; 300 MB only by its video service
            mime_types=("video/mp4",),
            duration_ms_max=600_000,
            alt_text_max=2_000,
        ),
    },
    link="card",
    thread_parts_max=50,
    options={
        "languages": Option(
            type=Annotated[list[Language], msgspec.Meta(max_length=3)], description="At most 3 BCP 47 tags."
        ),
        "labels": Option(
            type=Annotated[list[Label], msgspec.Meta(max_length=4)],
            description="Content warnings: sexual, nudity, porn, graphic-media.",
        ),
        "linkCard": Option(
            type=bool | LinkCard,
            description="A card for `link`, else for the first address of the text, when there is no media: true "
            "(default) takes title, description and picture from the page, {title, description, image} gives them; "
            "false makes no card of an address in the text, and reads no page for `link`.",
        ),
        "replyGate": Option(
            type=Literal["everyone", "nobody"] | list[Repliers],
            description="Who may reply: everyone (default), nobody, or a list of mentioned, followers, following.",
        ),
    },
    rate_limit=RateLimit(count=3_000, seconds=300, per="address"),
    notes="Sign in with an app password. A post is also bound to 3000 bytes. GIFs are not shown moving, so they are "
    "refused. Posts cannot be edited. Writes: 5000 points an hour and account, a post costs 3.",
)


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Warn of videos that an account without a confirmed address cannot show."""
    if account_facts.get("emailConfirmed") is not False:
        return ()
    message = "Bluesky shows videos only of accounts with a confirmed e-mail address."
    return [
        PreflightIssue("bluesky.media.email_unconfirmed", path, message, severity="warning")
        for index, part in enumerate(outgoing.parts)
        for path in ["/media" if index == 0 else f"/thread/{index - 1}/media"]
        if any(media.kind == "video" for media in part.media)
    ]
