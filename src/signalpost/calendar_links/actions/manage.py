"""What members do with links of calendars."""

from typing import Final
from uuid import UUID

import msgspec

from signalpost.accounts import queries as accounts
from signalpost.calendar_links import queries, views
from signalpost.calendar_links.queries import COMPUTED, CalendarLinkRow
from signalpost.calendar_links.schemas import CalendarLink, CalendarLinkCreate
from signalpost.context import AppContext
from signalpost.identity import roles
from signalpost.kit import cells, clock, crypto, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.web.caller import Caller
from signalpost.web.fields import AccountId, ProfileId

LINKS_MAX: Final = 200
"""Of a workspace."""
_INSERT: Final = rows.insert("calendar_link", CalendarLinkRow, without=COMPUTED)
_ROTATE: Final = """
update calendar_link set token_hash = $3, rotated_at = $4, scopes = $5, profile_ids = $6, key_id = $7
where workspace_id = $1 and id = $2
"""
_DELETE: Final = "delete from calendar_link where workspace_id = $1 and id = $2"


def sees_all(caller: Caller) -> bool:
    """Whether the caller sees, and may end, links that others made."""
    return roles.may_end_others_calendar_links(caller.role)


async def find_mine(db: Db, caller: Caller, link_id: UUID) -> CalendarLinkRow | None:
    """Return the link if this caller may see and end it."""
    return await queries.find_mine(db, caller, link_id, all_makers=sees_all(caller))


def require_writing(caller: Caller) -> None:
    """Ensure that this is not a key that only reads: a link outlives the request, and ending one is a change.

    Raises:
        Forbidden: it is.
    """
    if caller.only_reads:
        raise problems.Forbidden(
            "A key that only reads makes and ends no calendar links.",
            remediation="Use a key that may also write something, or the console.",
        )


async def create_link(context: AppContext, db: Db, caller: Caller, data: CalendarLinkCreate) -> CalendarLink:
    """Create a link; its address is in this response and nowhere else.

    Raises:
        Forbidden: the key only reads.
        ValidationFailed: the caller sees no such profile or account.
        TooManyItems: the workspace has `LINKS_MAX` links.
    """
    require_writing(caller)
    await _require_filters(context, db, caller, data)
    if await queries.count(db, caller.workspace_id) >= LINKS_MAX:
        raise problems.TooManyItems(
            f"This workspace has {LINKS_MAX} calendar links.", remediation="Delete some that are no longer needed."
        )
    token, now = cells.with_name(context.keys.cell, crypto.random_token()), clock.actual()
    row = CalendarLinkRow(
        id=ids.new_id(),
        workspace_id=caller.workspace_id,
        name=data.name,
        token_hash=queries.hash_of(token),
        mode=caller.mode,
        language=data.language,
        scopes=sorted(caller.scopes),
        user_id=caller.user_id,
        created_by=caller.actor,
        created_at=now,
        rotated_at=now,
        profile_id=data.profile_id,
        account_id=data.account_id,
        tag=data.tag,
        campaign=data.campaign,
        statuses=list(dict.fromkeys(data.statuses)),
        profile_ids=caller.sees_profiles,
        key_id=caller.key_id,
    )
    await db.execute(_INSERT, *rows.values(row, without=COMPUTED))
    return views.calendar_link(row, views.file_url(context, token))


async def rotate_link(context: AppContext, db: Db, caller: Caller, link: CalendarLinkRow) -> CalendarLink:
    """Give the link another token; it acts by the credential that did so, since that one knows the token.

    Raises:
        Forbidden: someone else made it, or the key only reads.
    """
    require_writing(caller)
    if link.user_id != caller.user_id:
        raise problems.Forbidden(
            "Only whoever made this link may give it another address.",
            remediation="Delete it, and make one of your own.",
        )
    token, now = cells.with_name(context.keys.cell, crypto.random_token()), clock.actual()
    hashed, scopes = queries.hash_of(token), sorted(caller.scopes)
    await db.execute(
        _ROTATE, link.workspace_id, link.id, hashed, now, scopes, caller.sees_profiles, caller.key_id
    )  # fmt: skip
    rotated = msgspec.structs.replace(link, rotated_at=now)
    return views.calendar_link(rotated, views.file_url(context, token))


async def delete_link(db: Db, caller: Caller, link: CalendarLinkRow) -> None:
    """End the link.

    Raises:
        Forbidden: the key only reads.
    """
    require_writing(caller)
    await db.execute(_DELETE, link.workspace_id, link.id)


async def _require_filters(context: AppContext, db: Db, caller: Caller, data: CalendarLinkCreate) -> None:
    issues: list[Issue] = []
    profile_id, account_id = data.profile_id, data.account_id
    if profile_id is not None and not (
        caller.may_see_profile(profile_id) and await context.hooks.profile_exists(db, caller.workspace_id, profile_id)
    ):
        issues.append(ProfileId.not_found("/profileId"))
    if account_id is not None:
        account = await accounts.find_mine(db, caller, account_id)
        if account is None:
            issues.append(AccountId.not_found("/accountId"))
        elif profile_id is not None and account.profile_id != profile_id:
            issues.append(Issue("/accountId", "not_allowed", "This account is of another profile."))
    if issues:
        raise problems.ValidationFailed(errors=issues)
