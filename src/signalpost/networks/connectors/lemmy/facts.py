"""What Lemmy allows everywhere, and the values of its options. What a community takes is read before each post."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec

from signalpost.kit import issue_text
from signalpost.networks.connectors.lemmy.sources import SOURCES
from signalpost.networks.contract import (
    Appearance,
    CredentialField,
    Facts,
    MediaRule,
    Option,
    Outgoing,
    PreflightIssue,
    RateLimit,
    TextRule,
)
from signalpost.networks.counting import length

COMMENT_MAX: Final = 10_000  # UTF-16 units, as Lemmy counts: `is_valid_body_field` of 0.19 (read on 2026-11-29)
URL_MAX: Final = 2_000
TITLE_MIN: Final = 3
_FILES_MAX, _FILE_BYTES_MAX, _ALT_MAX = 6, 19_000_000, 1_500
Address = Annotated[str, msgspec.Meta(pattern=r"^https?://\S+$", max_length=URL_MAX)]
_Community = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[^\s@!/]{1,255}(@[^\s@!/]{1,253})?$",
        extra={issue_text.FORMAT: "Must be the name of a community, such as bread or bread@lemmy.world."},
    ),
]

FACTS = Facts(
    key="lemmy",
    name="Lemmy",
    source="the source of Lemmy 0.19.20 (API v3) and the types of lemmy-js-client 0.19",
    verified_on="2026-11-29",
    sources=SOURCES,
    appearance=Appearance(card="small"),
    api_version="v3",
    credential_fields=(
        CredentialField(name="instanceUrl", label="Your instance, for example lemmy.world"),
        CredentialField(name="username", label="Username or e-mail address"),
        CredentialField(name="password", label="Password (it is not kept)", secret=True),
        CredentialField(name="code", label="Code of two-factor authentication, if you use it", required=False),
    ),
    rate_limit=RateLimit(count=6, seconds=600, per="account"),  # of an address, at each instance
    text=TextRule(max_length=50_000, unit="utf16"),
    title=TextRule(max_length=200, unit="code_point", required=True),
    link="field",
    first_comment=True,
    media={
        "image": MediaRule(
            per_post=_FILES_MAX,
            bytes_max=_FILE_BYTES_MAX,
            mime_types=("image/jpeg", "image/png", "image/webp", "image/avif"),
            alt_text_max=_ALT_MAX,
        ),
        "gif": MediaRule(
            per_post=_FILES_MAX, bytes_max=_FILE_BYTES_MAX, mime_types=("image/gif",), alt_text_max=_ALT_MAX
        ),
    },
    media_total=_FILES_MAX,
    media_mixed=True,
    options={
        "community": Option(
            type=_Community,
            description="The community: its name at the account's instance, or its name with `@` and the instance it "
            "is at, such as `bread@lemmy.world`.",
            label="Community",
            required=True,
            live=True,
        ),
        "language": Option(
            type=Annotated[
                str,
                msgspec.Meta(pattern=r"^[a-z]{2,3}$", extra={issue_text.FORMAT: issue_text.LANGUAGE_TAG}),
            ],
            description="The language of the post, such as `en`. Defaults to the profile's language, and without one "
            "to what the account and the community have in common.",
        ),
        "nsfw": Option(
            type=bool, description="Whether the post is for adults only.", label="For adults (NSFW)", default=False
        ),
        "thumbnailUrl": Option(
            type=Address,
            description="The address of a picture that lists show beside the link. By default the instance takes the "
            "one of the page.",
            label="Address of the preview picture",
        ),
    },
    metrics_per_call=20,
    notes="The text is Markdown. A link is the address of the post; without one the first picture is, and the other "
    "pictures stand below the text. Likes are upvotes, the account's own included. What the community takes is read "
    "before anything is sent. Instances with Lemmy 0.19 are supported.",
)


def preflight(outgoing: Outgoing, _account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check what Lemmy refuses on every instance."""
    return [*_place(outgoing), *_lengths(outgoing)]


def _place(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    if not outgoing.options.get("community"):
        message = "Name a community in options.community."
        yield PreflightIssue("lemmy.community.required", "/options/community", message)
    title = (outgoing.title or "").strip()
    if title and (len(title) < TITLE_MIN or "\n" in title):
        message = f"A title on Lemmy is one line of {TITLE_MIN} characters or more."
        yield PreflightIssue("lemmy.title.one_line", "/title", message, {"limit": TITLE_MIN, "actual": len(title)})


def _lengths(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    comment, link = length(FACTS.text, outgoing.first_comment or ""), length(FACTS.text, outgoing.link or "")
    if comment > COMMENT_MAX:
        message = f"The first comment is {comment} characters long; Lemmy allows {COMMENT_MAX}."
        yield PreflightIssue("lemmy.comment.max", "/firstComment", message, {"limit": COMMENT_MAX, "actual": comment})
    if link > URL_MAX:
        message = f"The link is {link} characters long; Lemmy allows {URL_MAX}."
        yield PreflightIssue("lemmy.link.max", "/link", message, {"limit": URL_MAX, "actual": link})
    if outgoing.options.get("thumbnailUrl") and not outgoing.link:
        message = "A preview picture stands beside a link, and this post has none: leave it out, or add the link."
        yield PreflightIssue("lemmy.thumbnail.without_link", "/options/thumbnailUrl", message)
