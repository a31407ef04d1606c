from collections.abc import Iterator, Sequence
from uuid import UUID

from signalpost import networks
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue
from signalpost.plans import actions as plans
from signalpost.profiles import queries
from signalpost.profiles.errors import LinkCycle
from signalpost.profiles.queries import LinkRow
from signalpost.profiles.schemas import LinkDeletion, LinkRules, LinkRulesIn, ProfileLink, ProfileLinkCreate
from signalpost.web.caller import Caller

CHAIN_MAX = 3
"""Most links in a row: a post is passed on three times at most."""

# Both walks are bounded: chains in the database hold at most three links.
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
_OF_CHILD = """
select id, parent_profile_id, child_profile_id, rules, active, created_by, created_at, updated_at
from profile_link where workspace_id = $1 and child_profile_id = $2 and deleted_at is null
"""
_INSERT = """
insert into profile_link (id, workspace_id, parent_profile_id, child_profile_id, rules, created_by, created_at,
    updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $7)
returning id, parent_profile_id, child_profile_id, rules, active, created_by, created_at, updated_at
"""
_REPLACE_RULES = """
update profile_link set rules = $3, updated_at = $4 where id = $1 and workspace_id = $2
returning id, parent_profile_id, child_profile_id, rules, active, created_by, created_at, updated_at
"""
_END = """
update profile_link set deleted_at = $3, updated_at = $3, active = false
where workspace_id = $1 and deleted_at is null and id = any($2)
returning id, parent_profile_id, child_profile_id, rules, active, created_by, created_at, updated_at
"""
_OF_PROFILE = """
select id from profile_link
where workspace_id = $1 and deleted_at is null and (parent_profile_id = $2 or child_profile_id = $2)
"""
_WRITE_HISTORY = """
insert into profile_link_history (id, workspace_id, link_id, action, parent_profile_id, child_profile_id, reason, actor,
    created_at)
select w.id, $1, w.link_id, $2, w.parent_id, w.child_id, $3, $4, $5
from unnest($6::uuid[], $7::uuid[], $8::uuid[], $9::uuid[]) as w (id, link_id, parent_id, child_id)
"""


async def link_profiles(db: Db, caller: Caller, data: ProfileLinkCreate) -> ProfileLink:
    """Link two profiles, or replace the rules of the link they have.

    Raises:
        ValidationFailed: a profile or a platform is not known here.
        AlreadyExists: the child has another parent.
        LinkCycle: the link would close a circle, or make a chain of more than three.
        PlanFeatureUnavailable: the plan has no links, or no language override.
    """
    plans.require_feature(caller, "profileLinks")
    if data.rules is not None and data.rules.language_override is not None:
        plans.require_feature(caller, "languageOverride")
    rules = _rules(data.rules or LinkRulesIn())
    await queries.one_at_a_time(db, caller.workspace_id)  # a profile seen from here on is not deleted meanwhile
    parent_id, child_id = await _ends(db, caller, data)
    present = await db.fetchrow(_OF_CHILD, caller.workspace_id, child_id)
    now = clock.now()
    if present is not None and present["parent_profile_id"] == parent_id:
        row = await db.fetchrow(_REPLACE_RULES, present["id"], caller.workspace_id, rules, now)
        action = "rules_updated"
    else:
        await _ensure_tree(db, caller, parent_id, child_id)
        if present is not None:
            raise problems.AlreadyExists("The child already has another parent. Remove that link first.")
        row = await db.fetchrow(
            _INSERT, ids.new_id(), caller.workspace_id, parent_id, child_id, rules, caller.actor, now
        )
        action = "linked"
    assert row is not None  # noqa: S101 - `returning` of a row that is locked or new
    link = LinkRow(*row)
    await _write_history(db, caller, action, [link])
    return link.shown()


async def unlink(db: Db, caller: Caller, link: LinkRow) -> LinkDeletion:
    """Remove a link; posts it made stay."""
    await _end(db, caller, [link.id], reason=None)
    return LinkDeletion(id=ids.encode("lnk", link.id), deleted=True)


async def end_links(db: Db, caller: Caller, profile_id: UUID) -> None:
    """Remove every link of a profile that is being deleted."""
    found = await db.fetch(_OF_PROFILE, caller.workspace_id, profile_id)
    await _end(db, caller, [row["id"] for row in found], reason="profile_deleted")


async def _end(db: Db, caller: Caller, link_ids: Sequence[UUID], *, reason: str | None) -> None:
    rows = await db.fetch(_END, caller.workspace_id, link_ids, clock.now())
    await _write_history(db, caller, "unlinked", [LinkRow(*row) for row in rows], reason)


async def _ends(db: Db, caller: Caller, data: ProfileLinkCreate) -> tuple[UUID, UUID]:
    given = {"/parentProfileId": data.parent_profile_id, "/childProfileId": data.child_profile_id}
    wanted = {path: ids.decode("prof", text) for path, text in given.items()}
    found = await queries.by_ids(db, caller, [profile_id for profile_id in wanted.values() if profile_id])
    missing = [path for path, profile_id in wanted.items() if profile_id not in found]
    if missing:
        raise problems.ValidationFailed(
            errors=[Issue(path, "not_found", "There is no such profile here.") for path in missing]
        )
    parent, child = (found[profile_id] for profile_id in wanted.values() if profile_id)
    return parent.id, child.id


async def _ensure_tree(db: Db, caller: Caller, parent_id: UUID, child_id: UUID) -> None:
    ancestors = [row["id"] for row in await db.fetch(_ANCESTORS, caller.workspace_id, parent_id)]
    if child_id in ancestors:
        raise LinkCycle("The child stands above the parent, or is the parent itself.")
    height = await db.fetchval(_HEIGHT, caller.workspace_id, child_id)
    if len(ancestors) + height > CHAIN_MAX:
        raise LinkCycle(f"This would make a chain of {len(ancestors) + height} links; at most {CHAIN_MAX} are allowed.")


def _rules(data: LinkRulesIn) -> LinkRules:
    findings = list(_findings(data))
    if findings:
        raise problems.ValidationFailed(errors=findings)
    platforms = None
    if data.platforms is not None:
        platforms = sorted({networks.canonical(slug) or "" for slug in data.platforms})
    return LinkRules(
        auto_repost=data.auto_repost,
        caption_prefix=data.tag_prefix if data.caption_prefix is None else data.caption_prefix,
        language_override=data.language_override,
        platforms=platforms,
        delay_minutes=data.delay_minutes,
        as_draft=data.as_draft,
    )


def _findings(data: LinkRulesIn) -> Iterator[Issue]:
    for index, slug in enumerate(data.platforms or ()):
        if networks.canonical(slug) is None:
            yield Issue(f"/rules/platforms/{index}", "not_allowed", "There is no such platform.")
    if None not in (data.caption_prefix, data.tag_prefix) and data.caption_prefix != data.tag_prefix:
        yield Issue("/rules/tagPrefix", "not_allowed", "tagPrefix is another name of captionPrefix; give one of them.")


async def _write_history(
    db: Db, caller: Caller, action: str, links: Sequence[LinkRow], reason: str | None = None
) -> None:
    await db.execute(
        _WRITE_HISTORY,
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
