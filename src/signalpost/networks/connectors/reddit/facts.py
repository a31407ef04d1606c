"""What Reddit allows everywhere. What a subreddit allows is read before each post, by `rules`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

import msgspec

from signalpost.networks.connectors.reddit.sources import SOURCES
from signalpost.networks.contract import (
    Appearance,
    Facts,
    MediaRule,
    Option,
    Outgoing,
    PreflightIssue,
    RateLimit,
    TextRule,
)

PostKind = Literal["self", "link", "image", "gallery", "video", "crosspost"]
COMMENT_MAX: Final = 10_000
_PICTURE_BYTES_MAX: Final = 20_000_000
_Subreddit = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_-]{1,22}$")]
_FlairId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9-]{8,40}$")]
_PostId = Annotated[str, msgspec.Meta(pattern=r"^(t3_)?[a-z0-9]{4,13}$")]

FACTS = Facts(
    key="reddit",
    name="Reddit",
    source="www.reddit.com/dev/api, github.com/reddit-archive/reddit, and answers of Reddit recorded by PRAW",
    verified_on="2026-11-28",
    sources=SOURCES,
    appearance=Appearance(marks=("link",), card="small"),
    base_url="https://oauth.reddit.com",
    hosts={
        "www": "https://www.reddit.com",
        "pictures": "https://reddit-uploaded-media.s3-accelerate.amazonaws.com",
        "videos": "https://reddit-uploaded-video.s3-accelerate.amazonaws.com",
    },
    app_credentials=True,
    rate_limit=RateLimit(count=20, seconds=60, per="app"),
    text=TextRule(max_length=40_000, unit="code_point"),
    title=TextRule(max_length=300, unit="code_point", required=True),
    link="card",
    first_comment=True,
    media={
        "image": MediaRule(per_post=20, bytes_max=_PICTURE_BYTES_MAX, mime_types=("image/jpeg", "image/png")),
        "gif": MediaRule(per_post=1, bytes_max=_PICTURE_BYTES_MAX, mime_types=("image/gif",)),
        "video": MediaRule(
            per_post=1,
            bytes_max=1_000_000_000,
            mime_types=("video/mp4", "video/quicktime"),
            duration_ms_max=900_000,
        ),
    },
    thumbnail=MediaRule(per_post=1, bytes_max=_PICTURE_BYTES_MAX, mime_types=("image/jpeg", "image/png")),
    options={
        "subreddit": Option(
            type=_Subreddit,
            description="The name of the subreddit, without `r/`. `u_` and the account's name is its profile.",
            label="Subreddit",
            required=True,
            live=True,
        ),
        "flairId": Option(
            type=_FlairId,
            description="A flair of the subreddit. Some subreddits take no post without one.",
            label="Flair",
            live=True,
            depends_on="subreddit",
        ),
        "flairText": Option(
            type=Annotated[str, msgspec.Meta(min_length=1, max_length=64)],
            description="Another text for the flair, where the subreddit allows that.",
            label="Text of the flair",
        ),
        "nsfw": Option(
            type=bool, description="Whether the post is for adults only.", label="For adults (NSFW)", default=False
        ),
        "spoiler": Option(
            type=bool, description="Whether the post gives something away.", label="Spoiler", default=False
        ),
        "sendReplies": Option(
            type=bool,
            description="Whether Reddit sends replies to the inbox of the account.",
            label="Replies to the inbox",
            default=True,
        ),
        "crosspostOf": Option(
            type=_PostId,
            description="The id of a post at Reddit to share in the subreddit: in its address, what stands after "
            "`comments/`. A crosspost has a title, and no text, link or files of its own.",
            label="Post to share",
        ),
    },
    metrics_per_call=100,
    notes="A link makes a link post, several pictures a gallery; the text is Markdown and stands below. A title alone "
    "is enough. What the subreddit takes is read before anything is sent. Its moderators may hide a post at once.",
)


def kind_of(outgoing: Outgoing) -> PostKind:
    """Return what Reddit calls a post like this one."""
    if outgoing.options.get("crosspostOf"):
        return "crosspost"
    if outgoing.media:
        if outgoing.media[0].kind == "video":
            return "video"
        return "gallery" if len(outgoing.media) > 1 else "image"
    return "link" if outgoing.link else "self"


def preflight(outgoing: Outgoing, _account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check what belongs together."""
    return [*_options(outgoing), *_comment(outgoing)]


def _options(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    options = outgoing.options
    if not options.get("subreddit"):
        message = "Name a subreddit in options.subreddit, or the account's own profile."
        yield PreflightIssue("reddit.subreddit.required", "/options/subreddit", message)
    if options.get("flairText") and not options.get("flairId"):
        message = "A text for the flair needs the flair: choose one in options.flairId."
        yield PreflightIssue("reddit.flair.text_alone", "/options/flairText", message)
    if options.get("crosspostOf") and (outgoing.link or outgoing.media):
        message = "A crosspost has no link and no files of its own: leave them out."
        yield PreflightIssue("reddit.crosspost.alone", "/options/crosspostOf", message)


def _comment(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    actual = len(outgoing.first_comment or "")
    if actual > COMMENT_MAX:
        message = f"The first comment is {actual} characters long; Reddit allows {COMMENT_MAX}."
        params = {"limit": COMMENT_MAX, "actual": actual}
        yield PreflightIssue("reddit.comment.max", "/firstComment", message, params)
