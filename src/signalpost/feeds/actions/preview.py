"""What the items at an address would become. One read of a stranger's server, nothing is saved."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.feeds import reading, template, views
from signalpost.feeds.actions import accounts
from signalpost.feeds.document import Document
from signalpost.feeds.errors import unreadable
from signalpost.feeds.schemas import FeedPreview, FeedPreviewed, FeedPreviewItem
from signalpost.kit import problems
from signalpost.kit.problems import Issue
from signalpost.kit.worker_threads import in_thread
from signalpost.networks.contract import Facts
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

ITEMS_MAX: Final = 10


async def preview_feed(context: AppContext, caller: Caller, data: FeedPreview) -> FeedPreviewed:
    """Read the address, and return its newest items as they would be posted.

    Raises:
        ValidationFailed: there is no such profile, or the template has an unknown place.
        FeedUnreadable: there is no feed, or it cannot be read.
    """
    if unknown := template.unknown_places(data.template):
        message = f"There is no {{{unknown[0]}}}; use {{title}}, {{summary}}, {{link}}, {{author}} or {{categories}}."
        raise problems.ValidationFailed(errors=[Issue("/template", "not_allowed", message)])
    networks = await _networks(context, caller, data)
    try:
        read = await reading.read(context.http.pages, data.url)
    except reading.Failed as failure:
        raise unreadable(failure.reason) from None
    assert read.document is not None  # noqa: S101 - nothing was known of it
    items = await in_thread(_items, read.document, data, networks)
    return FeedPreviewed(feed_url=read.url, title=read.document.title, items=items)


async def _networks(context: AppContext, caller: Caller, data: FeedPreview) -> Sequence[Facts]:
    if data.profile_id is None:
        return ()
    chosen = None if data.account_ids is None else [UUID(int=account.int) for account in data.account_ids]
    async with context.database.connection() as db:
        usable = await accounts.usable(db, caller, UUID(int=data.profile_id.int), chosen)
    if usable is None:
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    return accounts.facts_of(usable)


def _items(document: Document, data: FeedPreview, networks: Sequence[Facts]) -> list[FeedPreviewItem]:
    return [
        views.previewed(
            item,
            template.text_of(data.template, item, networks),
            passes=template.passes(item, data.include, data.exclude),
        )
        for item in reversed(document.items[-ITEMS_MAX:])
    ]
