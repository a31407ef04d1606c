"""What LinkedIn allows, and the values of its options."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from signalpost.kit import issue_text
from signalpost.networks import links
from signalpost.networks.connectors.linkedin import appearance
from signalpost.networks.connectors.linkedin.attached import Poll, PostAddress, attachment_issues, is_attached
from signalpost.networks.connectors.linkedin.audience import Audience, audience_issues
from signalpost.networks.connectors.linkedin.little_text import broken_mentions, mentions, visible_text
from signalpost.networks.connectors.linkedin.sources import SOURCES
from signalpost.networks.contract import (
    Facts,
    MediaRule,
    Option,
    Outgoing,
    OutgoingMedia,
    PreflightIssue,
    RateLimit,
    TextRule,
)
from signalpost.networks.counting import length
from signalpost.networks.preflight import text_with_link

COMMENT_MAX: Final = 1_250
TITLE_MAX: Final = 400
_VIDEO_BYTES: Final = (75_000, 500_000_000)
_VIDEO_SECONDS_MIN: Final = 3
_RATIO_MAX: Final = 2.4
_IMAGE_BYTES: Final = 5_000_000
_LINK: Final = re.compile(links.LINK)

Urn = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^urn:li:(person|organization):[A-Za-z0-9_-]{1,100}$",
        extra={issue_text.FORMAT: "Must be a URN, such as urn:li:organization:1234."},
    ),
]

FACTS = Facts(
    key="linkedin",
    name="LinkedIn",
    source="learn.microsoft.com, Community Management API (Posts, Share targeting, Polls, Images, Videos, Documents), "
    "version 202609",
    verified_on="2026-11-21",
    comments_note="LinkedIn lets only apps that it has selected read comments under posts of members.",
    sources={**SOURCES, **appearance.SOURCES},
    appearance=appearance.APPEARANCE,
    base_url="https://api.linkedin.com",
    hosts={"www": "https://www.linkedin.com"},
    api_version="202609",
    api_sunset_on="2027-09-15",
    app_credentials=True,
    text=TextRule(max_length=3_000, unit="utf16"),
    media={
        "image": MediaRule(
            per_post=20,
            bytes_max=8_000_000,
            mime_types=("image/jpeg", "image/png"),
            pixels_max=36_152_319,
            alt_text_max=4_086,
            mixes_with=("gif",),
        ),
        "gif": MediaRule(
            per_post=20,
            bytes_max=8_000_000,
            mime_types=("image/gif",),
            pixels_max=36_152_319,
            alt_text_max=4_086,
            mixes_with=("image",),
        ),
        "video": MediaRule(
            per_post=1,
            bytes_max=5_000_000_000,
            mime_types=("video/mp4",),
            duration_ms_max=1_800_000,
            alt_text_max=4_086,
        ),
        "document": MediaRule(
            per_post=1,
            bytes_max=100_000_000,
            mime_types=(
                "application/pdf",
                "application/msword",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                "application/vnd.ms-powerpoint",
                "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            ),
        ),
    },
    media_total=20,
    link="card",
    first_comment=True,
    metrics_per_call=20,
    options={
        "author": Option(
            label="Posts as",
            type=Urn,
            description="In whose name the post appears: the URN of an organization that the member administers. "
            "Defaults to the account itself.",
            live=True,
        ),
        "visibility": Option(
            type=Literal["public", "connections", "loggedIn"],
            description="Who can see the post: `public` (default), `connections` (of a member) or `loggedIn`.",
            default="public",
        ),
        "audience": Option(
            type=Audience,
            description="Shows an organization's post to a part of its followers only: `{geoLocations?, industries?, "
            "jobFunctions?, seniorities?, staffCountRanges?, interfaceLocales?, degrees?, fieldsOfStudy?, "
            "organizations?}`, each a list of LinkedIn's ids or URNs, sizes such as `SIZE_11_TO_50` or locales such as "
            "`de_DE`. A follower fits who has one value of each facet that is given; at least 300 have to.",
        ),
        "documentTitle": Option(
            label="Title of the document",
            type=Annotated[str, msgspec.Meta(min_length=1, max_length=TITLE_MAX)],
            description="The title that is shown with a document. Defaults to the post's title or the file name.",
        ),
        "disableLinkPreview": Option(
            label="No link card",
            type=bool,
            description="Shows no card for a link; `link` is then appended to the text. By default the card is made "
            "of `link`, or of the first URL of the text.",
            default=False,
        ),
        "poll": Option(
            type=Poll,
            description="A poll: `{question, options[2-4], duration?}`, for `ONE_DAY`, `THREE_DAYS`, `SEVEN_DAYS` "
            "(default) or `FOURTEEN_DAYS`. Its post has no media and no link card. The author sees who voted.",
        ),
        "reshareOf": Option(
            label="Post to reshare",
            type=PostAddress,
            description="A post of LinkedIn that is shown below the text: its address, which its menu copies, or its "
            "URN. Not with media, a poll or a link card.",
        ),
    },
    rate_limit=RateLimit(count=100_000, seconds=86_400, per="app"),
    notes="A member can publish 150 posts a day through an app. Mentions are written "
    "`@[Exact Name](urn:li:organization:123)`. Tokens last 60 days; only apps that LinkedIn approved for it can renew "
    "them, so members connect again.",
)


def card_link(outgoing: Outgoing) -> str | None:
    """Return the address that the post shows as a card; None for no card."""
    if outgoing.media or is_attached(outgoing) or outgoing.options.get("disableLinkPreview") is True:
        return None
    match = None if outgoing.link else _LINK.search(outgoing.text)
    return outgoing.link or (links.balanced(match[0]) if match else None)


def text_of(outgoing: Outgoing) -> str:
    """Return the text of the post, with its link if that is not shown as a card."""
    in_text = bool(outgoing.media) or card_link(outgoing) is None
    return text_with_link(FACTS, outgoing.text, outgoing.link, has_media=in_text)


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check the link in the text, author, audience, first comment, poll and reshare, and files beyond the facts."""
    issues = [*_text(outgoing), *_options(outgoing, account_facts), *_comment(outgoing), *attachment_issues(outgoing)]
    for index, media in enumerate(outgoing.media):
        check = _video if media.kind == "video" else _image
        issues += check(media, f"/media/{index}")
    return issues


def _text(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    text, limit = text_of(outgoing), FACTS.text.max_length
    # Without a card and without media, the general check does not know of the link in the text.
    if not outgoing.media and text != outgoing.text:
        yield from _length("text.max_utf16", "/text", "The text with its link", visible_text(text), limit)
    for mention in broken_mentions(outgoing.text):
        message = (
            f"{mention[:200]} is no mention. Write @[Exact Name](urn:li:organization:1234), or `person` in its place; "
            "the name has no brackets."
        )
        yield PreflightIssue("linkedin.text.mention", "/text", message, {"mention": mention[:200]})


def _comment(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    if outgoing.first_comment:
        if mentions(outgoing.first_comment):
            message = "A first comment mentions nobody: readers would see the markup. Write the name alone."
            yield PreflightIssue("linkedin.comment.mention", "/firstComment", message)
        yield from _length("comment.max", "/firstComment", "The comment", outgoing.first_comment, COMMENT_MAX)


def _length(rule: str, path: str, what: str, text: str, limit: int) -> Iterator[PreflightIssue]:
    actual = length(TextRule(max_length=limit, unit="utf16"), text)
    if actual > limit:
        message = f"{what} is {actual} UTF-16 units long; LinkedIn allows {limit}."
        yield PreflightIssue(f"linkedin.{rule}", path, message, {"limit": limit, "actual": actual})


def _options(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    author = outgoing.options.get("author") or account_facts.get("author")
    if isinstance(author, str) and ":organization:" in author and outgoing.options.get("visibility") == "connections":
        message = "An organization has no connections. Choose public or loggedIn."
        yield PreflightIssue("linkedin.options.visibility", "/options/visibility", message)
    own = account_facts.get("author")
    if isinstance(author, str) and ":person:" in author and isinstance(own, str) and author != own:
        message = f"Nobody can post in the name of another member. This account is {own}."
        yield PreflightIssue("linkedin.options.author", "/options/author", message)
    yield from audience_issues(outgoing, author)


def _image(media: OutgoingMedia, path: str) -> Iterator[PreflightIssue]:
    if media.kind != "document" and media.size_bytes > _IMAGE_BYTES:
        message = f"This file is {media.size_bytes} bytes large; LinkedIn may refuse images over {_IMAGE_BYTES}."
        params = {"limit": _IMAGE_BYTES, "actual": media.size_bytes}
        yield PreflightIssue("linkedin.media.large_image", path, message, params, severity="warning")


def _video(media: OutgoingMedia, path: str) -> Iterator[PreflightIssue]:
    smallest, usual = _VIDEO_BYTES
    if media.size_bytes < smallest:
        message = f"This video is {media.size_bytes} bytes large; LinkedIn needs at least {smallest}."
        params = {"limit": smallest, "actual": media.size_bytes}
        yield PreflightIssue("linkedin.media.min_bytes", path, message, params)
    if media.size_bytes > usual:
        message = f"This video is {media.size_bytes} bytes large; LinkedIn may refuse videos over {usual}."
        params = {"limit": usual, "actual": media.size_bytes}
        yield PreflightIssue("linkedin.media.large_video", path, message, params, severity="warning")
    if media.duration_ms is not None and media.duration_ms < 1_000 * _VIDEO_SECONDS_MIN:
        message = f"This video is {media.duration_ms} milliseconds long; LinkedIn needs {_VIDEO_SECONDS_MIN} s."
        params = {"limit": 1_000 * _VIDEO_SECONDS_MIN, "actual": media.duration_ms}
        yield PreflightIssue("linkedin.media.min_duration", path, message, params)
    if media.width and media.height and max(media.width, media.height) > _RATIO_MAX * min(media.width, media.height):
        message = f"This video is {media.width}x{media.height}; LinkedIn allows 1:{_RATIO_MAX} to {_RATIO_MAX}:1."
        params = {"width": media.width, "height": media.height}
        yield PreflightIssue("linkedin.media.ratio", path, message, params)
