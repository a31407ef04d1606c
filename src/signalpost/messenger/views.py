from signalpost.kit import clock, ids
from signalpost.messenger.queries import CodeRow, LastReplyRow, LinkRow
from signalpost.messenger.schemas import LastReply, LinkStatus, PendingCode


def status(link: LinkRow | None, code: CodeRow | None, reply: LastReplyRow | None) -> LinkStatus:
    """Return the link of a user, or the code that waits to be sent."""
    profile_id = None if link is None else link.profile_id
    return LinkStatus(
        linked=link is not None,
        state="linked" if link is not None else "pending" if code is not None else "none",
        phone_masked=None if link is None else link.phone_masked,
        profile_id=ids.encode_or_none("prof", profile_id),
        linked_at=clock.wire_or_none(None if link is None else link.linked_at),
        last_message_at=clock.wire_or_none(None if link is None else link.last_message_at),
        pending_code=None if code is None else PendingCode(clock.wire(code.expires_at)),
        last_reply=None if reply is None else LastReply(reply.state, reply.error, clock.wire(reply.at)),
    )
