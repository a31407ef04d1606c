"""A part of a post as a message of Slack."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from signalpost.networks.connectors.slack.facts import FACTS
from signalpost.networks.preflight import text_of_part
from signalpost.networks.threads import ThreadPart

EVENT: Final = "signalpost_post"


def sent_text(text: str, options: Mapping[str, Any]) -> str:
    """Return a text as it is sent: only these three characters are escaped, unless it is Slack's markup already."""
    if options.get("mrkdwn"):
        return text
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def text_of(part: ThreadPart) -> str:
    """Return the text of a part as it is sent."""
    return sent_text(text_of_part(FACTS, part.outgoing, part.index), part.outgoing.options)


def key_of(part: ThreadPart) -> str:
    """Return what names a part: the same at every attempt."""
    return hashlib.sha256(f"{part.outgoing.dedupe_key}:{part.index}".encode()).hexdigest()[:32]


def thread_of(part: ThreadPart) -> str | None:
    """Return the message that a part replies to: the one that is named, or else the first of the post."""
    named = part.outgoing.options.get("threadTs")
    return str(named) if named else str(part.posted[0]["id"]) if part.posted else None


def message_of(part: ThreadPart, thread: str | None) -> dict[str, Any]:
    """Return the members that messages of webhooks and bots share."""
    options = part.outgoing.options
    message: dict[str, Any] = {"text": text_of(part), "mrkdwn": bool(options.get("mrkdwn"))}
    names = {"unfurlLinks": "unfurl_links", "unfurlMedia": "unfurl_media"}
    message |= {name: options[option] for option, name in names.items() if options.get(option) is not None}
    if thread is not None:
        message["thread_ts"] = thread
        message |= {"reply_broadcast": True} if options.get("replyBroadcast") else {}
    return message
