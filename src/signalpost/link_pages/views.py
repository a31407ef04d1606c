from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

from signalpost.context import AppContext
from signalpost.kit import cells, clock, ids
from signalpost.link_pages.queries import CountRow, LinkDocument, LinkPageRow
from signalpost.link_pages.schemas import Link, LinkClicks, LinkPage, LinkPageDay, LinkPageStats

PATH = "/l/{slug}"
"""Of the page for people."""
CLICK_PATH = "/l/{slug}/{link}"
VIEWS = ""
"""What stands in the place of a link where views of the page are counted."""


def page_url(context: AppContext, slug: str) -> str:
    """Return the public address."""
    return context.fixed_url + page_path(context, slug)


def page_path(context: AppContext, slug: str) -> str:
    """Return the path of the page; that of one of several cells begins with its name, which people see."""
    return PATH.format(slug=cells.with_name(context.keys.cell, slug))


def link_page(context: AppContext, row: LinkPageRow) -> LinkPage:
    """Return the page as its workspace sees it."""
    return LinkPage(
        profile_id=ids.encode("prof", row.profile_id),
        url=page_url(context, row.slug),
        slug=row.slug,
        former_slugs=row.former_slugs,
        title=row.title,
        text=row.text,
        language=row.language,
        is_published=row.is_published,
        is_indexed=row.is_indexed,
        shows_accounts=row.shows_accounts,
        latest_posts=row.latest_posts,
        links=[_link(link) for link in row.links],
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )


def _link(link: LinkDocument) -> Link:
    return Link(
        id=link.id,
        title=link.title,
        url=link.url,
        media_id=None if link.media_id is None else ids.encode("med", link.media_id),
        shown_from=clock.wire_or_none(link.shown_from),
        shown_until=clock.wire_or_none(link.shown_until),
    )


def stats(row: LinkPageRow, counts: Sequence[CountRow], first: date, last: date) -> LinkPageStats:
    """Return the numbers of a page from one day to another, both included."""
    views: Counter[date] = Counter()
    clicks: Counter[date] = Counter()
    by_link: Counter[str] = Counter()
    for row_of_day in counts:
        if row_of_day.link_id == VIEWS:
            views[row_of_day.day] += row_of_day.count
        else:
            clicks[row_of_day.day] += row_of_day.count
            by_link[row_of_day.link_id] += row_of_day.count
    days = [first + timedelta(n) for n in range((last - first).days + 1)]
    return LinkPageStats(
        profile_id=ids.encode("prof", row.profile_id),
        views=views.total(),
        clicks=clicks.total(),
        daily=[LinkPageDay(date=str(day), views=views[day], clicks=clicks[day]) for day in days],
        links=[LinkClicks(id=link.id, title=link.title, clicks=by_link[link.id]) for link in row.links],
    )
