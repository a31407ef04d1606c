from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple
from uuid import UUID

from signalpost import networks
from signalpost.events import Actor
from signalpost.kit import clock, ids, issue_text, problems, rows
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.profiles import queries, validation, views
from signalpost.profiles.errors import LinkCycle
from signalpost.profiles.queries import LinkRow, LinkRulesRow
from signalpost.profiles.schemas import LinkDeletion, LinkRulesIn, ProfileLink, ProfileLinkCreate
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

CHAIN_MAX = 3
"""The longest chain, counted in links: a post is passed on at most three times."""

# The bound of 10 is a safety net: chains in the database hold at most three links.
_ANCESTORS = """
with recursive up (id, links) as (
    select $2::uuid, 0
    union all
    select l.parent_profile_id, up.links + 1 from up
    join profile_link l on l.child_profile_id = up.id and l.deleted_at is null and l.workspace_id = $1
    where up.links < 10
)
select id from up
"""
_HEIGHT = """
with recursive down (id, links) as (
    select $2::uuid, 0
    union all
    select l.child_profile_id, down.links + 1 from down
    join profile_link l on l.parent_profile_id = down.id and l.deleted_at is null and l.workspace_id = $1
    where down.links < 10
)
select max(links) from down
"""
_LINK = rows.columns(LinkRow)
_OF_CHILD = f"""
select {_LINK} from profile_link where workspace_id = $1 and child_profile_id = $2 and deleted_at is null
"""  # noqa: S608 - constants only
_INSERT = f"""
insert into profile_link (id, workspace_id, parent_profile_id, child_profile_id, rules, created_by, created_at,
    updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $7)
returning {_LINK}
"""  # noqa: S608 - constants only
_UPDATE_RULES = f"""
update profile_link set rules = $3, updated_at = $4 where id = $1 and workspace_id = $2 returning {_LINK}
"""  # noqa: S608 - constants only
_END = f"""
update profile_link set deleted_at = now(), updated_at = now(), active = false
where workspace_id = $1 and deleted_at is null and id = any($2)
returning {_LINK}
"""  # noqa: S608 - constants only
_OF_PROFILE = """
select id from profile_link
where workspace_id = $1 and deleted_at is null and (parent_profile_id = $2 or child_profile_id = $2)
"""
_INSERT_HISTORY = """
insert into profile_link_history (id, workspace_id, link_id, action, parent_profile_id, child_profile_id, reason, actor,
    created_at)
select w.id, $1, w.link_id, $2, w.parent_id, w.child_id, $3, $4, $5
from unnest($6::uuid[], $7::uuid[], $8::uuid[], $9::uuid[]) as w (id, link_id, parent_id, child_id)
"""


_INSERT_REPOST = """
insert into profile_link_history (id, workspace_id, link_id, action, parent_profile_id, child_profile_id,
    source_post_id, created_post_id, reason, actor, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
"""


class Repost(NamedTuple):
    """What a link made of a post. `reason`: why there is no new one."""

    source_post_id: UUID
    action: Literal["reposted", "repost_skipped", "repost_failed"]
    created_post_id: UUID | None = None
    reason: str | None = None


async def record_repost(db: Db, workspace_id: UUID, link: LinkRow, repost: Repost, actor: Actor) -> None:
    """Write to the history what a link made of a post.

    Raises:
        asyncpg.UniqueViolationError: the link has dealt with this post already.
    """
    await db.execute(
        _INSERT_REPOST, ids.new_id(), workspace_id, link.id, repost.action, link.parent_profile_id,
        link.child_profile_id, repost.source_post_id, repost.created_post_id, repost.reason, actor, clock.now(),
    )  # fmt: skip


async def link_profiles(db: Db, caller: Caller, data: ProfileLinkCreate) -> ProfileLink:
    """Link two profiles, or replace the rules of the link they have.

    Raises:
        ValidationFailed: a profile or a platform is not known here.
        AlreadyExists: the child has another parent.
        LinkCycle: the link would close a cycle, or make a chain of more than three.
        PlanFeatureUnavailable: the plan has no links, or no language override.
        ProfileArchived: one of the profiles is archived.
        TestModeOnlySandbox: the caller is a test key, and something live hangs on one of the profiles.
    """
    plans.require_feature(caller, limits.PROFILE_LINKS)
    if data.rules is not None and data.rules.language_override is not None:
        plans.require_feature(caller, limits.LANGUAGE_OVERRIDE)
    rules = _rules(data.rules or LinkRulesIn())
    await queries.lock_workspace(db, caller.workspace_id)  # so that neither profile is deleted meanwhile
    await _require_profiles(db, caller, data)
    await validation.require_no_live_use(db, caller, data.parent_profile_id, data.child_profile_id)
    for profile_id in sorted((data.parent_profile_id, data.child_profile_id)):  # as all do that lock several profiles
        await queries.require_in_use(db, caller.workspace_id, profile_id)
    parent_id, child_id, now = data.parent_profile_id, data.child_profile_id, clock.now()
    existing = await db.fetchrow(_OF_CHILD, caller.workspace_id, child_id)
    if existing is not None and existing["parent_profile_id"] == parent_id:
        action = "rules_updated"
        record = await db.fetchrow(_UPDATE_RULES, existing["id"], caller.workspace_id, rules, now)
    else:
        action = "linked"
        await _require_tree(db, caller, parent_id, child_id)
        if existing is not None:
            raise problems.AlreadyExists("The child already has another parent. Remove that link first.")
        record = await db.fetchrow(
            _INSERT, ids.new_id(), caller.workspace_id, parent_id, child_id, rules, caller.actor, now
        )
    assert record is not None  # noqa: S101 - `returning` of a row that is locked or new
    row = queries.read_link(record)
    await _insert_history(db, caller, action, [row])
    return views.link(row)


async def unlink_profiles(db: Db, caller: Caller, link: LinkRow) -> LinkDeletion:
    """Remove a link. The posts it created stay.

    Raises:
        TestModeOnlySandbox: the caller is a test key, and something live hangs on one of the profiles.
    """
    await validation.require_no_live_use(db, caller, link.parent_profile_id, link.child_profile_id)
    await _end(db, caller, [link.id], reason=None)
    return LinkDeletion(id=ids.encode("lnk", link.id), deleted=True)


async def end_links(db: Db, caller: Caller, profile_id: UUID) -> None:
    """Remove every link of a profile that is being deleted."""
    records = await db.fetch(_OF_PROFILE, caller.workspace_id, profile_id)
    await _end(db, caller, [record["id"] for record in records], reason="profile_deleted")


async def _end(db: Db, caller: Caller, link_ids: Sequence[UUID], *, reason: str | None) -> None:
    records = await db.fetch(_END, caller.workspace_id, link_ids)
    await _insert_history(db, caller, "unlinked", [queries.read_link(record) for record in records], reason)


async def _require_profiles(db: Db, caller: Caller, data: ProfileLinkCreate) -> None:
    requested = {"/parentProfileId": data.parent_profile_id, "/childProfileId": data.child_profile_id}
    profiles = await queries.by_ids(db, caller, list(requested.values()))
    if missing := [pointer for pointer, profile_id in requested.items() if profile_id not in profiles]:
        raise problems.ValidationFailed(errors=[ProfileId.not_found(pointer) for pointer in missing])


async def _require_tree(db: Db, caller: Caller, parent_id: UUID, child_id: UUID) -> None:
    ancestors = [record["id"] for record in await db.fetch(_ANCESTORS, caller.workspace_id, parent_id)]
    if child_id in ancestors:
        raise LinkCycle("The child is an ancestor of the parent, or the parent itself.")
    height = await db.fetchval(_HEIGHT, caller.workspace_id, child_id)
    length = len(ancestors) + height
    if length > CHAIN_MAX:
        raise LinkCycle(f"This would make a chain of {length} links; at most {CHAIN_MAX} are allowed.")


def _rules(data: LinkRulesIn) -> LinkRulesRow:
    if issues := list(_issues(data)):
        raise problems.ValidationFailed(errors=issues)
    platforms = None
    if data.platforms is not None:
        platforms = sorted({networks.canonical(slug) or "" for slug in data.platforms})
    return LinkRulesRow(
        auto_repost=data.auto_repost,
        caption_prefix=data.tag_prefix if data.caption_prefix is None else data.caption_prefix,
        language_override=data.language_override,
        platforms=platforms,
        delay_minutes=data.delay_minutes,
        as_draft=data.as_draft,
    )


def _issues(data: LinkRulesIn) -> Iterator[Issue]:
    for index, slug in enumerate(data.platforms or ()):
        if networks.canonical(slug) is None:
            yield issue_text.not_allowed(f"/rules/platforms/{index}", slug, networks.PLATFORMS)
    if None not in (data.caption_prefix, data.tag_prefix) and data.caption_prefix != data.tag_prefix:
        yield Issue("/rules/tagPrefix", "not_allowed", "tagPrefix is an alias of captionPrefix; send only one of them.")


async def _insert_history(
    db: Db, caller: Caller, action: str, links: Sequence[LinkRow], reason: str | None = None
) -> None:
    await db.execute(
        _INSERT_HISTORY,
        caller.workspace_id,
        action,
        reason,
        caller.actor,
        clock.now(),
        [ids.new_id() for _ in links],
        [link.id for link in links],
        [link.parent_profile_id for link in links],
        [link.child_profile_id for link in links],
    )
