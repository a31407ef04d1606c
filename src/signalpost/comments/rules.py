"""Reads of rules for new comments, and of what they did. They are live: a test key sees none."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from signalpost.comments.queries import ReplyError
from signalpost.comments.states import Hiding, RuleAction
from signalpost.events import Actor
from signalpost.kit import rows
from signalpost.kit.db import Db
from signalpost.web.caller import Caller, Mode
from signalpost.web.paging import Page, keyset

RULES_MAX: Final = 50
"""Of a workspace."""


class RuleRow(Struct, frozen=True):
    """A rule as it is stored. `profile_ids` are those that whoever answers for it saw then."""

    id: UUID
    workspace_id: UUID
    name: str
    enabled: bool
    held: bool
    words: list[str]
    authors: list[str]
    on_profiles: list[UUID] | None
    platforms: list[str] | None
    hide: bool
    done: bool
    assignee_id: UUID | None
    tags: list[str]
    scopes: list[str]
    profile_ids: list[UUID] | None
    user_id: UUID
    key_id: UUID | None
    created_by: Actor
    created_at: datetime
    updated_at: datetime

    @property
    def mode(self) -> Mode:
        """Of what it acts on."""
        return "live"


class UseRow(Struct, frozen=True):
    """What a rule did with a comment."""

    id: UUID
    workspace_id: UUID
    rule_id: UUID
    rule_name: str
    comment_id: UUID
    profile_id: UUID
    account_id: UUID
    actions: list[RuleAction]
    hiding: Hiding | None
    error: ReplyError | None
    attempts: int
    created_at: datetime


_SELECT: Final = f"select {rows.columns(RuleRow, 'r')} from comment_rule r"  # noqa: S608 - constants only
_SEEN: Final = "r.workspace_id = $1 and ($2::uuid[] is null or r.on_profiles is null or r.on_profiles && $2)"
_MINE: Final = f"{_SELECT} where {_SEEN} and r.id = $3"
_VISIBLE: Final = f"""{_SELECT} where {_SEEN} and ($3::uuid is null or r.on_profiles is null or $3 = any(r.on_profiles))
    and {keyset("r.created_at", "r.id", first=4)}
"""
_LOCK: Final = f"{_SELECT} where r.id = $1 and r.workspace_id = $2 for no key update of r"
_ENABLED: Final = f"""{_SELECT} where r.workspace_id = $1 and r.enabled
order by r.created_at, r.id limit {RULES_MAX}
"""
_BY_IDS: Final = f"{_SELECT} where r.workspace_id = $1 and r.id = any($2)"
_COUNT: Final = "select count(*) from comment_rule where workspace_id = $1"
_PROFILES: Final = "select id from profile where workspace_id = $1 and id = any($2) and deleted_at is null"
_USES: Final = f"""
select {rows.columns(UseRow, "u")} from comment_rule_use u
where u.workspace_id = $1 and ($2::uuid[] is null or u.profile_id = any($2)) and ($3::uuid is null or u.rule_id = $3)
    and ($4::uuid is null or u.comment_id = $4) and {keyset("u.created_at", "u.id", first=5)}
"""  # noqa: S608 - constants only
_PENDING: Final = f"""
select {rows.columns(UseRow, "u")} from comment_rule_use u
where u.account_id = $1 and u.hiding = 'pending' and (u.retry_at is null or u.retry_at <= now())
order by coalesce(u.retry_at, u.created_at), u.id limit $2
"""  # noqa: S608 - constants only
_UNTIL_PENDING: Final = """
select greatest(extract(epoch from coalesce(retry_at, created_at) - now()), 0)::float8
from comment_rule_use where account_id = $1 and hiding = 'pending' order by coalesce(retry_at, created_at), id limit 1
"""
_read: Final = rows.reader(RuleRow)
_read_use: Final = rows.reader(UseRow)


async def find_mine(db: Db, caller: Caller, rule_id: UUID) -> RuleRow | None:
    """Return the rule if this caller may see it."""
    if caller.mode != "live":
        return None
    return await rows.read_one(db, _read, _MINE, caller.workspace_id, caller.sees_profiles, rule_id)


async def visible(db: Db, caller: Caller, profile_id: UUID | None, page: Page) -> Sequence[RuleRow]:
    """Return those that act on a profile, the newest first; None: all that the caller sees."""
    if caller.mode != "live":
        return []
    return await rows.read_all(db, _read, _VISIBLE, caller.workspace_id, caller.sees_profiles, profile_id, *page.bounds)


async def lock(db: Db, workspace_id: UUID, rule_id: UUID) -> RuleRow | None:
    """Return the rule as it is now, and keep it so until the transaction ends."""
    return await rows.read_one(db, _read, _LOCK, rule_id, workspace_id)


async def enabled(db: Db, workspace_id: UUID) -> Sequence[RuleRow]:
    """Return the rules that act, the oldest first."""
    return await rows.read_all(db, _read, _ENABLED, workspace_id)


async def by_ids(db: Db, workspace_id: UUID, rule_ids: Sequence[UUID]) -> Mapping[UUID, RuleRow]:
    """Return those of these rules that are there."""
    existing = await rows.read_all(db, _read, _BY_IDS, workspace_id, rule_ids)
    return {rule.id: rule for rule in existing}


async def count(db: Db, workspace_id: UUID) -> int:
    """Return how many a workspace has, those that are off included."""
    number: int = await db.fetchval(_COUNT, workspace_id)
    return number


async def existing_profiles(db: Db, workspace_id: UUID, profile_ids: Sequence[UUID]) -> set[UUID]:
    """Return those of these profiles that are there."""
    return {record[0] for record in await db.fetch(_PROFILES, workspace_id, profile_ids)}


async def uses(
    db: Db, caller: Caller, page: Page, *, rule_id: UUID | None, comment_id: UUID | None
) -> Sequence[UseRow]:
    """Return what rules did, the last first; of one rule or with one comment, where that is given."""
    if caller.mode != "live":
        return []
    values = (caller.workspace_id, caller.sees_profiles, rule_id, comment_id, *page.bounds)
    return await rows.read_all(db, _read_use, _USES, *values)


async def pending(db: Db, account_id: UUID, limit: int) -> Sequence[UseRow]:
    """Return what has to be hidden at the network of an account now, what waits longest first."""
    return await rows.read_all(db, _read_use, _PENDING, account_id, limit)


async def seconds_until_pending(db: Db, account_id: UUID) -> float | None:
    """Return when the next comment of an account is to be hidden, 0 if one is due; None: there is none."""
    seconds: float | None = await db.fetchval(_UNTIL_PENDING, account_id)
    return seconds
