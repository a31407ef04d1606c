"""What a workspace does with its links to reports."""

from typing import Final
from uuid import UUID

from signalpost.context import AppContext
from signalpost.identity import roles
from signalpost.kit import cells, clock, crypto, ids, problems, rows
from signalpost.kit.db import Db
from signalpost.profiles import queries as profiles
from signalpost.report_links import months, queries, views
from signalpost.report_links.queries import COMPUTED, ReportLinkRow
from signalpost.report_links.schemas import ReportLink, ReportLinkCreate
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

LINKS_MAX: Final = 500
"""Of a workspace: enough for each client of a large agency."""
_INSERT: Final = rows.insert("report_link", ReportLinkRow, without=COMPUTED)
_DELETE: Final = "delete from report_link where workspace_id = $1 and id = $2"


def sees_all(caller: Caller) -> bool:
    """Whether the caller sees, and may end, links that others made."""
    return roles.may_end_others_report_links(caller.role)


async def find_mine(db: Db, caller: Caller, link_id: UUID) -> ReportLinkRow | None:
    """Return the link if this caller may see and end it."""
    return await queries.find_mine(db, caller, link_id, all_makers=sees_all(caller))


async def create_link(context: AppContext, db: Db, caller: Caller, data: ReportLinkCreate) -> ReportLink:
    """Create a link; its address is in this response, and in the mails to its reader.

    Raises:
        Forbidden: the key only reads.
        ValidationFailed: the caller sees no such profile.
        TooManyItems: the workspace has `LINKS_MAX` links.
    """
    _require_writing(caller)
    profile = await profiles.find_mine(db, caller, data.profile_id)
    if profile is None:
        raise problems.ValidationFailed(errors=[ProfileId.not_found("/profileId")])
    if await queries.count(db, caller.workspace_id) >= LINKS_MAX:
        raise problems.TooManyItems(
            f"This workspace has {LINKS_MAX} links to reports.", remediation="Delete some that are no longer needed."
        )
    link_id, token, now = ids.new_id(), cells.with_name(context.keys.cell, crypto.random_token()), clock.actual()
    is_mailed = data.email is not None
    row = ReportLinkRow(
        id=link_id,
        workspace_id=caller.workspace_id,
        profile_id=data.profile_id,
        token_hash=queries.hash_of(token),
        mode=caller.mode,
        language=data.language,
        scopes=sorted(caller.scopes),
        user_id=caller.user_id,
        created_by=caller.actor,
        created_at=now,
        profile_ids=caller.sees_profiles,
        key_id=caller.key_id,
        email=data.email,
        sealed_token=context.keys.seal(token.encode(), context=queries.sealed_as(link_id)) if is_mailed else None,
        next_mail_at=months.next_mail(now, profile.timezone) if is_mailed else None,
    )
    await db.execute(_INSERT, *rows.values(row, without=COMPUTED))
    return views.report_link(row, views.page_url(context, token))


async def delete_link(db: Db, caller: Caller, link: ReportLinkRow) -> None:
    """End the link, and its mails.

    Raises:
        Forbidden: the key only reads.
    """
    _require_writing(caller)
    await db.execute(_DELETE, link.workspace_id, link.id)


def _require_writing(caller: Caller) -> None:
    """Ensure that this is not a key that only reads: a link outlives the request, and ending one is a change."""
    if caller.only_reads:
        raise problems.Forbidden(
            "A key that only reads makes and ends no links to reports.",
            remediation="Use a key that may also write something, or the console.",
        )
