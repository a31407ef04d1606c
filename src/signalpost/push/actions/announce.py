"""What a mail says, as a notification: its subject and the beginning of its text, in the language of its reader."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.kit import ids
from signalpost.mail.messages import READER, Message, read
from signalpost.mail.topics import TOPICS, Topic
from signalpost.push.actions import sending
from signalpost.push.actions.sending import Notification

PAGES: Final[Mapping[Topic, str]] = {
    "approvals": "/console/approvals",
    "decisions": "/console/posts",
    "discussions": "/console/posts",
    "failures": "/console/posts",
    "accounts": "/console/accounts",
    "feeds": "/console/feeds",
    "webhooks": "/console/developers/webhooks",
    "usage": "/console",
    "support": "/console/support",
    "tickets": "/console/support",
}
"""Where a click leads if the message itself has no link."""
WITHOUT_HASTE: Final[frozenset[Topic]] = frozenset({"usage", "decisions", "support"})
"""What a phone may hand out when it wakes up; for all else someone or something waits."""
_CONSOLE: Final = "/console"


async def run(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> None:
    """Have the reader of a message notified on their devices."""
    message = msgspec.convert(payload, Message)
    user_id = ids.decode("usr", message.values[READER])
    if user_id is None:
        raise ValueError("A message for a notification names no reader.")
    notification = await asyncio.to_thread(notification_of, context, message)
    notification.tag += f" {lease.workspace_id}"  # what several workspaces say stays apart
    async with lease.transaction() as db:
        await sending.enqueue_for_person(db, user_id, notification, workspace_id=lease.workspace_id)


def notification_of(context: AppContext, message: Message) -> Notification:
    """Return what a device shows of a message: neither links nor quotation marks of mails. Call it in a thread."""
    subject, text = read(message, context.keys, context.fixed_url)
    topic = TOPICS[message.template]
    path = path_of(str(message.values.get("link", "")), PAGES[topic])
    lines = [line.strip().removeprefix("> ") for line in text.splitlines()]
    return Notification(
        title=subject,
        text="\n".join(line for line in lines if line and "://" not in line),
        path=path,
        tag=f"{message.template} {path}",
        urgency="normal" if topic in WITHOUT_HASTE else "high",
        id=message.id,
    )


def path_of(link: str, otherwise: str) -> str:
    """Return the page of the console that a link leads to, whatever address this installation has."""
    parts = urlsplit(link)
    at = parts.path.find(_CONSOLE)
    if at < 0:
        return otherwise
    return parts.path[at:] + (f"?{parts.query}" if parts.query else "")
