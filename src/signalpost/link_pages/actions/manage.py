"""What a workspace does with the link page of a profile."""

import secrets
import string
from collections.abc import Iterator
from datetime import UTC, timedelta
from typing import Final
from uuid import UUID

import asyncpg

from signalpost.context import AppContext
from signalpost.identity.errors import TestModeOnlySandbox
from signalpost.kit import batches, clock, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.http import UnsafeUrl, parse_url
from signalpost.kit.problems import Issue
from signalpost.link_pages import queries, views
from signalpost.link_pages.errors import SlugTaken
from signalpost.link_pages.queries import COMPUTED, LinkDocument, LinkPageRow
from signalpost.link_pages.schemas import DAYS_MAX, LinkIn, LinkPage, LinkPageStats, LinkPageUpdate
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries as profiles
from signalpost.profiles.errors import profile_archived
from signalpost.profiles.queries import ProfileRow
from signalpost.web.caller import Caller
from signalpost.web.fields import MediaId, ProfileId
from signalpost.web.inputs import deleted_meanwhile

FORMER_MAX: Final = 10
"""Addresses that a page had before and keeps; then the oldest is free again."""
RESERVED: Final = frozenset({
    "about", "account", "admin", "administrator", "api", "app", "assets", "auth", "billing", "blog", "console",
    "contact", "docs", "help", "home", "imprint", "impressum", "info", "legal", "login", "logout", "mail", "news",
    "null", "oauth", "official", "password", "privacy", "register", "root", "security", "settings", "sign-in",
    "sign-up", "signalpost", "signin", "signup", "staff", "static", "status", "support", "system", "team", "terms",
    "undefined", "www",
})  # fmt: skip
"""Words that look as if the page were the installation's own."""
_ALPHABET: Final = string.ascii_lowercase + string.digits
_SAVE: Final = (
    rows.insert("link_page", LinkPageRow, without=COMPUTED)
    + " on conflict (profile_id) do update set title = excluded.title, text = excluded.text,"
    " language = excluded.language, is_published = excluded.is_published, is_indexed = excluded.is_indexed,"
    " shows_accounts = excluded.shows_accounts, latest_posts = excluded.latest_posts, links = excluded.links,"
    " updated_at = excluded.updated_at where link_page.workspace_id = excluded.workspace_id"
)
_LEAVE: Final = """
update link_page_slug set left_at = $3 where workspace_id = $1 and profile_id = $2 and left_at is null
"""
_RETURN: Final = """
update link_page_slug set left_at = null where workspace_id = $1 and profile_id = $2 and slug = $3
"""
_TAKE: Final = "insert into link_page_slug (workspace_id, profile_id, slug) values ($1, $2, $3)"
_FREE: Final = """
delete from link_page_slug where workspace_id = $1 and profile_id = $2 and left_at is not null and slug not in (
    select slug from link_page_slug where workspace_id = $1 and profile_id = $2 and left_at is not null
    order by left_at desc, slug limit $3)
"""
_DELETE: Final = (
    "delete from link_page_count where workspace_id = $1 and profile_id = $2",
    "delete from link_page where workspace_id = $1 and profile_id = $2",
)
PURGES: Final = (
    batches.delete("link_page_count", f"day < (now() at time zone 'utc')::date - {DAYS_MAX + 1}"),
    batches.delete("link_page", "profile_id in (select id from profile where deleted_at is not null)"),
)
"""Statements of a job: numbers that nobody can ask for, and pages of deleted profiles, whose addresses get free."""


async def find_page(db: Db, profile: ProfileRow) -> LinkPageRow:
    """Return the page of a profile.

    Raises:
        NotFound: it has none.
    """
    row = await queries.of_profile(db, profile.workspace_id, profile.id)
    if row is None:
        raise _no_page()
    return row


async def put_page(context: AppContext, db: Db, caller: Caller, profile_id: UUID, data: LinkPageUpdate) -> LinkPage:
    """Make the page of a profile, or replace what it says.

    Raises:
        ProfileArchived, PlanLimitReached: nothing is written for the profile.
        TestModeOnlySandbox: a test key would publish it, or change a published one.
        SlugTaken: the address belongs to another page.
        ValidationFailed: a reserved address, a file or a link that is not there, a link that ends before it begins.
    """
    profile = await profiles.lock(db, caller, profile_id)
    if profile is None:
        raise deleted_meanwhile(ProfileId, profile_id)
    if profile.over_limit:
        raise await plans.over_limit(db, caller, limits.PROFILES)
    if profile.archived_at is not None:
        raise profile_archived()
    stored = await queries.lock_of_profile(db, caller.workspace_id, profile_id)
    _require_live(caller, is_public=data.is_published or (stored is not None and stored.is_published))
    await _check(context, db, caller, stored, data)
    now = clock.actual()
    row = LinkPageRow(
        profile_id=profile_id,
        workspace_id=caller.workspace_id,
        title=data.title.strip(),
        text=None if data.text is None else data.text.strip(),
        language=data.language,
        is_published=data.is_published,
        is_indexed=data.is_indexed,
        shows_accounts=data.shows_accounts,
        latest_posts=data.latest_posts,
        links=[_document(link) for link in data.links],
        created_at=now if stored is None else stored.created_at,
        updated_at=now,
    )
    await db.execute(_SAVE, *rows.values(row, without=COMPUTED))
    if stored is None or stored.slug != data.slug:
        await _move(db, row, data.slug)
    return views.link_page(context, await find_page(db, profile))


async def delete_page(db: Db, caller: Caller, profile: ProfileRow) -> None:
    """Delete the page of a profile with its numbers; its addresses are free again.

    Raises:
        NotFound: it has none.
        TestModeOnlySandbox: the page is published, and this is a test key.
    """
    stored = await queries.lock_of_profile(db, caller.workspace_id, profile.id)
    if stored is None:
        raise _no_page()
    _require_live(caller, is_public=stored.is_published)
    await delete_of_profile(db, caller.workspace_id, profile.id)


async def delete_of_profile(db: Db, workspace_id: UUID, profile_id: UUID) -> None:
    """Delete what the profile has here."""
    for statement in _DELETE:
        await db.execute(statement, workspace_id, profile_id)


async def read_stats(db: Db, profile: ProfileRow, days: int) -> LinkPageStats:
    """Return the numbers of the last days, today included.

    Raises:
        NotFound: it has no page.
    """
    row = await find_page(db, profile)
    today = clock.now().astimezone(UTC).date()
    first = today - timedelta(days - 1)
    return views.stats(row, await queries.counts(db, row, first, today), first, today)


async def _move(db: Db, row: LinkPageRow, slug: str) -> None:
    """Give the page another address; the one that it leaves goes on to lead to it.

    Raises:
        SlugTaken: the address belongs to another page, of whatever workspace.
    """
    whose = row.workspace_id, row.profile_id
    await db.execute(_LEAVE, *whose, row.updated_at)
    if await db.execute(_RETURN, *whose, slug) == "UPDATE 0":
        try:
            await db.execute(_TAKE, *whose, slug)
        except asyncpg.UniqueViolationError:
            raise SlugTaken(
                "Another link page has this address, or had it before.",
                errors=[Issue("/slug", "not_unique", "Another link page has this address.")],
            ) from None
    await db.execute(_FREE, *whose, FORMER_MAX)


async def _check(context: AppContext, db: Db, caller: Caller, stored: LinkPageRow | None, data: LinkPageUpdate) -> None:
    issues = list(_issues(stored, data))
    for index, link in enumerate(data.links):
        if link.media_id is not None and not await context.hooks.media_exists(
            db,
            caller.workspace_id,
            link.media_id,
            profile_ids=caller.sees_profiles,
            uploader=caller.uploader,
            live=caller.mode == "live",
        ):
            issues.append(MediaId.not_found(f"/links/{index}/mediaId"))
    if issues:
        raise problems.ValidationFailed(errors=issues)


def _issues(stored: LinkPageRow | None, data: LinkPageUpdate) -> Iterator[Issue]:
    if data.slug in RESERVED and (stored is None or stored.slug != data.slug):
        yield Issue("/slug", "not_allowed", "This word is reserved. Choose another address.")
    existing = set() if stored is None else {link.id for link in stored.links}
    seen: set[str] = set()
    for index, link in enumerate(data.links):
        try:
            parse_url(link.url)
        except UnsafeUrl as error:
            yield Issue(f"/links/{index}/url", "format", f"No browser can open this: {error}.")
        if link.id is not None and link.id not in existing:
            yield Issue(f"/links/{index}/id", "not_found", "The page has no such link. Leave `id` out for a new one.")
        if link.id in seen:
            yield Issue(f"/links/{index}/id", "not_unique", "Another link of this request has this id.")
        if link.id is not None:
            seen.add(link.id)
        if link.shown_from is not None and link.shown_until is not None and link.shown_until <= link.shown_from:
            yield Issue(f"/links/{index}/shownUntil", "out_of_range", "Must be after `shownFrom`.")


def _document(link: LinkIn) -> LinkDocument:
    return LinkDocument(
        id=link.id or "".join(secrets.choice(_ALPHABET) for _ in range(8)),
        title=link.title.strip(),
        url=link.url,
        media_id=link.media_id,
        shown_from=link.shown_from,
        shown_until=link.shown_until,
    )


def _require_live(caller: Caller, *, is_public: bool) -> None:
    if is_public and caller.mode == "test":
        raise TestModeOnlySandbox("A published link page is public. Use a live key, or keep it unpublished.")


def _no_page() -> problems.NotFound:
    return problems.NotFound("This profile has no link page.", remediation="Make one: `PUT /profiles/{id}/link-page`.")
