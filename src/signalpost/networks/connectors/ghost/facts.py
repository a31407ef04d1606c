"""What Ghost allows, and the values of its options."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from signalpost.networks.connectors.ghost.sources import SOURCES
from signalpost.networks.contract import (
    Appearance,
    CredentialField,
    Facts,
    MediaRule,
    Option,
    Outgoing,
    PreflightIssue,
    TextRule,
    View,
)

Name = Annotated[str, msgspec.Meta(pattern=r"\S", max_length=191)]
Slug = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=185)]
FILE_BYTES_MAX: Final = 100_000_000
SEGMENTS: Final[Mapping[str, str]] = {"everyone": "all", "unpaid": "status:free", "paid": "status:-free"}
"""Ghost's filters of members by the values of `emailSegment`."""
_OF_MAIL: Final = ("emailSegment", "emailOnly", "emailSubject")


def _file(*mime_types: str, **rest: Any) -> MediaRule:
    return MediaRule(per_post=20, bytes_max=FILE_BYTES_MAX, mime_types=mime_types, **rest)


_OF_A_POST: Final[Mapping[str, Option]] = {
    "status": Option(
        type=Literal["published", "draft"],
        description="`published` (default) or `draft`.",
        label="Status of the post",
        default="published",
    ),
    "visibility": Option(
        type=Literal["public", "members", "paid"],
        description="Who may read the post: everybody (default), members, or paying members.",
        label="Who may read it",
        default="public",
    ),
    "tags": Option(
        type=Annotated[list[Name], msgspec.Meta(max_length=50)],
        description="Names of tags. One that does not exist is made. One that begins with `#` is not shown to readers.",
        label="Tags of the post",
    ),
    "authors": Option(
        type=Annotated[list[Name], msgspec.Meta(max_length=10)],
        description="E-mail addresses of people who work on the site. By default the owner of the site is the author.",
        label="Authors",
    ),
    "excerpt": Option(
        type=Annotated[str, msgspec.Meta(max_length=300)],
        description="A summary that lists of posts show instead of the beginning.",
        label="Excerpt",
    ),
    "slug": Option(
        type=Slug,
        description="The end of the address of the post, in lower case with hyphens. By default Ghost makes it of the "
        "title, and adds a number to one that is taken.",
        label="Slug",
    ),
    "canonicalUrl": Option(
        type=Annotated[str, msgspec.Meta(pattern=r"^https?://\S+$", max_length=2_000)],
        description="Where the post first appeared; search engines then count that page.",
        label="Canonical address",
    ),
    "featured": Option(
        type=bool,
        description="Whether the theme shows the post as a featured one.",
        label="Featured post",
        default=False,
    ),
    "featuredImage": Option(
        type=bool,
        description="Whether the first image is the featured image, which the theme shows, instead of standing in "
        "the text with the others.",
        label="First image as featured image",
        default=True,
    ),
    "caption": Option(
        type=Annotated[str, msgspec.Meta(max_length=2_000)],
        description="The caption of the featured image.",
        label="Caption",
    ),
}
_OF_A_MAIL: Final[Mapping[str, Option]] = {
    "newsletter": Option(
        type=Slug,
        description="The slug of a newsletter: the post is sent to its members by e-mail, once. Without it nobody gets "
        "an e-mail.",
        label="Send as newsletter",
    ),
    "emailSegment": Option(
        type=Literal["everyone", "unpaid", "paid"],
        description="Which members of the newsletter get the e-mail: `everyone` (default), `unpaid` or `paid`.",
        label="Who gets the e-mail",
    ),
    "emailOnly": Option(
        type=bool,
        description="Whether the post is sent by e-mail alone, and does not appear on the site.",
        label="By e-mail alone",
    ),
    "emailSubject": Option(
        type=Annotated[str, msgspec.Meta(max_length=300)],
        description="The subject of the e-mail, instead of the title.",
        label="Subject of the e-mail",
    ),
}
FACTS = Facts(
    key="ghost",
    name="Ghost",
    source="docs.ghost.org/admin-api (2026-08-22) and the source of Ghost 5 and 6",
    verified_on="2026-11-28",
    sources=SOURCES,
    appearance=Appearance(views=(View(kind="article", text="below"),)),
    credential_fields=(
        CredentialField(name="siteUrl", label="Address of your site, for example https://blog.example.com"),
        CredentialField(
            name="adminApiKey", label="Admin API key (Settings, Integrations, Add custom integration)", secret=True
        ),
    ),
    text=TextRule(max_length=50_000, unit="code_point"),
    title=TextRule(max_length=255, unit="code_point", required=True),
    media={
        "image": _file("image/jpeg", "image/png", "image/webp", alt_text_max=191),
        "gif": _file("image/gif", alt_text_max=191),
        "video": _file("video/mp4", "video/webm", "video/ogg"),
        "audio": _file("audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav"),
        "document": _file("application/pdf"),
    },
    media_total=20,
    media_mixed=True,
    options={**_OF_A_POST, **_OF_A_MAIL},
    comments_note="Ghost has an answer written by a member of the site, which an account is not, and lets no "
    "integration like comments. Older versions of Ghost let integrations read none.",
    notes="A post is made as a draft and then published. Its text becomes paragraphs with links; then come the files, "
    "several images as galleries of nine. How large a file may be, each site decides. Nobody gets an e-mail unless "
    "`newsletter` says so.",
)


def preflight(outgoing: Outgoing, _account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check what belongs to a newsletter."""
    options, issues = outgoing.options, []
    if options.get("newsletter") and options.get("status") == "draft":
        message = "A draft is not sent to anybody: leave the newsletter out, or publish the post."
        issues.append(PreflightIssue("ghost.newsletter.draft", "/options/newsletter", message))
    for name in _OF_MAIL:
        if options.get(name) and not options.get("newsletter"):
            message = "Without a newsletter nothing is sent by e-mail: name one, or leave this out."
            issues.append(PreflightIssue("ghost.newsletter.missing", f"/options/{name}", message))
    return issues
