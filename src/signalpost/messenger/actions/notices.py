"""Whoever has a number linked in their name gets a mail, and the number that it replaces a reply."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from signalpost import mail
from signalpost.audit.actions import record as audit
from signalpost.context import AppContext
from signalpost.events import Actor
from signalpost.identity import members
from signalpost.kit import clock, ids
from signalpost.kit.db import Db
from signalpost.messenger import messengers, queries, texts
from signalpost.messenger.actions import reply
from signalpost.messenger.contract import Reply
from signalpost.messenger.queries import LinkRow

_KEY_NAME: Final = "select name from api_key where id = $1"


async def tell_linked(context: AppContext, db: Db, link: LinkRow, replaced: Sequence[LinkRow]) -> None:
    """Write history, and tell everyone concerned that a number was linked, and which links it replaced."""
    by = await _key_name(db, link)
    actor = audit.user(link.user_id, None)
    if link.key_id is not None:
        actor = Actor(type="api_key", id=ids.encode("key", link.key_id), name=by)
    own = None
    for former in replaced:
        await record(db, former, "unlink_messenger", actor)
        if (former.workspace_id, former.user_id) != (link.workspace_id, link.user_id):
            await _mail(context, db, former, "moved", by=None, replaced=None)
        elif not _same_number(former, link):
            own = former
            if _takes_replies(context, former):
                text = texts.REPLACED.format(number=_name_of(context, link))
                await reply.to_link(context, db, former, Reply(text), ended=True)
    await record(db, link, "link_messenger", actor)
    await _mail(context, db, link, "linked", by=by, replaced=own)


async def record(db: Db, link: LinkRow, action: str, actor: Actor | None = None) -> None:
    """Write what happened to a link into the history of its workspace; without an actor its user did it."""
    entry = audit.Entry(workspace_id=link.workspace_id, action=action, actor=actor or audit.user(link.user_id, None))
    await audit.record(db, entry)


def _name_of(context: AppContext, link: LinkRow) -> str:
    sender = queries.open_sender(context.keys, link.recipient, link.id)
    return messengers.named(sender) or texts.HIDDEN


def _takes_replies(context: AppContext, link: LinkRow) -> bool:
    """Whether anything may still be sent to a number."""
    window = messengers.of(queries.open_sender(context.keys, link.recipient, link.id)).window_seconds
    return window is None or link.last_message_at > clock.actual() - timedelta(seconds=window)


async def _key_name(db: Db, link: LinkRow) -> str | None:
    name: str | None = None if link.key_id is None else await db.fetchval(_KEY_NAME, link.key_id)
    return name


def _same_number(former: LinkRow, link: LinkRow) -> bool:
    hashes = ((former.phone_hash, link.phone_hash), (former.user_hash, link.user_hash))
    return any(before is not None and before == now for before, now in hashes)


async def _mail(
    context: AppContext, db: Db, link: LinkRow, what: str, *, by: str | None, replaced: LinkRow | None
) -> None:
    person = await members.addressee(db, link.user_id, link.workspace_id)
    values = {
        "what": what,
        "workspace": person.workspace,
        "number": _name_of(context, link),
        "key": by,
        "replaced": None if replaced is None else _name_of(context, replaced),
    }
    message = mail.Message(to=person.email, template="messenger_linked", values=values)
    await mail.enqueue(db, message, workspace_id=link.workspace_id)
