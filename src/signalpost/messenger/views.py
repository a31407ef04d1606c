from signalpost.context import AppContext
from signalpost.kit import clock, ids
from signalpost.messenger import messengers, queries
from signalpost.messenger.queries import CodeRow, LastReplyRow, LinkRow
from signalpost.messenger.schemas import LastReply, LinkStatus, PendingCode


def status(context: AppContext, link: LinkRow | None, code: CodeRow | None, reply: LastReplyRow | None) -> LinkStatus:
    """Return the link of a user, or the code that waits to be sent."""
    profile_id = None if link is None else link.profile_id
    sender = None if link is None else queries.open_sender(context.keys, link.recipient, link.id)
    has_number = sender is None or sender.phone is not None
    return LinkStatus(
        linked=link is not None,
        state="linked" if link is not None else "pending" if code is not None else "none",
        messenger=None if sender is None else sender.messenger,
        messengers=[messenger.name for messenger in messengers.configured(context.settings)],
        user_masked=None if sender is None or has_number else messengers.of(sender).masked(sender),
        phone_masked=None if link is None else link.phone_masked,
        profile_id=ids.encode_or_none("prof", profile_id),
        linked_at=clock.wire_or_none(None if link is None else link.linked_at),
        last_message_at=clock.wire_or_none(None if link is None else link.last_message_at),
        pending_code=None if code is None else PendingCode(clock.wire(code.expires_at)),
        last_reply=None if reply is None else LastReply(reply.state, reply.error, clock.wire(reply.at)),
    )
