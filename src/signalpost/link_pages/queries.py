"""Reads of pages and of their numbers."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.identity.queries import tenant_sql
from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.link_pages.schemas import Language
from signalpost.web.caller import Caller
from signalpost.web.paging import Page, keyset


class LinkDocument(Struct, frozen=True, omit_defaults=True):
    """A link, as it is stored."""

    id: str
    title: str
    url: str
    media_id: UUID | None = None
    shown_from: datetime | None = None
    shown_until: datetime | None = None

    def is_shown(self, now: datetime) -> bool:
        """Whether the page has it at that time."""
        return (self.shown_from is None or self.shown_from <= now) and (
            self.shown_until is None or now < self.shown_until
        )


class LinkPageRow(Struct, frozen=True):
    """The page of a profile."""

    profile_id: UUID
    workspace_id: UUID
    title: str
    text: str | None
    language: Language
    is_published: bool
    is_indexed: bool
    shows_accounts: bool
    latest_posts: int
    links: list[LinkDocument]
    created_at: datetime
    updated_at: datetime
    slug: str = ""
    former_slugs: list[str] = []
    """The last address that it left first."""


class PublicPageRow(Struct, frozen=True):
    """A page that everyone can open, with what it shows of its profile."""

    profile_id: UUID
    workspace_id: UUID
    slug: str
    title: str
    text: str | None
    language: Language
    is_indexed: bool
    shows_accounts: bool
    latest_posts: int
    links: list[LinkDocument]
    color: str | None
    avatar_media_id: UUID | None
    tenant_id: UUID


class AccountRow(Struct, frozen=True):
    """An account that has a public page at its network."""

    platform: str
    username: str
    url: str


class PostRow(Struct, frozen=True):
    """A published post, at its network."""

    post_id: UUID
    platform: str
    url: str
    text: str
    media_id: UUID | None
    published_at: datetime


class CountRow(Struct, frozen=True):
    """How often a link was clicked in a day; `link_id` "": how often the page was opened."""

    day: date
    link_id: str
    count: int


COMPUTED: Final = ("slug", "former_slugs")
"""Fields of a `LinkPageRow` that are not columns of the table."""
_read: Final = rows.reader(LinkPageRow)
_PRESENT: Final = """(select s.slug from link_page_slug s
    where s.profile_id = l.profile_id and s.workspace_id = l.workspace_id and s.left_at is null)"""
_COLUMNS: Final = rows.columns(
    LinkPageRow,
    "l",
    slug=_PRESENT,
    former_slugs="array(select s.slug from link_page_slug s where s.profile_id = l.profile_id"
    " and s.workspace_id = l.workspace_id and s.left_at is not null order by s.left_at desc, s.slug)",
)
_OF_PROFILE: Final = f"""
select {_COLUMNS} from link_page l where l.workspace_id = $1 and l.profile_id = $2
"""  # noqa: S608 - constants only
_VISIBLE: Final = f"""
select {_COLUMNS} from link_page l
join profile p on p.id = l.profile_id and p.workspace_id = l.workspace_id and p.deleted_at is null
where l.workspace_id = $1 and ($2::uuid[] is null or l.profile_id = any($2))
and ($3 or not exists (select from account a
    where a.profile_id = l.profile_id and a.platform <> 'sandbox' and a.status <> 'disconnected'))
and {keyset("l.created_at", "l.profile_id", first=4)}
"""  # noqa: S608 - constants only
_read_public: Final = rows.reader(PublicPageRow)
_PUBLIC: Final = f"""
select {
    rows.columns(
        PublicPageRow,
        "l",
        slug=_PRESENT,
        color="p.color",
        avatar_media_id="p.avatar_media_id",
        tenant_id=tenant_sql("l.workspace_id"),
    )
}
from link_page l
join profile p on p.id = l.profile_id and p.workspace_id = l.workspace_id
    and p.deleted_at is null and p.archived_at is null and not p.over_limit
join workspace w on w.id = l.workspace_id and w.deleted_at is null
where l.is_published and l.profile_id = (select profile_id from link_page_slug where slug = $1)
"""  # noqa: S608 - constants only
_ACCOUNTS: Final = """
select platform, username, profile_url from account
where workspace_id = $1 and profile_id = $2 and status <> 'disconnected' and platform <> 'sandbox'
    and profile_url like 'https://%'
order by created_at, id limit $3
"""
# The newest of each account by its index, then the newest of all: a post on several networks is shown once.
_LATEST: Final = """
select t.post_id, t.platform, t.url, t.text, t.media_id, t.published_at
from account a cross join lateral (
    select t.post_id, t.platform, t.url, coalesce(nullif(p.title, ''), left(coalesce(t.text, p.text), 140)) as text,
        (coalesce(t.media, p.media) -> 0 ->> 'media_id')::uuid as media_id, t.published_at
    from target t join post p on p.id = t.post_id and p.workspace_id = t.workspace_id
    where t.account_id = a.id and t.workspace_id = $1 and t.published_at is not null and t.status = 'published'
        and coalesce(t.delivery, 'live') = 'live' and t.url like 'https://%'
        and p.mode = 'live' and p.deleted_at is null and p.profile_id = $2
    order by t.published_at desc limit $3
) t
where a.workspace_id = $1 and a.profile_id = $2 and a.platform <> 'sandbox' and a.status <> 'disconnected'
order by t.published_at desc, t.post_id limit $3 * 10
"""
_COUNTS: Final = """
select day, link, count from link_page_count where workspace_id = $1 and profile_id = $2 and day between $3 and $4
order by day
"""


async def of_profile(db: Db, workspace_id: UUID, profile_id: UUID) -> LinkPageRow | None:
    """Return the page of a profile, published or not."""
    return await rows.read_one(db, _read, _OF_PROFILE, workspace_id, profile_id)


async def visible(db: Db, caller: Caller, page: Page) -> Sequence[LinkPageRow]:
    """Return pages of the caller's workspace, newest first; a test key sees none of a profile with live accounts."""
    values = (caller.workspace_id, caller.sees_profiles, caller.mode == "live", *page.bounds)
    return await rows.read_all(db, _read, _VISIBLE, *values)


async def lock_of_profile(db: Db, workspace_id: UUID, profile_id: UUID) -> LinkPageRow | None:
    """Return the page of a profile, and keep it from others until the transaction ends."""
    return await rows.read_one(db, _read, f"{_OF_PROFILE} for update of l", workspace_id, profile_id)


async def published(db: Db, slug: str) -> PublicPageRow | None:
    """Return the page at an address, present or former, of whatever workspace, if everyone can open it."""
    return await rows.read_one(db, _read_public, _PUBLIC, slug)


async def accounts(db: Db, page: PublicPageRow, limit: int) -> Sequence[AccountRow]:
    """Return accounts of the page's profile, the oldest first."""
    return [AccountRow(*record) for record in await db.fetch(_ACCOUNTS, page.workspace_id, page.profile_id, limit)]


async def latest_posts(db: Db, page: PublicPageRow) -> Sequence[PostRow]:
    """Return the last published posts of the page's profile, the newest first, each once."""
    records = await db.fetch(_LATEST, page.workspace_id, page.profile_id, page.latest_posts)
    posts: dict[UUID, PostRow] = {}
    for record in records:
        posts.setdefault(record["post_id"], PostRow(*record))
    return list(posts.values())[: page.latest_posts]


async def counts(db: Db, page: LinkPageRow, first: date, last: date) -> Sequence[CountRow]:
    """Return what was counted of a page in some days."""
    records = await db.fetch(_COUNTS, page.workspace_id, page.profile_id, first, last)
    return [CountRow(*record) for record in records]
