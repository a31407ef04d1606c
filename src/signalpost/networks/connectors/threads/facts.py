"""What Threads accepts, and the values of its options."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from signalpost.networks.connectors.threads import appearance
from signalpost.networks.connectors.threads.sources import SOURCES
from signalpost.networks.contract import Facts, MediaRule, Option, Outgoing, PreflightIssue, TextRule
from signalpost.networks.fetching import unreachable
from signalpost.networks.links import LINK_PATTERN
from signalpost.networks.preflight import part_path, text_of_part

LINKS_MAX = 5
RATIO_MAX = 10.0
SPOILERS_MAX = 10
"""Pieces of a text: https://developers.facebook.com/documentation/threads/create-posts/spoilers, 2026-07-02; in
production https://docs.upload-post.com/api/threads-gifs-spoilers-ghost-posts, read on 2026-11-29."""

Choice = Annotated[str, msgspec.Meta(min_length=1, max_length=25)]

FACTS = Facts(
    key="threads",
    name="Threads",
    source="developers.facebook.com: Threads API v1.0",
    verified_on="2026-11-22",
    sources=SOURCES,
    appearance=appearance.APPEARANCE,
    api_version="v1.0",
    base_url="https://graph.threads.net",
    hosts={"web": "https://threads.net"},
    app_credentials=True,
    text=TextRule(max_length=500, unit="emoji_bytes"),
    media={
        "image": MediaRule(
            per_post=20,
            bytes_max=8_000_000,
            mime_types=("image/jpeg", "image/png"),
            alt_text_max=1_000,
            mixes_with=("video",),
        ),
        "video": MediaRule(
            per_post=20,
            bytes_max=1_000_000_000,
            mime_types=("video/mp4", "video/quicktime"),
            duration_ms_max=300_000,
            alt_text_max=1_000,
            mixes_with=("image",),
        ),
    },
    media_total=20,
    link="card",
    thread_parts_max=50,
    first_comment=True,
    options={
        "topicTag": Option(
            label="Topic",
            type=Annotated[str, msgspec.Meta(pattern=r"^#?[^.&]{1,50}$")],
            description="The topic of the post: 1 to 50 characters without `.` and `&`.",
        ),
        "replyControl": Option(
            label="Who can reply",
            type=Literal[
                "everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"
            ],
            description="Who can reply: `everyone` (default), `accounts_you_follow`, `mentioned_only`, "
            "`parent_post_author_only` or `followers_only`.",
            default="everyone",
        ),
        "poll": Option(
            type=Annotated[list[Choice], msgspec.Meta(min_length=2, max_length=4)],
            description="A poll of 24 hours: 2 to 4 choices of at most 25 characters. Its post has no media and no "
            "link card.",
        ),
        "quoteId": Option(
            label="Post to quote",
            type=Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,30}$")],
            description="The id of a post to quote. Its post has no poll and no link card.",
        ),
        "spoilerMedia": Option(
            label="Hide media at first",
            type=bool,
            description="Hides images and videos until the reader taps them.",
            default=False,
        ),
        "spoilerTexts": Option(
            label="Hide words at first",
            type=Annotated[
                list[Annotated[str, msgspec.Meta(min_length=1, max_length=500)]], msgspec.Meta(max_length=SPOILERS_MAX)
            ],
            description="Words of the first post that are hidden until the reader taps them, wherever they stand in "
            "it: at most 10 places.",
        ),
        "linkAttachment": Option(
            label="Link of the card",
            type=Annotated[str, msgspec.Meta(pattern=r"^https?://\S+$", max_length=2_048)],
            description="The link that is shown as a card, instead of the post's `link`.",
        ),
    },
    notes="Threads downloads files from this service, so SIGNALPOST_BASE_URL must be a public https address; posts "
    "without media need none. An account can publish 250 posts and 1000 replies in 24 hours; the posts of a thread "
    "after the first and first comments are replies.",
    comments_note="Threads lets no app like replies or delete those of others, and hides a reply with all below it.",
    comments_scopes=(("threads_read_replies", "threads_manage_replies"),),
)


def link_of(outgoing: Outgoing) -> str | None:
    """Return the link of the card."""
    return outgoing.options.get("linkAttachment") or outgoing.link


def preflight(outgoing: Outgoing, _account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check links, polls, shapes of images, and whether the files can be downloaded."""
    issues = [*_poll(outgoing), *_quote(outgoing), *_spoilers(outgoing), *_links(outgoing)]
    for index, part in enumerate(outgoing.parts):
        for number, media in enumerate(part.media):
            path = f"{part_path(index, 'media')}/{number}"
            issues += unreachable(FACTS, media, path)
            if media.kind == "image" and media.width and media.height:
                ratio = max(media.width, media.height) / min(media.width, media.height)
                if ratio > RATIO_MAX:
                    message = f"Threads takes images of at most 10:1; this one is {media.width} by {media.height}."
                    issues.append(_issue("media.aspect_ratio", path, message))
    return issues


def _issue(rule: str, path: str, message: str, **params: Any) -> PreflightIssue:
    return PreflightIssue(f"threads.{rule}", path, message, params or None)


def _poll(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    if not outgoing.options.get("poll"):
        return
    if outgoing.media:
        yield _issue("poll.with_media", "/options/poll", "A post can have a poll or media, not both.")
    if outgoing.options.get("linkAttachment"):
        yield _issue("poll.with_link", "/options/poll", "A post can have a poll or a link card, not both.")


def _quote(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    options = outgoing.options
    if options.get("quoteId") and (options.get("poll") or link_of(outgoing)):
        message = "A quote has neither a poll nor a link card; put a link into the text."
        yield _issue("quote.with_other", "/options/quoteId", message)
    if options.get("spoilerMedia") and not outgoing.media:
        yield _issue("spoiler.without_media", "/options/spoilerMedia", "The post has no media that could be hidden.")


def spoilers_of(outgoing: Outgoing) -> list[tuple[int, int]]:
    """Return where the words to hide stand in the first post's text: offset and length in code points, in order."""
    text, places = text_of_part(FACTS, outgoing, 0), list[tuple[int, int]]()
    hidden = [False] * len(text)
    for words in filter(None, outgoing.options.get("spoilerTexts") or ()):
        at = text.find(words)
        while at >= 0:
            hidden[at : at + len(words)] = [True] * len(words)
            at = text.find(words, at + len(words))
    for offset, is_hidden in enumerate(hidden):
        if is_hidden and places and sum(places[-1]) == offset:
            places[-1] = (places[-1][0], places[-1][1] + 1)
        elif is_hidden:
            places.append((offset, 1))
    return places


def _spoilers(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    words = outgoing.options.get("spoilerTexts")
    if not isinstance(words, list) or not all(isinstance(phrase, str) and phrase for phrase in words):
        return  # none, or reported by the general check of options
    text = text_of_part(FACTS, outgoing, 0)
    for number, phrase in enumerate(words):
        if phrase not in text:
            path = f"/options/spoilerTexts/{number}"
            yield _issue("spoiler.not_in_text", path, "The text does not have these words, so nothing would be hidden.")
    if (actual := len(spoilers_of(outgoing))) > SPOILERS_MAX:
        message = f"These words stand in {actual} places of the text; Threads hides {SPOILERS_MAX}."
        yield _issue("spoiler.max_places", "/options/spoilerTexts", message, limit=SPOILERS_MAX, actual=actual)


def _links(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    if outgoing.options.get("linkAttachment") and outgoing.media:
        message = "A post with media shows no link card; put the link into the text."
        yield _issue("link.with_media", "/options/linkAttachment", message)
    for index in range(len(outgoing.parts)):
        links = set(LINK_PATTERN.findall(text_of_part(FACTS, outgoing, index)))
        if index == 0 and not outgoing.media and (card := link_of(outgoing)):
            links.add(card)
        if len(links) > LINKS_MAX:
            message = f"This post has {len(links)} links; Threads allows {LINKS_MAX}."
            yield _issue("text.links", part_path(index, "text"), message, limit=LINKS_MAX, actual=len(links))
