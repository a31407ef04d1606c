"""What Instagram accepts, and the values of its options."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from signalpost.networks.connectors.instagram import appearance
from signalpost.networks.connectors.instagram.sources import SOURCES
from signalpost.networks.contract import Facts, MediaRule, Option, Outgoing, OutgoingMedia, PreflightIssue, TextRule
from signalpost.networks.fetching import unreachable
from signalpost.networks.meta.graph import GRAPH_SUNSET_ON, GRAPH_VERSION

FACEBOOK_LOGIN = "facebook"
HASHTAGS_MAX, HASHTAGS_WARN, MENTIONS_MAX = 30, 5, 20
RATIO_MIN, RATIO_MAX = 0.75, 1.91
"""Width by height. The documentation of the API still says 4:5; Instagram's help says 3:4, as live accounts do."""
REEL_MS, STORY_MS = (3_000, 900_000), (3_000, 60_000)
STORY_BYTES_MAX = 100_000_000
_HASHTAG = re.compile(r"(?<![\w&])#\w")
_MENTION = re.compile(r"(?<!\w)@\w")

Username = Annotated[str, msgspec.Meta(pattern=r"^@?[A-Za-z0-9._]{1,30}$")]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Volume = Annotated[int, msgspec.Meta(ge=0, le=100)]
"""Music: developers.facebook.com, Instagram Audio API, 2026-06-16, and late-sdk 0.0.1012, read on 2026-11-29 (volumes,
Facebook Login alone); seen at work by a publisher of reels on 2026-07-28. The label of AI: changelog of the platform,
2026-06-22."""


class UserTag(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """Someone who is tagged in a file; the place is a share of width and height, and images need it."""

    username: Username
    x: Annotated[Share, msgspec.Meta(title="From the left edge, 0 to 1")] | None = None
    y: Annotated[Share, msgspec.Meta(title="From the top edge, 0 to 1")] | None = None
    index: Annotated[int, msgspec.Meta(title="Number of the file, from 0", ge=0, le=9)] = 0  # of the file in the post


FACTS = Facts(
    key="instagram",
    name="Instagram",
    source="developers.facebook.com: Instagram Platform, content publishing and insights",
    verified_on="2026-11-22",
    sources={**SOURCES, **appearance.SOURCES},
    appearance=appearance.APPEARANCE,
    api_version=GRAPH_VERSION,
    api_sunset_on=GRAPH_SUNSET_ON,
    base_url="https://graph.instagram.com",
    hosts={
        "web": "https://www.instagram.com",
        "api": "https://api.instagram.com",
        "facebook": "https://www.facebook.com",
        "graph": "https://graph.facebook.com",
        "upload": "https://rupload.facebook.com",
    },
    app_credentials=True,
    text=TextRule(max_length=2_200, unit="utf16"),
    reply_text=TextRule(max_length=2_196, unit="utf16"),
    media={
        "image": MediaRule(
            per_post=10,
            bytes_max=8_000_000,
            mime_types=("image/jpeg",),
            ratio_min=RATIO_MIN,
            ratio_max=RATIO_MAX,
            alt_text_max=1_000,
            mixes_with=("video",),
        ),
        "video": MediaRule(
            per_post=10,
            bytes_max=300_000_000,
            mime_types=("video/mp4", "video/quicktime"),
            duration_ms_max=REEL_MS[1],
            mixes_with=("image",),
        ),
    },
    media_total=10,
    media_required=True,
    first_comment=True,
    stories=True,
    options={
        "type": Option(
            label="Kind of post",
            type=Literal["feed", "reel", "story", "carousel"],
            description="What the post becomes. Default: a carousel of several files, a reel of a video, else `feed`.",
        ),
        "fit": Option(
            label="Fit pictures",
            type=Literal["pad", "crop"],
            description="What becomes of images that are taller than 3:4 or wider than 1.91:1: `pad` puts them on a "
            "white canvas, `crop` cuts off their edges. Without it they are refused. Not for stories and reels.",
        ),
        "shareToFeed": Option(
            label="Share to the feed", type=bool, description="Whether a reel is also in the feed of the account."
        ),
        "collaborators": Option(
            type=Annotated[list[Username], msgspec.Meta(max_length=3)],
            description="At most 3 users who are asked to share the post as its authors. Not for stories.",
        ),
        "userTags": Option(
            label="Tagged users",
            type=Annotated[list[UserTag], msgspec.Meta(max_length=20)],
            description="Users who are tagged: `{username, x, y, index?}`; x and y (0 to 1) say where in the image, "
            "index says in which file of a carousel.",
        ),
        "locationId": Option(
            label="Place",
            type=Annotated[str, msgspec.Meta(pattern=r"^\d{1,30}$")],
            description="The id of a Facebook Page that is a place.",
        ),
        "audioName": Option(
            label="Name of the sound",
            type=Annotated[str, msgspec.Meta(min_length=1, max_length=100)],
            description="What a reel's own sound is called.",
        ),
        "coverTimeMs": Option(
            label="Cover frame (ms)",
            type=Annotated[int, msgspec.Meta(ge=0, le=900_000)],
            description="The frame of a reel that is its cover, in milliseconds.",
        ),
        "coverUrl": Option(
            label="Cover picture",
            type=Annotated[str, msgspec.Meta(pattern=r"^https://\S+$", max_length=2_048)],
            description="The https address of a JPEG that is the cover of a reel, instead of one of its frames.",
        ),
        "paidPartnership": Option(
            type=bool, description="Labels the post as a paid partnership. Not for stories.", default=False
        ),
        "aiGenerated": Option(
            label="Generated by AI",
            type=bool,
            description="Labels the post as made with AI. Not for stories.",
            default=False,
        ),
        "musicId": Option(
            label="Music",
            type=Annotated[str, msgspec.Meta(pattern=r"^\d{1,30}$")],
            description="Music of Instagram's catalogue for a reel. For accounts that are connected through a Facebook "
            "Page.",
            live=True,
        ),
        "musicVolume": Option(
            label="Volume of the music", type=Volume, description="From 0 to 100, which is the default."
        ),
        "videoVolume": Option(
            label="Volume of the video's own sound",
            type=Volume,
            description="Beside music, from 0 to 100, which is the default.",
        ),
        "trialReel": Option(
            type=Literal["manual", "performance"],
            description="Shows a reel to people who do not follow the account first. Followers see it when you say so "
            "(`manual`) or when it does well (`performance`).",
        ),
    },
    notes="Professional accounts only. Instagram downloads images from this service, so SIGNALPOST_BASE_URL must be a "
    "public https address; videos of accounts that are connected through a Facebook Page are uploaded. Captions "
    "have at most 30 hashtags and 20 mentions. Instagram says itself how many posts a day it accepts (50 or 100). "
    "Posts can be deleted for accounts that are connected through a Facebook Page.",
    comments_note="Instagram lets only apps that it has selected like comments. Hidden comments cannot be answered.",
    comments_scopes=(("instagram_business_manage_comments",), ("instagram_manage_comments",)),
    replies_are_posts=False,
)


def kind_of(outgoing: Outgoing) -> str:
    """Return what the post becomes: feed, reel, story or carousel."""
    kind, media = outgoing.options.get("type"), outgoing.media
    if len(media) > 1 and kind != "story":
        return "carousel"
    if kind != "story" and media and media[0].kind == "video":
        return "reel"
    return str(kind or "feed")


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check captions, what a reel, a story and a carousel consist of, and whether the files can be downloaded."""
    kind = kind_of(outgoing)
    issues = [*_caption(outgoing.text), *_type(outgoing, kind), *_options(outgoing, kind)]
    issues += _music(outgoing, account_facts)
    for index, media in enumerate(outgoing.media):
        uploads = media.kind == "video" and account_facts.get("login") == FACEBOOK_LOGIN
        issues += unreachable(FACTS, media, f"/media/{index}") if not uploads else []
        issues += _file(media, kind, index)
    return issues


def _issue(rule: str, path: str, message: str, severity: Any = "error", **params: Any) -> PreflightIssue:
    return PreflightIssue(f"instagram.{rule}", path, message, params or None, severity)


def _caption(text: str) -> Iterator[PreflightIssue]:
    hashtags, mentions = len(_HASHTAG.findall(text)), len(_MENTION.findall(text))
    if hashtags > HASHTAGS_MAX:
        message = f"The caption has {hashtags} hashtags; Instagram allows {HASHTAGS_MAX}."
        yield _issue("text.hashtags", "/text", message, limit=HASHTAGS_MAX, actual=hashtags)
    elif hashtags > HASHTAGS_WARN:
        message = f"The caption has {hashtags} hashtags; Instagram's own app allows {HASHTAGS_WARN}."
        yield _issue("text.many_hashtags", "/text", message, "warning", limit=HASHTAGS_WARN, actual=hashtags)
    if mentions > MENTIONS_MAX:
        message = f"The caption mentions {mentions} users; Instagram allows {MENTIONS_MAX}."
        yield _issue("text.mentions", "/text", message, limit=MENTIONS_MAX, actual=mentions)


def _type(outgoing: Outgoing, kind: str) -> Iterator[PreflightIssue]:
    wanted_type, media = outgoing.options.get("type"), outgoing.media
    if not media:
        return  # the general check says so
    if wanted_type == "reel" and [file.kind for file in media] != ["video"]:
        yield _issue("reel.one_video", "/media", "A reel consists of one video.")
    if wanted_type == "carousel" and len(media) < 2:
        yield _issue("carousel.min_files", "/media", "A carousel has 2 to 10 files.")
    if kind != "story":
        return
    if len(media) != 1:
        yield _issue("story.one_file", "/media", "A story consists of one image or one video.")
    if outgoing.text.strip():
        yield _issue("story.text_ignored", "/text", "A story shows no caption; it is published without.", "warning")
    if outgoing.first_comment:
        yield _issue("first_comment.impossible", "/firstComment", "A story cannot have a first comment.")


_FOR: Mapping[str, frozenset[str]] = {
    "fit": frozenset({"feed", "carousel"}),
    "shareToFeed": frozenset({"reel"}),
    "audioName": frozenset({"reel"}),
    "coverTimeMs": frozenset({"reel"}),
    "coverUrl": frozenset({"reel"}),
    "trialReel": frozenset({"reel"}),
    "paidPartnership": frozenset({"feed", "reel", "carousel"}),
    "aiGenerated": frozenset({"feed", "reel", "carousel"}),
    "musicId": frozenset({"reel"}),
    "musicVolume": frozenset({"reel"}),
    "videoVolume": frozenset({"reel"}),
    "collaborators": frozenset({"feed", "reel", "carousel"}),
    "locationId": frozenset({"feed", "reel", "carousel"}),
}


def _options(outgoing: Outgoing, kind: str) -> Iterator[PreflightIssue]:
    for name, kinds in _FOR.items():
        if outgoing.options.get(name) is not None and kind not in kinds:
            message = f"This option is for a post of the type {' or '.join(sorted(kinds))}; this one is a {kind}."
            yield _issue("options.type_mismatch", f"/options/{name}", message)
    if outgoing.options.get("coverUrl") is not None and outgoing.options.get("coverTimeMs") is not None:
        message = "A reel has one cover: an image of its own, or a frame."
        yield _issue("options.two_covers", "/options/coverTimeMs", message)
    try:
        tags = msgspec.convert(outgoing.options.get("userTags") or [], list[UserTag])
    except msgspec.ValidationError:
        return  # reported by the general check of options
    for number, tag in enumerate(tags):
        path = f"/options/userTags/{number}"
        if tag.index >= max(len(outgoing.media), 1):
            yield _issue("user_tags.index", f"{path}/index", "The post has no file with this index.")
        elif kind in {"feed", "carousel"} and (tag.x is None or tag.y is None):
            yield _issue("user_tags.place_required", path, "A tag in an image needs x and y.")


def _music(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    options = outgoing.options
    if options.get("musicId") is None:
        for name in ("musicVolume", "videoVolume"):
            if options.get(name) is not None:
                message = f"A reel without music has no {name}; it is left out."
                yield _issue("options.unused", f"/options/{name}", message, "warning")
    elif account_facts.get("login") != FACEBOOK_LOGIN:
        message = "Instagram adds music only for accounts that were connected through a Facebook Page."
        yield _issue("options.music_needs_page", "/options/musicId", message)


def _file(media: OutgoingMedia, kind: str, index: int) -> Iterator[PreflightIssue]:
    path = f"/media/{index}"
    if media.kind == "image" and kind != "story" and media.width and media.height:
        ratio = media.width / media.height
        if not RATIO_MIN - 0.005 <= ratio <= RATIO_MAX + 0.005:
            message = (
                f"Instagram takes images from 3:4 to 1.91:1; this one is {media.width} by {media.height}. "
                "The option fit can pad or crop it."
            )
            yield _issue("media.aspect_ratio", path, message, width=media.width, height=media.height)
    if media.kind == "video":
        least, most = STORY_MS if kind == "story" else REEL_MS
        if media.duration_ms is not None and not least <= media.duration_ms <= most and media.duration_ms <= REEL_MS[1]:
            message = (
                f"This video is {media.duration_ms / 1000:g} s long; {least // 1000} to {most // 1000} s are allowed."
            )
            yield _issue("media.duration", path, message, minimum=least, limit=most, actual=media.duration_ms)
        if kind == "story" and media.size_bytes > STORY_BYTES_MAX:
            message = f"A video of a story has at most {STORY_BYTES_MAX} bytes; this one has {media.size_bytes}."
            yield _issue("story.max_bytes", path, message, limit=STORY_BYTES_MAX, actual=media.size_bytes)
