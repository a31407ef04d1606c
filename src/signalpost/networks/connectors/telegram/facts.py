"""What Telegram allows, and the values of its options."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from signalpost.networks.connectors.telegram.sources import SOURCES
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
    View,
)
from signalpost.networks.counting import length
from signalpost.networks.preflight import part_path, text_of_part

CAPTION_MAX, RATIO_MAX = 1_024, 20
QUESTION_MAX, CHOICE_MAX = 300, 100  # UTF-16 units
_QUESTION, _CHOICE = TextRule(max_length=QUESTION_MAX, unit="utf16"), TextRule(max_length=CHOICE_MAX, unit="utf16")
Address = Annotated[str, msgspec.Meta(pattern=r"^https?://", max_length=2048)]
Choice = Annotated[str, msgspec.Meta(min_length=1, max_length=CHOICE_MAX)]


class Poll(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A poll, whose question is the text of the post; with `correct` it is a quiz."""

    options: Annotated[list[Choice], msgspec.Meta(title="Choices", min_length=2, max_length=12)]
    anonymous: Annotated[bool, msgspec.Meta(title="Anonymous votes")] = True
    multiple: Annotated[bool, msgspec.Meta(title="Several choices")] = False
    minutes: Annotated[int, msgspec.Meta(title="Duration in minutes", ge=1, le=43_800)] | None = None
    correct: Annotated[int, msgspec.Meta(title="Right choice of a quiz, from 0", ge=0, le=11)] | None = None
    explanation: Annotated[str, msgspec.Meta(title="Explanation of a quiz", max_length=200)] | None = None


def _file(*mime_types: str, bytes_max: int = 50_000_000, **rest: Any) -> MediaRule:
    values: dict[str, Any] = {"per_post": 10, "bytes_max": bytes_max, "text_max_length": CAPTION_MAX}
    return MediaRule(mime_types=mime_types, **values | rest)


FACTS = Facts(
    key="telegram",
    name="Telegram",
    source="core.telegram.org/bots/api (Bot API 10.1), core.telegram.org/bots/faq",
    verified_on="2026-11-28",
    sources=SOURCES,
    appearance=Appearance(
        views=(View(kind="poll", option="poll"), View(kind="message", text="below")),
        marks=("hashtag", "mention", "link"),
        card="large",
    ),
    api_version="10.1",
    base_url="https://api.telegram.org",
    credential_fields=(
        CredentialField(name="botToken", label="Token of the bot (from BotFather)", secret=True),
        CredentialField(name="chat", label="Channel or group: @name or id"),
    ),
    rate_limit=RateLimit(count=20, seconds=60, per="account"),
    text=TextRule(max_length=4_096, unit="utf16"),
    media={
        "image": _file("image/jpeg", "image/png", bytes_max=10_000_000, side_long_max=5_000, mixes_with=("video",)),
        "video": _file("video/mp4", mixes_with=("image",)),
        "gif": _file("image/gif", per_post=1),
        "document": _file("application/pdf"),
        "audio": _file("audio/mpeg", "audio/mp4"),
    },
    media_total=10,
    thread_parts_max=20,
    options={
        "parseMode": Option(
            label="Formatting",
            type=Literal["HTML", "MarkdownV2"],
            description="How the text is formatted: `HTML` or `MarkdownV2`, in Telegram's own dialects. Without it the "
            "text stands as it is.",
        ),
        "silent": Option(label="Without a sound", type=bool, description="Notifies without a sound.", default=False),
        "protect": Option(
            label="Not to be forwarded", type=bool, description="Nobody can forward or save the post.", default=False
        ),
        "linkPreview": Option(
            label="Link preview",
            type=Literal["off", "small", "large"],
            description="The preview of a link in a text without media: `off`, or with a `small` or `large` picture. "
            "By default Telegram decides.",
        ),
        "linkPreviewUrl": Option(
            label="Link of the preview",
            type=Address,
            description="The link that the preview is of, instead of the first one of the text.",
        ),
        "linkPreviewAbove": Option(
            label="Preview above the text", type=bool, description="Shows the preview above the text.", default=False
        ),
        "spoiler": Option(
            label="Hide media at first",
            type=bool,
            description="Hides images and videos until the reader taps them.",
            default=False,
        ),
        "captionAbove": Option(
            label="Text above the media",
            type=bool,
            description="Shows the text above images and videos.",
            default=False,
        ),
        "topicId": Option(
            label="Topic of the group",
            type=Annotated[int, msgspec.Meta(ge=1, le=2_147_483_647)],
            description="The number of a topic of a group with topics: in the link of its messages, the number before "
            "the last.",
        ),
        "poll": Option(
            type=Poll,
            description="A poll: `{options[2-12], anonymous?, multiple?, minutes?, correct?, explanation?}`. The text, "
            "at most 300 characters, is its question. With `correct` it is a quiz. A post with a poll has no media.",
        ),
    },
    notes="An account is a channel or group, with a bot that may post there. Files of a post become an album: up to 10 "
    "images and videos, or documents, or audio files; a GIF stands alone. With media a text has 1,024 characters at "
    "most. The width of an image is at most 20 times its height, and the reverse. Telegram tells bots neither numbers "
    "of a post nor what became of a call whose answer was lost: then a person has to look.",
)


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check the shape of images, and the poll."""
    return [*_ratios(outgoing), *_poll(outgoing, account_facts)]


def _ratios(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    for part_index, part in enumerate(outgoing.parts):
        for index, media in enumerate(part.media):
            sides = (media.width or 1, media.height or 1)
            if media.kind == "image" and media.width and media.height and max(sides) > RATIO_MAX * min(sides):
                message = f"This image is {sides[0]} x {sides[1]}; Telegram allows {RATIO_MAX} times the other side."
                path = f"{part_path(part_index, 'media')}/{index}"
                yield PreflightIssue("telegram.media.ratio", path, message, {"limit": RATIO_MAX})


def _poll(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    try:
        poll = msgspec.convert(outgoing.options.get("poll"), Poll | None)
    except msgspec.ValidationError:
        return  # reported by the general check of options
    if poll is None:
        return
    if outgoing.media:
        yield PreflightIssue("telegram.poll.with_media", "/options/poll", "A post can have a poll or media, not both.")
    elif not outgoing.text.strip() and not outgoing.link:
        yield PreflightIssue("telegram.text.required", "/text", "The text of the post is the question of its poll.")
    actual = length(_QUESTION, text_of_part(FACTS, outgoing, 0))
    if QUESTION_MAX < actual <= FACTS.text.max_length:
        message = f"The question of a poll is {actual} UTF-16 units long; Telegram allows {QUESTION_MAX}."
        yield PreflightIssue("telegram.text.max_utf16", "/text", message, {"limit": QUESTION_MAX, "actual": actual})
    yield from _choices(poll)
    if not poll.anonymous and account_facts.get("type") == "channel":
        message = "Polls in channels are anonymous."
        yield PreflightIssue("telegram.poll.anonymous", "/options/poll/anonymous", message)


def _choices(poll: Poll) -> Iterator[PreflightIssue]:
    for index, option in enumerate(poll.options):
        if (actual := length(_CHOICE, option)) > CHOICE_MAX:
            message = f"This choice is {actual} UTF-16 units long; Telegram allows {CHOICE_MAX}."
            params = {"limit": CHOICE_MAX, "actual": actual}
            yield PreflightIssue("telegram.poll.max_option_length", f"/options/poll/options/{index}", message, params)
    choices = {option.strip() for option in poll.options}
    if len(choices) < len(poll.options) or "" in choices:
        message = "Each choice of a poll has a text of its own."
        yield PreflightIssue("telegram.poll.options_differ", "/options/poll/options", message)
    is_quiz = poll.correct is not None
    wrong = poll.multiple or (poll.correct or 0) >= len(poll.options) if is_quiz else poll.explanation is not None
    if wrong or (poll.explanation or "").count("\n") > 2:
        message = "A quiz has one right choice, counted from 0; only a quiz has an explanation, of at most 3 lines."
        yield PreflightIssue("telegram.poll.quiz", "/options/poll", message)
