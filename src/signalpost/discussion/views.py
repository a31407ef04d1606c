from signalpost.discussion.queries import MessageRow
from signalpost.discussion.schemas import PostMention, PostMessage
from signalpost.kit import clock, ids


def message(row: MessageRow) -> PostMessage:
    """Return a message as the API shows it."""
    return PostMessage(
        id=ids.encode("pmg", row.id),
        post_id=ids.encode("pst", row.post_id),
        reply_to=ids.encode_or_none("pmg", row.reply_to_id),
        author=row.author,
        text=row.text,
        mentions=[PostMention(ids.encode("mem", mention.member_id), mention.name) for mention in row.mentions],
        created_at=clock.wire(row.created_at),
    )
