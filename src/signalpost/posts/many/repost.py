"""Passing a published post on to the children of its profile, by the links between them.

A job does it: the transaction that ends the post enqueues it, and each link has a transaction of its own, which writes
the new post and the entry of the link's history. A unique index allows one entry for a link and a post, so neither a
repeated event nor a killed worker passes a post on twice.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from msgspec import UNSET, structs

from signalpost.context import AppContext
from signalpost.engine import jobs
from signalpost.engine.contract import Lease
from signalpost.events import Actor
from signalpost.identity.queries import WorkspaceTerms, workspace_terms
from signalpost.kit import clock
from signalpost.kit.db import Db
from signalpost.kit.problems import Problem
from signalpost.kit.tenant import Tenant
from signalpost.plans import limits
from signalpost.posts import queries
from signalpost.posts.change import recovery
from signalpost.posts.change.update import as_copy
from signalpost.posts.compose.link_rules import platforms_of, with_language
from signalpost.posts.errors import DuplicateContent
from signalpost.posts.many.batch import Item, create_batch
from signalpost.posts.queries import ProfileWithAccounts
from signalpost.posts.rows import PostRow
from signalpost.posts.schemas.requests import PostCreate
from signalpost.profiles import queries as profile_queries
from signalpost.profiles.actions import links as profile_links
from signalpost.profiles.actions.links import CHAIN_MAX, Repost
from signalpost.profiles.errors import ProfileArchived
from signalpost.profiles.queries import LinkRow
from signalpost.web.caller import Caller
from signalpost.web.fields import ProfileId

JOB: Final = "posts.repost"
ACTOR: Final = Actor(type="system", id=None, name="profile link")
_LINKS_MAX: Final = 100
"""Links in one run of the job; it runs again until none is left."""
_REASON_MAX: Final = 500
_NOBODY: Final = UUID(int=0)


class _LinkCaller(Caller, frozen=True, kw_only=True):
    """Who writes the posts of links: the service, with the rights of an editor, so that approvals are asked for."""

    @property
    def actor(self) -> Actor:
        return ACTOR


async def enqueue_repost(db: Db, workspace_id: UUID, post_id: UUID) -> None:
    """Have a post passed on by the links of its profile, after this transaction."""
    payload = {"workspace_id": str(workspace_id), "post_id": str(post_id)}
    await jobs.enqueue(db, JOB, payload, unique_key=f"{JOB}:{post_id}", workspace_id=workspace_id)


async def pass_on(context: AppContext, lease: Lease, payload: Mapping[str, Any]) -> jobs.RunAgain | None:
    """Pass the post on by every link that has not dealt with it yet."""
    source, links = await _read(lease, payload)
    if source is None:
        return None
    for link in links:
        await _pass_on_by(context, lease, source, link)
    return jobs.RunAgain(0) if len(links) == _LINKS_MAX else None


async def give_up(lease: Lease, payload: Mapping[str, Any], _error: Exception | None) -> None:
    """Write to the history of each link that is left that it failed."""
    source, links = await _read(lease, payload)
    if source is None:
        return
    async with lease.transaction() as db:
        for link in links:
            failed = Repost(source.id, "repost_failed", reason="internal_error: It failed five times.")
            await profile_links.record_repost(db, source.workspace_id, link, failed, ACTOR)


async def _read(lease: Lease, payload: Mapping[str, Any]) -> tuple[PostRow | None, list[LinkRow]]:
    workspace_id, post_id = UUID(payload["workspace_id"]), UUID(payload["post_id"])
    async with lease.transaction() as db:
        source = await queries.find_settled(db, workspace_id, post_id)
        if source is None:
            return None, []
        links = await profile_queries.links_to_pass_on(db, workspace_id, source.profile_id, post_id, _LINKS_MAX)
    return source, links


async def _pass_on_by(context: AppContext, lease: Lease, source: PostRow, link: LinkRow) -> None:
    try:
        async with lease.transaction() as db:
            repost = await _create(context, db, source, link)
            await profile_links.record_repost(db, source.workspace_id, link, repost, ACTOR)
    except Problem as problem:  # such as a limit of the plan, after which the transaction must be undone
        if problem.status >= 500:
            raise
        async with lease.transaction() as db:
            refused = _refused(source, problem)
            await profile_links.record_repost(db, source.workspace_id, link, refused, ACTOR)


async def _create(context: AppContext, db: Db, source: PostRow, link: LinkRow) -> Repost:
    """Create the post of the child, and return what to tell of it."""
    terms = await workspace_terms(context.settings, db, source.workspace_id)
    profiles, links = await queries.chain_of(db, source)
    if not limits.PROFILE_LINKS.included_in(terms.plan):
        return _skipped(source, "plan_feature_unavailable")
    if links >= CHAIN_MAX:
        return _skipped(source, "chain_too_long")
    if link.child_profile_id in profiles:
        return _skipped(source, "link_cycle")
    caller = _caller(source, terms)
    read = await queries.profiles_with_accounts(
        db, caller, [link.child_profile_id], account_ids=[], platforms=link.rules.platforms
    )
    platforms = _platforms(source, read.get(link.child_profile_id))
    if not platforms:
        return _skipped(source, "no_account")
    body = _body(source, link, platforms, clock.now())
    [outcome] = await create_batch(context, db, caller, [Item(body, "link", source_post_id=source.id)])
    if isinstance(outcome, Problem):
        return _refused(source, outcome)
    await recovery.look_up_reposts(db, source.id, outcome.post.id)
    return Repost(source.id, "reposted", created_post_id=outcome.post.id)


def _platforms(source: PostRow, child: ProfileWithAccounts | None) -> list[str]:
    """Return the networks on which the child gets the post; nothing of a test becomes public."""
    accounts = [] if child is None else child.accounts
    return platforms_of(accounts, ["sandbox"] if source.mode == "test" else None)


def _caller(source: PostRow, terms: WorkspaceTerms) -> Caller:
    return _LinkCaller(
        user_id=source.created_by_user_id or _NOBODY,
        user_name="",
        workspace_id=source.workspace_id,
        tenant=Tenant(source.workspace_id, source.workspace_id),
        role="editor",
        scopes=frozenset({"posts:write", "posts:publish"}),
        mode=source.mode,
        auth="api_key",
        credential="link",
        plan=terms.plan,
        workspace_timezone=terms.timezone,
    )


def _body(source: PostRow, link: LinkRow, platforms: list[str], now: datetime) -> PostCreate:
    """Return the body of the child's post: the content of the source, changed by the rules of the link."""
    rules = link.rules
    at = (source.published_at or now) + timedelta(minutes=rules.delay_minutes)
    return structs.replace(
        as_copy(source, ()),
        profile_id=ProfileId(int=link.child_profile_id.int),
        text=(rules.caption_prefix or "") + source.text,
        notes=UNSET,
        platforms=platforms,
        scheduled_at=clock.wire(at) if at > now else None,
        timezone=None,
        draft=rules.as_draft,
        options=with_language(source.options, rules.language_override, platforms),
    )


def _skipped(source: PostRow, reason: str) -> Repost:
    return Repost(source.id, "repost_skipped", reason=reason)


def _refused(source: PostRow, problem: Problem) -> Repost:
    if isinstance(problem, DuplicateContent | ProfileArchived):
        return _skipped(source, problem.code)
    return Repost(source.id, "repost_failed", reason=f"{problem.code}: {problem.detail}"[:_REASON_MAX])
