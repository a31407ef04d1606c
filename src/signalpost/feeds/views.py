"""From rows to responses."""

from signalpost.feeds.document import Item
from signalpost.feeds.queries import FeedRow, ItemRow
from signalpost.feeds.schemas import Feed, FeedFault, FeedHold, FeedItem, FeedPreviewItem
from signalpost.feeds.states import ERRORS, HELD
from signalpost.kit import clock, ids


def feed(row: FeedRow) -> Feed:
    """Return the feed as the API shows it."""
    account_ids = row.account_ids
    return Feed(
        id=ids.encode("fed", row.id),
        profile_id=ids.encode("prof", row.profile_id),
        url=row.url,
        feed_url=row.feed_url,
        title=row.title,
        account_ids=None if account_ids is None else [ids.encode("acc", account_id) for account_id in account_ids],
        template=row.template,
        include=row.include,
        exclude=row.exclude,
        publish_mode=row.publish_mode,
        queue_id=ids.encode_or_none("slq", row.queue_id),
        daily_max=row.daily_max,
        state=row.state,
        held=None if row.held_reason is None else FeedHold(row.held_reason, HELD[row.held_reason]),
        waiting=row.waiting,
        posted=row.posted,
        last_read_at=clock.wire_or_none(row.last_read_at),
        last_error=None if row.last_error is None else FeedFault(row.last_error, ERRORS[row.last_error]),
        next_read_at=clock.wire_or_none(row.next_attempt_at),
        created_by=row.created_by,
        version=row.version,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def item(row: ItemRow) -> FeedItem:
    """Return an item that was seen."""
    return FeedItem(
        id=ids.encode("fit", row.id),
        title=row.content.title,
        link=row.content.link,
        published_at=clock.wire_or_none(row.published_at),
        seen_at=clock.wire(row.created_at),
        state=row.state,
        reason=row.reason,
        post_id=ids.encode_or_none("pst", row.post_id),
    )


def previewed(row: Item, text: str, *, passes: bool) -> FeedPreviewItem:
    """Return an item as it would be posted."""
    return FeedPreviewItem(
        title=row.title,
        link=row.link,
        published_at=clock.wire_or_none(row.published_at),
        text=text,
        filtered=not passes,
    )
