"""Rewrite a text for networks. Reads, and calls a model; saves nothing but what the plan counts."""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from msgspec import Struct, structs

from signalpost import networks
from signalpost.captions import model, rules, views
from signalpost.captions.model import Assignment, Draft, ModelFailed
from signalpost.captions.rules import Note, Source
from signalpost.captions.schemas import Caption, Captions, CaptionsOptimize, CaptionUsage, Engine
from signalpost.context import AppContext
from signalpost.flags.cache import is_enabled
from signalpost.flags.registry import CAPTION_MODEL
from signalpost.identity.errors import PlanLimitReached
from signalpost.kit import clock, issue_text
from signalpost.kit.db import Db
from signalpost.kit.problems import Issue, ValidationFailed
from signalpost.kit.worker_threads import in_thread
from signalpost.networks import preflight
from signalpost.networks.contract import Facts
from signalpost.plans import actions as plans
from signalpost.plans import limits
from signalpost.posts import queries as posts
from signalpost.posts.rows import PostRow
from signalpost.profiles import queries as profiles
from signalpost.web.caller import Caller
from signalpost.web.fields import PostId, ProfileId

LENGTH_AT_ONCE_MAX: Final = 200
"""Characters times networks; more are rewritten in a worker thread, since that would hold the event loop."""


class Brief(Struct, frozen=True):
    """A request with all that it names."""

    source: Source
    networks: Sequence[Facts]
    language: str | None


class _Job(Struct, frozen=True):
    """A source to be fitted to one network. `engine`: who wrote the source."""

    engine: Engine
    facts: Facts
    source: Source
    count: int
    warnings: Sequence[Note] = ()


async def optimize(context: AppContext, caller: Caller, data: CaptionsOptimize) -> Captions:
    """Return captions for each network.

    Raises:
        ValidationFailed: the post, the profile or a network does not exist.
        PlanLimitReached: the body asks for the model, and the plan's captions are used up.
    """
    async with context.database.connection() as db:
        brief = await _read(db, caller, data)
    drafts, warnings = await _drafts(context, caller, data, brief)
    jobs = list(_jobs(brief, drafts, warnings, data.count))
    size = sum(len(job.source.text) for job in jobs)
    results = await in_thread(_rewrite, jobs) if size > LENGTH_AT_ONCE_MAX else _rewrite(jobs)
    async with context.database.connection() as db:
        used = await plans.spent(db, caller, limits.AI_CAPTIONS)
    usage = CaptionUsage(used, limits.AI_CAPTIONS.of(caller.plan))
    return Captions("model" if drafts else "rules", usage, results)


# --- what the body names --------------------------------------------------------------------------------------------


async def _read(db: Db, caller: Caller, data: CaptionsOptimize) -> Brief:
    issues: list[Issue] = []
    slugs = list(_platforms(data, issues))
    issues += _contradictions(data)
    post = None if data.post_id is None else await posts.find_mine(db, caller, data.post_id)
    if data.post_id is not None and post is None:
        issues.append(PostId.not_found("/postId"))
    profile_id = data.profile_id or (post.profile_id if post else None)
    profile = None if profile_id is None else await profiles.find_mine(db, caller, profile_id)
    if data.profile_id is not None and profile is None:
        issues.append(ProfileId.not_found("/profileId"))
    if issues:
        raise ValidationFailed(errors=issues)
    facts = {slug: connector.facts for slug in slugs if (connector := networks.get(slug)) is not None}
    if profile is not None:
        facts |= await _facts_of_accounts(db, caller, profile.id, slugs)
    return Brief(
        _source(data, post, profile.default_hashtags if profile else ()),
        list(facts.values()),
        data.language or (profile.language if profile else None),
    )


def _platforms(data: CaptionsOptimize, issues: list[Issue]) -> Iterator[str]:
    """Yield the networks by their canonical names, each once."""
    seen: set[str] = set()
    for index, slug in enumerate(data.platforms):
        path, platform = f"/platforms/{index}", networks.canonical(slug)
        if platform is None:
            issues.append(issue_text.not_allowed(path, slug, networks.PLATFORMS))
        elif networks.get(platform) is None:
            message = f"{platform} is not available in this version; GET /platforms lists what is."
            issues.append(Issue(path, "not_allowed", message))
        elif platform in seen:
            issues.append(Issue(path, "not_unique", f"{platform} is named twice."))
        else:
            seen.add(platform)
            yield platform


def _contradictions(data: CaptionsOptimize) -> Iterator[Issue]:
    if data.post_id is None and data.text is None:
        yield Issue("/text", "required", "Send the text to rewrite, or the postId of a post.")
    if data.post_id is not None and data.text is not None:
        yield Issue("/postId", "not_allowed", "Send either text or postId, not both.")
    if data.post_id is not None and data.title is not None:
        yield Issue("/title", "not_allowed", "The title is that of the post: leave it out.")


async def _facts_of_accounts(db: Db, caller: Caller, profile_id: UUID, slugs: Sequence[str]) -> dict[str, Facts]:
    """Return what the servers of the profile's accounts allow; of several accounts, what the strictest one does."""
    profile = await posts.profile_with_accounts(db, caller, profile_id, platforms=slugs)
    by_platform: dict[str, Facts] = {}
    for account in profile.accounts if profile else ():
        connector = networks.get(account.platform)
        if connector is None:
            continue
        facts = preflight.for_account(connector.facts, account.facts)
        strictest = by_platform.setdefault(account.platform, facts)
        if facts.text.max_length < strictest.text.max_length:
            by_platform[account.platform] = facts
    return by_platform


def _source(data: CaptionsOptimize, post: PostRow | None, default_hashtags: Sequence[str]) -> Source:
    source = Source(
        data.text or "",
        data.title,
        keep_links=data.keep_links,
        hashtags_max=data.max_hashtags,
        default_hashtags=default_hashtags,
    )
    if post is None:
        return source
    text = "\n\n".join([post.text, *(part.text for part in post.thread)])
    return structs.replace(
        source, text=text, title=post.title, link=post.link, has_media=bool(post.media), utm=post.utm
    )


# --- the model ------------------------------------------------------------------------------------------------------


async def _drafts(
    context: AppContext, caller: Caller, data: CaptionsOptimize, brief: Brief
) -> tuple[list[Draft], list[Note]]:
    """Return what the model wrote, and why it wrote nothing if it was asked for. The plan counts what it wrote.

    Raises:
        PlanLimitReached: the body asks for the model, and the plan's captions are used up.
    """
    if data.engine == "rules":
        return [], _ignored(data)
    if (reason := await _why_no_model(context, caller)) is not None:
        return [], [_by_rules(reason), *_ignored(data)] if data.engine == "model" else _ignored(data)
    units = len(brief.networks) * data.count
    try:
        async with context.database.transaction() as db:
            await plans.spend(db, caller, limits.AI_CAPTIONS, units)
    except PlanLimitReached as problem:
        if data.engine == "model":
            raise
        return [], [_by_rules(problem.detail.rstrip(".")), *_ignored(data)]
    spent_at = clock.actual()
    drafts: list[Draft] = []
    try:
        drafts = await model.write(context.http.models, context.settings, _assignment(data, brief))
    except ModelFailed as failure:
        return [], [_by_rules(f"the model failed: {failure}"), *_ignored(data)]
    finally:
        if unused := units - len(drafts):
            async with context.database.transaction() as db:
                await plans.refund(db, caller.workspace_id, limits.AI_CAPTIONS, unused, spent_at=spent_at)
    return drafts, []


async def _why_no_model(context: AppContext, caller: Caller) -> str | None:
    if caller.mode == "test":
        return "a test key uses no model"
    if not model.is_configured(context.settings):
        return "the operator has set up no model"
    allowed = await is_enabled(
        context, CAPTION_MODEL, workspace_id=caller.workspace_id, plan=caller.plan, user_id=caller.user_id
    )
    return None if allowed else "the operator has switched the model off"


def _assignment(data: CaptionsOptimize, brief: Brief) -> Assignment:
    return Assignment(
        text=brief.source.text,
        title=brief.source.title,
        networks=brief.networks,
        count=data.count,
        tone=data.tone,
        language=brief.language,
        max_hashtags=data.max_hashtags,
        keep_links=data.keep_links,
    )


def _by_rules(reason: str) -> Note:
    return Note("model_unavailable", f"Written by rules, since {reason}.")


def _ignored(data: CaptionsOptimize) -> list[Note]:
    names = [name for name, value in (("tone", data.tone), ("language", data.language)) if value is not None]
    return [Note("needs_model", f"Only a model heeds {' and '.join(names)}.")] if names else []


# --- captions -------------------------------------------------------------------------------------------------------


def _jobs(brief: Brief, drafts: Sequence[Draft], warnings: Sequence[Note], count: int) -> Iterator[_Job]:
    """Yield the work for each network: each of the model's drafts, or the source if it wrote none."""
    for facts in brief.networks:
        mine = [draft for draft in drafts if draft.platform == facts.key]
        for draft in mine:
            tags = " ".join(draft.hashtags)
            text = f"{draft.text}\n\n{tags}" if tags else draft.text
            source = structs.replace(brief.source, text=text, title=draft.title or brief.source.title)
            yield _Job("model", facts, source, 1)
        if not mine:
            missing = [_by_rules(f"the model wrote nothing for {facts.name}")] if drafts else []
            yield _Job("rules", facts, brief.source, count, [*warnings, *missing])


def _rewrite(jobs: Sequence[_Job]) -> list[Caption]:
    results: list[Caption] = []
    for job in jobs:
        captions = rules.captions_of(job.facts, job.source, job.count)
        fewer = [Note("fewer_variants", "Other variants would be the same.")] if len(captions) < job.count else []
        for caption in captions:
            caption.warnings = [*job.warnings, *caption.warnings, *fewer]
            results.append(views.caption(job.engine, job.facts, job.source, caption))
    return results
