"""What visitors do, who have nothing but the address: open a page, and click on a link."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Final, NamedTuple
from uuid import UUID

from signalpost.context import AppContext
from signalpost.kit import clock, problems
from signalpost.kit.db import Db
from signalpost.kit.tenant import Tenant, across_workspaces, work_for
from signalpost.link_pages import queries
from signalpost.link_pages.counter import Counted, Counter
from signalpost.link_pages.queries import AccountRow, LinkDocument, PostRow, PublicPageRow
from signalpost.link_pages.schemas import SLUG_LENGTH_MAX
from signalpost.link_pages.views import VIEWS
from signalpost.media import queries as media
from signalpost.media import signed_urls

ACCOUNTS_MAX: Final = 12
# Programs that say what they are; people are not counted twice for those that look at what they share.
_BOT: Final = re.compile(
    r"bot|crawl|spider|slurp|preview|facebookexternalhit|whatsapp|embed|monitor|headless|lighthouse|scan|fetch"
    r"|curl|wget|python|java/|go-http|httpclient|okhttp|axios|node",
    re.IGNORECASE,
)
_AGENT_LENGTH_MAX: Final = 300


class VisiblePage(NamedTuple):
    """What a visitor sees."""

    page: PublicPageRow
    links: Sequence[LinkDocument]
    accounts: Sequence[AccountRow]
    posts: Sequence[PostRow]
    logo_url: str | None
    pictures: Mapping[UUID, str]
    """Files -> addresses of small pictures of them, for an hour."""


async def open_page(context: AppContext, slug: str, agent: str) -> VisiblePage:
    """Return the page at an address, and count the view unless a bot opens it.

    Raises:
        NotFound: no page that everyone can open is there.
    """
    page = await _find(context, slug)
    links = _visible_links(page)
    async with context.database.connection() as db:
        accounts = await queries.accounts(db, page, ACCOUNTS_MAX) if page.shows_accounts else []
        posts = await queries.latest_posts(db, page) if page.latest_posts else []
        media_ids = [page.avatar_media_id, *(link.media_id for link in links), *(post.media_id for post in posts)]
        pictures = await _pictures(context, db, page, [media_id for media_id in media_ids if media_id is not None])
    if page.slug == slug:  # a former address leads on, and is counted there
        _count(context, page, VIEWS, agent)
    logo_url = None if page.avatar_media_id is None else pictures.get(page.avatar_media_id)
    return VisiblePage(page, links, accounts, posts, logo_url, pictures)


async def follow(context: AppContext, slug: str, link_id: str, agent: str) -> str:
    """Return where a link leads, and count the click unless it is a bot's.

    Raises:
        NotFound: no such link is shown there.
    """
    page = await _find(context, slug)
    for link in _visible_links(page):
        if link.id == link_id:
            _count(context, page, link_id, agent)
            return link.url
    raise _not_there()


async def _find(context: AppContext, slug: str) -> PublicPageRow:
    """Return a page. The request then counts as its workspace's, and sees the rows of that only."""
    if len(slug) > SLUG_LENGTH_MAX or "\0" in slug:
        raise _not_there()
    with across_workspaces():  # the address tells the workspace
        async with context.database.connection() as db:
            page = await queries.published(db, slug)
    if page is None:
        raise _not_there()
    work_for(Tenant(page.tenant_id, page.workspace_id))
    return page


def _visible_links(page: PublicPageRow) -> list[LinkDocument]:
    now = clock.now()
    return [link for link in page.links if link.is_shown(now)]


def _count(context: AppContext, page: PublicPageRow, link_id: str, agent: str) -> None:
    if is_bot(agent):
        return
    today = clock.actual().astimezone(UTC).date()
    context.state(Counter).add(context.database, Counted(page.workspace_id, page.profile_id, today, link_id))


def is_bot(agent: str) -> bool:
    """Whether a program says by its `User-Agent` that no person looks at the page; so it is where it says nothing."""
    return not agent.strip() or _BOT.search(agent[:_AGENT_LENGTH_MAX]) is not None


async def _pictures(context: AppContext, db: Db, page: PublicPageRow, media_ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return small pictures of files. What was deleted since then has none."""
    files = await media.attached(db, media_ids)
    return {
        media_id: signed_urls.create(context.keys, context.base_url, media_id, "thumbnail")
        for media_id, file in files.items()
        if file.thumbnail_path and file.workspace_id == page.workspace_id
    }


def _not_there() -> problems.NotFound:
    return problems.NotFound("There is no such page.", remediation="Check that its address was copied completely.")
