"""What WordPress allows, and the values of its options."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from signalpost.networks.connectors.wordpress.sources import SOURCES
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
from signalpost.networks.preflight import part_path

Name = Annotated[str, msgspec.Meta(pattern=r"\S", max_length=200)]
FILE_BYTES_MAX: Final = 100_000_000


def _file(*mime_types: str, **rest: Any) -> MediaRule:
    return MediaRule(per_post=20, bytes_max=FILE_BYTES_MAX, mime_types=mime_types, **rest)


FACTS = Facts(
    key="wordpress",
    name="WordPress",
    source="developer.wordpress.org/rest-api (WordPress 5.6 to 6.9) and the source of its controllers",
    verified_on="2026-11-28",
    sources=SOURCES,
    appearance=Appearance(views=(View(kind="article", text="below"),)),
    credential_fields=(
        CredentialField(name="siteUrl", label="Address of your site, for example https://blog.example.com"),
        CredentialField(name="username", label="Name of your user there"),
        CredentialField(
            name="applicationPassword",
            label="Application password (Users, Profile, Application Passwords)",
            secret=True,
        ),
    ),
    text=TextRule(max_length=50_000, unit="code_point"),
    title=TextRule(max_length=500, unit="code_point"),
    reply_text=TextRule(max_length=10_000, unit="code_point"),
    media={
        "image": _file("image/jpeg", "image/png", "image/webp", "image/avif", "image/heic", alt_text_max=1_000),
        "gif": _file("image/gif", alt_text_max=1_000),
        "video": _file("video/mp4", "video/webm", "video/quicktime", "video/ogg"),
        "audio": _file("audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/flac"),
        "document": _file("application/pdf"),
    },
    media_total=20,
    media_mixed=True,
    options={
        "status": Option(
            type=Literal["publish", "draft", "pending", "private"],
            description="`publish` (default), `draft`, `pending` (an editor has to approve it) or `private`.",
            label="Status of the post",
            default="publish",
        ),
        "categories": Option(
            type=Annotated[list[Name], msgspec.Meta(max_length=20)],
            description="Names of categories. One that does not exist is made, if the user may do that.",
            label="Categories",
        ),
        "tags": Option(
            type=Annotated[list[Name], msgspec.Meta(max_length=50)],
            description="Names of tags. One that does not exist is made.",
            label="Tags of the post",
        ),
        "excerpt": Option(
            type=Annotated[str, msgspec.Meta(max_length=5_000)],
            description="A summary that lists of posts show instead of the beginning.",
            label="Excerpt",
        ),
        "slug": Option(
            type=Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=190)],
            description="The end of the address of the post, in lower case with hyphens. By default WordPress makes it "
            "of the title, and adds a number to one that is taken.",
            label="Slug",
        ),
        "featuredImage": Option(
            type=bool,
            description="Whether the first image is the featured image, which the theme shows, instead of standing in "
            "the text with the others.",
            label="First image as featured image",
            default=True,
        ),
    },
    notes="A post is made of blocks: a paragraph for each of the text, with links; then the files, several images as a "
    "gallery. How large a file may be, and of which type, each site decides. A deleted post goes to the trash.",
    comments_note="WordPress has no likes. Hiding holds a comment back for moderation, and needs a user of the site "
    "who moderates comments, as editors do; others see what is shown alone.",
    replies_are_posts=False,
)


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check what the user of the site may do."""
    issues = []
    status = outgoing.options.get("status") or "publish"
    if account_facts.get("publish") is False and status in {"publish", "private"}:
        message = "This user of the site may write drafts and not publish: choose the status draft or pending."
        issues.append(PreflightIssue("wordpress.status.may_not_publish", "/options/status", message))
    if account_facts.get("upload") is False and outgoing.media:
        message = "This user of the site may not upload files: leave them out, or give the user the role of an author."
        issues.append(PreflightIssue("wordpress.media.may_not_upload", part_path(0, "media"), message))
    if not (outgoing.title or "").strip() and not outgoing.text.strip() and not outgoing.link and not outgoing.media:
        issues.append(PreflightIssue("wordpress.text.required", "/text", "A post needs a title, a text or a file."))
    return issues
