"""What only code can check before a message is sent."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signalpost.networks.connectors.discord.facts import EMBEDS_LENGTH_MAX, REQUEST_BYTES_MAX
from signalpost.networks.connectors.discord.permissions import FORUMS
from signalpost.networks.contract import Outgoing, PreflightIssue
from signalpost.networks.preflight import part_path

_FORBIDDEN_IN_NAMES = ("clyde", "discord")


def preflight(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Sequence[PreflightIssue]:
    """Check how options fit together and to the account, and how large a message is with all its files."""
    options = outgoing.options
    return [
        *_threads(options, account_facts),
        *_senders(options, account_facts),
        *_boxes(options.get("embeds")),
        *_poll(outgoing),
        *_sizes(outgoing, account_facts),
    ]


def _issue(rule: str, path: str, message: str, **params: Any) -> PreflightIssue:
    return PreflightIssue(rule, path, message, params or None)


def _threads(options: Mapping[str, Any], account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    name, thread_id, kind = options.get("threadName"), options.get("threadId"), account_facts.get("channelType")
    if name and thread_id:
        yield _issue(
            "discord.thread.both",
            "/options/threadName",
            "Give a thread by threadId or a title by threadName, not both.",
        )
    if options.get("appliedTags") and not name:
        yield _issue(
            "discord.tags.without_thread",
            "/options/appliedTags",
            "Tags are those of a new forum post: give threadName as well.",
        )
    if kind in FORUMS and not name and not thread_id:
        message = "The channel is a forum: a post needs threadName, or threadId for a thread that exists."
        yield _issue("discord.thread.name_required", "/options/threadName", message)
    if kind is not None and kind not in FORUMS and name:
        yield _issue("discord.thread.no_forum", "/options/threadName", "Only forums have titles: leave out threadName.")


def _senders(options: Mapping[str, Any], account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    for option in ("username", "avatarUrl"):
        if options.get(option) and account_facts.get("mode") == "bot":
            message = "Only messages of a webhook can have another name or picture."
            yield _issue("discord.sender.webhook_only", f"/options/{option}", message)
    name = options.get("username")
    lowered = name.casefold() if isinstance(name, str) else ""
    if any(word in lowered for word in _FORBIDDEN_IN_NAMES) or lowered in {"everyone", "here"}:
        message = "Discord allows no name with “discord” or “clyde” in it, and not “everyone” or “here”."
        yield _issue("discord.username.forbidden", "/options/username", message)


def _boxes(embeds: Any) -> Iterator[PreflightIssue]:
    boxes = [box for box in embeds if isinstance(box, dict)] if isinstance(embeds, list) else []
    actual = 0
    for index, box in enumerate(boxes):
        words = [value for name in ("title", "description", "footer") if isinstance(value := box.get(name), str)]
        actual += sum(map(len, words))
        if not any(words) and not box.get("imageUrl"):
            yield _issue(
                "discord.embeds.empty", f"/options/embeds/{index}", "A box needs a title, a text or a picture."
            )
    if actual > EMBEDS_LENGTH_MAX:
        message = f"The boxes have {actual} characters together; Discord allows {EMBEDS_LENGTH_MAX}."
        yield _issue("discord.embeds.max", "/options/embeds", message, limit=EMBEDS_LENGTH_MAX, actual=actual)


def _poll(outgoing: Outgoing) -> Iterator[PreflightIssue]:
    if outgoing.options.get("poll") is None:
        return
    if outgoing.media:
        yield _issue("discord.poll.with_media", "/options/poll", "A message with a poll cannot have files.")
    if outgoing.options.get("threadName"):
        yield _issue("discord.poll.in_forum", "/options/poll", "A new forum post cannot have a poll.")


def _sizes(outgoing: Outgoing, account_facts: Mapping[str, Any]) -> Iterator[PreflightIssue]:
    """Check the size of all files of a message; where boosts let one be larger, that one may be."""
    limits = account_facts.get("limits") or {}
    larger = limits.get("media", {}).get("video", {}).get("bytes_max", 0)
    limit = max(REQUEST_BYTES_MAX, larger)
    for index, part in enumerate(outgoing.parts):
        actual = sum(media.size_bytes for media in part.media)
        if len(part.media) > 1 and actual > limit:
            message = f"The files of this message have {actual} bytes together; Discord allows {limit}."
            yield _issue("discord.media.max_request", part_path(index, "media"), message, limit=limit, actual=actual)
