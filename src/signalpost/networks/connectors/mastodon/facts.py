"""What Mastodon allows unless a server says otherwise, and the values of its options."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from signalpost.kit import issue_text
from signalpost.networks.connectors.mastodon import appearance
from signalpost.networks.connectors.mastodon.sources import SOURCES
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
from signalpost.networks.counting import graphemes, length
from signalpost.networks.preflight import for_account, part_path, text_of_part

StatusId = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(https://[^/\s?#]+/[^\s?#]*/)?[0-9A-Za-z]+$",
        max_length=400,
        extra={issue_text.FORMAT: "Must be the id of a post, or its address on the server of the account."},
    ),
]
Choice = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]


class Poll(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A poll on the first post, which then has no media."""

    options: Annotated[list[Choice], msgspec.Meta(title="Choices", min_length=2, max_length=50)]
    minutes: Annotated[int, msgspec.Meta(title="Duration in minutes", ge=5, le=43_829)]
    multiple: Annotated[bool, msgspec.Meta(title="Several choices")] = False
    hide_totals: Annotated[bool, msgspec.Meta(title="Hide the votes until it ends")] = False


FACTS = Facts(
    key="mastodon",
    name="Mastodon",
    source="docs.joinmastodon.org for 4.6, limits of mastodon.social",
    verified_on="2026-11-21",
    sources={**SOURCES, **appearance.SOURCES},
    appearance=appearance.APPEARANCE,
    credential_fields=(
        CredentialField(name="instanceUrl", label="Your server, for example mastodon.social"),
        CredentialField(name="accessToken", label="Access token (from Preferences, Development)", secret=True),
    ),
    text=TextRule(
        max_length=500, unit="grapheme", url_length=23, mentions_count_local_part_only=True
    ),  # together with the content warning
    media={
        "image": MediaRule(
            per_post=4,
            bytes_max=16_777_216,
            mime_types=("image/jpeg", "image/png", "image/heic", "image/heif", "image/webp", "image/avif"),
            pixels_max=33_177_600,
            alt_text_max=1_500,
            mixes_with=("gif",),
        ),
        "gif": MediaRule(
            per_post=4,
            bytes_max=16_777_216,
            mime_types=("image/gif",),
            pixels_max=33_177_600,
            alt_text_max=1_500,
            mixes_with=("image",),
        ),
        "video": MediaRule(
            per_post=1,
            bytes_max=103_809_024,
            mime_types=("video/mp4", "video/webm", "video/quicktime", "video/ogg"),
            pixels_max=8_294_400,  # of one frame
            alt_text_max=1_500,
        ),
        "audio": MediaRule(
            per_post=1,
            bytes_max=103_809_024,
            mime_types=("audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/flac", "audio/aac", "audio/webm"),
            alt_text_max=1_500,
        ),
    },
    media_total=4,
    thread_parts_max=50,
    options={
        "visibility": Option(
            type=Literal["public", "unlisted", "private", "direct"],
            description="Who can see the post: `public`, `unlisted`, `private` (followers) or `direct` (mentioned "
            "users). Defaults to the account's setting.",
        ),
        "spoilerText": Option(
            label="Content warning",
            type=Annotated[str, msgspec.Meta(max_length=500)],
            description="A content warning. Its length counts with the text.",
        ),
        "sensitive": Option(
            label="Sensitive media", type=bool, description="Hides the media until the reader clicks.", default=False
        ),
        "language": Option(
            type=Annotated[
                str,
                msgspec.Meta(
                    pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$", extra={issue_text.FORMAT: issue_text.LANGUAGE_TAG}
                ),
            ],
            description="The language of the post, as a BCP 47 tag. Defaults to that of the account, or else of the "
            "profile.",
        ),
        "poll": Option(
            type=Poll,
            description="A poll: `{options[2-4], minutes, multiple?, hideTotals?}`. A post with a poll has no media.",
        ),
        "quoteId": Option(
            label="Post to quote",
            type=StatusId,
            description="A post to quote: its address on the server of the account, or its id there. Its post has "
            "neither media nor a poll. From Mastodon 4.5 on.",
        ),
        "quotePolicy": Option(
            label="Who can quote",
            type=Literal["public", "followers", "nobody"],
            description="Who can quote the post: `public`, `followers` or `nobody`. Defaults to the account's setting. "
            "From Mastodon 4.5 on.",
        ),
    },
    dedupes_for_seconds=3_600,
    replies_mention=True,
    comments_note="A server knows the replies that reached it, which may be fewer than others show. Mastodon has no way"
    " to hide or delete what others reply; likes would need a permission that is not asked for.",
    rate_limit=RateLimit(count=300, seconds=300, per="account"),  # per access token and address
    notes="Each server publishes its own limits, which replace these when an account is connected. An account can "
    "upload 30 files in 30 minutes.",
)


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check the length of text and content warning together, the poll, and the quote."""
    return [*_warning(outgoing, account_facts), *_poll(outgoing, account_facts), *_quote(outgoing, account_facts)]


def _quote(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    path = "/options/quoteId"
    if outgoing.options.get("quoteId") is None:
        return
    if account_facts.get("quotes") is False:
        message = "This server cannot quote posts: that needs Mastodon 4.5 or newer."
        yield PreflightIssue("mastodon.quote.unsupported", path, message)
    if outgoing.media or outgoing.options.get("poll") is not None:
        message = "On Mastodon a post that quotes another can have neither media nor a poll."
        yield PreflightIssue("mastodon.quote.with_media", path, message)


def _warning(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    warning = outgoing.options.get("spoilerText")
    if not isinstance(warning, str) or not warning:
        return
    rule = for_account(FACTS, account_facts).text
    for index in range(len(outgoing.parts)):
        text = length(rule, text_of_part(FACTS, outgoing, index))
        actual = text + graphemes(warning)
        if text <= rule.max_length < actual:
            message = f"Text and content warning are {actual} characters long; this server allows {rule.max_length}."
            path = part_path(index, "text")
            yield PreflightIssue(
                "mastodon.text.max_graphemes", path, message, {"limit": rule.max_length, "actual": actual}
            )


def _poll(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    try:
        poll = msgspec.convert(outgoing.options.get("poll"), Poll | None)
    except msgspec.ValidationError:
        return  # reported by the general check of options
    if poll is None:
        return
    if outgoing.media:
        yield PreflightIssue("mastodon.poll.with_media", "/options/poll", "A post can have a poll or media, not both.")
    limits = account_facts.get("polls") or {}
    options_max, length_max = limits.get("options_max", 4), limits.get("option_length_max", 50)
    if len(poll.options) > options_max:
        message = f"A poll on this server can have at most {options_max} options; this one has {len(poll.options)}."
        params = {"limit": options_max, "actual": len(poll.options)}
        yield PreflightIssue("mastodon.poll.max_options", "/options/poll/options", message, params)
    for index, option in enumerate(poll.options):
        if (actual := graphemes(option)) > length_max:
            message = f"This poll option is {actual} characters long; this server allows {length_max}."
            params = {"limit": length_max, "actual": actual}
            yield PreflightIssue("mastodon.poll.max_option_length", f"/options/poll/options/{index}", message, params)
