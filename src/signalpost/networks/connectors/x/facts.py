"""What X allows, and the values of its options."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
import regex

from signalpost.networks.connectors.x import appearance
from signalpost.networks.connectors.x.sources import SOURCES
from signalpost.networks.contract import Facts, MediaRule, Option, Outgoing, PreflightIssue, RateLimit, TextRule
from signalpost.networks.preflight import part_path

Choice = Annotated[str, msgspec.Meta(min_length=1, max_length=25)]
PostId = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,19}$")]
PREMIUM = frozenset({"Premium", "PremiumPlus"})
PREMIUM_LIMITS: Mapping[str, Any] = {
    "text": {"max_length": 25_000},
    "media": {"video": {"duration_ms_max": 14_400_000}},
}
VIDEO_MS_PROMISED = 140_000
"""X promises so much to everybody; it sets the real limit for each account, and takes longer ones from many."""
# Whom an app may reply to: the news of X Developers of 2026-02-24 (POST /2/tweets), and in production
# github.com/gptme/gptme-contrib/pull/811, 2026-05-02, with the words of the refusal; whom it may quote: docs.x.com,
# changelog of 2026-04-20, and zernio-sdk 1.4.1385, read on 2026-11-27.
_MENTION = regex.compile(r"(?<![\w@/])@([A-Za-z0-9_]{1,15})(?![\w@])")
_CASHTAG = regex.compile(r"(?<![\w$])\$[A-Za-z]{1,6}(?!\w)")


class Poll(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A poll on the first post, which then has no media."""

    options: Annotated[list[Choice], msgspec.Meta(title="Choices", min_length=2, max_length=4)]
    minutes: Annotated[int, msgspec.Meta(title="Duration in minutes", ge=5, le=10_080)]


FACTS = Facts(
    key="x",
    name="X",
    source="docs.x.com (OpenAPI 2.167, rate limits), twitter-text configuration v3",
    verified_on="2026-11-22",
    comments_note="X charges for each post that is read, 0.005 US dollars in 2026, so this version reads none.",
    sources={**SOURCES, **appearance.SOURCES},
    appearance=appearance.APPEARANCE,
    api_version="2",
    base_url="https://api.x.com",
    hosts={"www": "https://x.com"},
    app_credentials=True,
    text=TextRule(max_length=280, unit="weighted", url_length=23),
    media={
        "image": MediaRule(
            per_post=4,
            bytes_max=5_000_000,
            mime_types=("image/jpeg", "image/png", "image/webp"),
            alt_text_max=1_000,
        ),
        "gif": MediaRule(
            per_post=1,
            bytes_max=15_000_000,
            mime_types=("image/gif",),
            pixels_max=1_382_400,  # 1280 x 1080, of one frame
            alt_text_max=1_000,
        ),
        "video": MediaRule(
            per_post=1,
            bytes_max=512_000_000,
            mime_types=("video/mp4", "video/quicktime"),
            duration_ms_max=1_200_000,
        ),
    },
    media_total=4,
    thread_parts_max=50,
    first_comment=True,
    options={
        "replySettings": Option(
            label="Who can reply",
            type=Literal["everyone", "following", "mentionedUsers", "subscribers", "verified"],
            description="Who can reply: `everyone` (default), `following`, `mentionedUsers`, `subscribers` or"
            " `verified`. Not for a reply.",
            default="everyone",
        ),
        "replyToId": Option(
            label="Post to reply to",
            type=PostId,
            description="The id of a post to reply to. X accepts replies to others only if their post mentions the "
            "account or quotes one of its posts.",
        ),
        "quoteId": Option(
            label="Post to quote",
            type=PostId,
            description="The id of a post to quote, without media or poll: one of the account's own, or one that "
            "mentions it. X lets only Enterprise apps quote others.",
        ),
        "communityId": Option(label="Community", type=PostId, description="The id of a community to post in."),
        "poll": Option(type=Poll, description="A poll: `{options[2-4], minutes}`. A post with a poll has no media."),
        "madeWithAi": Option(
            label="Made with AI", type=bool, description="Labels the post as made with AI.", default=False
        ),
        "paidPartnership": Option(type=bool, description="Labels the post as a paid partnership.", default=False),
    },
    rate_limit=RateLimit(count=10_000, seconds=86_400, per="app"),
    metrics_per_call=100,
    notes="An account with X Premium can post 25,000 characters and longer videos. X charges the operator for each "
    "post, more for one with a link, and refuses a text that the account posted shortly before. The first comment is a "
    "reply to the last post of the thread.",
)


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check what X allows in one post at a time, whom it may reply to and mention, and how long its video is."""
    is_premium = account_facts.get("subscription") in PREMIUM
    issues = [*_cashtags(outgoing), *_attachments(outgoing), *_replies(outgoing)]
    return issues if is_premium else [*issues, *_long_videos(outgoing)]


def _cashtags(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    for index, part in enumerate(outgoing.parts):
        count = len(_CASHTAG.findall(part.text))
        if count > 1:
            message = f"A post on X can have one cashtag; this one has {count}."
            path = part_path(index, "text")
            yield PreflightIssue("x.text.max_cashtags", path, message, {"limit": 1, "actual": count})


def _attachments(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    options = outgoing.options
    if options.get("poll") is not None and outgoing.media:
        yield PreflightIssue("x.poll.with_media", "/options/poll", "A post can have a poll or media, not both.")
    if options.get("quoteId") is not None and (outgoing.media or options.get("poll") is not None):
        message = "A post that quotes another can have neither media nor a poll."
        yield PreflightIssue("x.quote.with_media", "/options/quoteId", message)


def _replies(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    options = outgoing.options
    is_reply = options.get("replyToId") is not None
    if is_reply and options.get("replySettings", "everyone") != "everyone":
        message = "A reply cannot say who can reply: that is decided by the post that it replies to."
        yield PreflightIssue("x.reply.with_settings", "/options/replySettings", message)
    if is_reply:
        message = (
            "X takes a reply only to a post of this account, or of someone who mentioned it there or quoted one of "
            "its posts, and refuses this one otherwise."
        )
        yield PreflightIssue("x.reply.uninvited", "/options/replyToId", message, severity="warning")
    if options.get("quoteId") is not None:
        message = "X lets this app quote only posts of this account and posts that mention it, unless it is Enterprise."
        yield PreflightIssue("x.quote.uninvited", "/options/quoteId", message, severity="warning")
    for index, part in enumerate(outgoing.parts):
        names = dict.fromkeys(_MENTION.findall(part.text))
        if names and not is_reply:
            message = "X restricts mentions of people who did not ask for them, and may refuse this post for that."
            params = {"mentions": list(names)[:10]}
            yield PreflightIssue("x.text.mentions", part_path(index, "text"), message, params, "warning")


def _long_videos(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    for index, part in enumerate(outgoing.parts):
        for number, media in enumerate(part.media):
            if media.kind == "video" and (media.duration_ms or 0) > VIDEO_MS_PROMISED:
                seconds = (media.duration_ms or 0) / 1000
                message = f"This video is {seconds:g} s long; X may refuse more than 140 s without X Premium."
                params = {"limit": VIDEO_MS_PROMISED, "actual": media.duration_ms}
                path = f"{part_path(index, 'media')}/{number}"
                yield PreflightIssue("x.media.long", path, message, params, "warning")
