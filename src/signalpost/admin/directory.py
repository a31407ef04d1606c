"""Who uses this installation, for staff: its workspaces and its users. Each list reads a bounded number of rows."""

from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from signalpost.admin.schemas import AdminUser, AdminWorkspace, UserQuery, WorkspaceQuery
from signalpost.context import AppContext
from signalpost.identity.queries import plan_in_force
from signalpost.kit import clock, ids
from signalpost.kit.db import READ_SECONDS, Db
from signalpost.kit.wire import Listing
from signalpost.settings import Settings
from signalpost.web.paging import Page, keyset

COUNT_MAX: Final = 1_000

_WORKSPACES: Final = f"""
select w.id, w.created_at, w.name, w.slug, w.plan, w.deleted_at,
    (select u.email from member m join app_user u on u.id = m.user_id
        where m.workspace_id = w.id and m.role = 'owner' and m.status = 'active'),
    (select count(*) from (select from member m
        where m.workspace_id = w.id and m.status in ('active', 'suspended') limit $4) c),
    (select count(*) from (select from account a
        where a.workspace_id = w.id and a.status <> 'disconnected' limit $4) c)
from workspace w
where ($5::text is null or w.id = $6 or strpos(lower(w.name), $5) > 0 or strpos(w.slug, $5) > 0 or exists (
        select from member m join app_user u on u.id = m.user_id
        where m.workspace_id = w.id and m.role = 'owner' and m.status = 'active' and u.email_key = $5))
    and ($7::bool is null or (w.deleted_at is not null) = $7)
    and {keyset("w.created_at", "w.id", first=1)}
"""  # noqa: S608 - constants only
_USERS: Final = f"""
select u.id, u.created_at, u.email, u.name, u.is_staff, u.totp_confirmed_at is not null,
    (select count(*) from (select from member m
        where m.user_id = u.id and m.status in ('active', 'suspended') limit $4) c)
from app_user u
where ($5::text is null or u.id = $6 or strpos(u.email_key, $5) > 0 or strpos(lower(u.name), $5) > 0)
    and ($7::bool is null or u.is_staff = $7) and u.deleted_at is null
    and {keyset("u.created_at", "u.id", first=1)}
"""  # noqa: S608 - constants only


class WorkspaceRow(NamedTuple):
    """A workspace; the numbers are at most `COUNT_MAX`."""

    id: UUID
    created_at: datetime
    name: str
    slug: str
    plan: str
    deleted_at: datetime | None
    owner_email: str | None
    members: int
    accounts: int


class UserRow(NamedTuple):
    """A user; the number of workspaces is at most `COUNT_MAX`."""

    id: UUID
    created_at: datetime
    email: str
    name: str | None
    is_staff: bool
    has_second_factor: bool
    workspaces: int


async def list_workspaces(context: AppContext, query: WorkspaceQuery, page: Page) -> Listing[AdminWorkspace]:
    """Return a page of all workspaces, newest first."""
    deleted = None if query.state is None else query.state == "deleted"
    async with context.database.connection() as db:
        rows = [WorkspaceRow(*record) for record in await _fetch(db, _WORKSPACES, "wsp", query.q, page, only=deleted)]
    return page.of(rows, lambda row: _workspace(row, context.settings))


async def list_users(context: AppContext, query: UserQuery, page: Page) -> Listing[AdminUser]:
    """Return a page of all users, newest first."""
    async with context.database.connection() as db:
        rows = [UserRow(*record) for record in await _fetch(db, _USERS, "usr", query.q, page, only=query.staff)]
    return page.of(rows, _user)


async def _fetch(db: Db, statement: str, prefix: str, text: str | None, page: Page, *, only: bool | None) -> Any:
    row_id = None if text is None else ids.decode(prefix, text)
    words = None if text is None else text.lower()
    return await db.fetch(statement, *page.bounds, COUNT_MAX, words, row_id, only, timeout=READ_SECONDS)


def _workspace(row: WorkspaceRow, settings: Settings) -> AdminWorkspace:
    return AdminWorkspace(
        id=ids.encode("wsp", row.id),
        name=row.name,
        slug=row.slug,
        plan=plan_in_force(settings, row.plan),
        owner_email=row.owner_email,
        members=row.members,
        accounts=row.accounts,
        state="active" if row.deleted_at is None else "deleted",
        created_at=clock.wire(row.created_at),
        deleted_at=clock.wire_or_none(row.deleted_at),
    )


def _user(row: UserRow) -> AdminUser:
    return AdminUser(
        id=ids.encode("usr", row.id),
        email=row.email,
        name=row.name,
        staff=row.is_staff,
        second_factor=row.has_second_factor,
        workspaces=row.workspaces,
        created_at=clock.wire(row.created_at),
    )
