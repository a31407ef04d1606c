import msgspec

from signalpost import networks
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.networks import counting, preflight
from signalpost.posts import content
from signalpost.posts.actions.draft import PostDraft, TargetDraft, build_draft, issues
from signalpost.posts.actions.fetch import Fetched
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.schemas.responses import PostValidation, TargetValidation
from signalpost.web.caller import Caller


async def validate_post(db: Db, caller: Caller, data: PostCreate, fetched: Fetched | None = None) -> PostValidation:
    """Say what publishing this post would be refused for, and save nothing."""
    try:
        draft = await build_draft(db, caller, data, fetched=fetched)
    except problems.Problem as problem:
        if problem.status != 422:
            raise
        return PostValidation(
            valid=False, errors=[msgspec.to_builtins(issue) for issue in problem.errors], warnings=[], targets=[]
        )
    broken = issues(draft)
    warnings = [notice for notice in draft.warnings if notice.code not in {issue.code for issue in broken}]
    targets = [checked for target in draft.targets if (checked := _checked(draft, target)) is not None]
    return PostValidation(not broken, [msgspec.to_builtins(issue) for issue in broken], warnings, targets)


def _checked(draft: PostDraft, target: TargetDraft) -> TargetValidation | None:
    connector = networks.get(target.platform)
    if connector is None:
        return None
    facts = preflight.for_account(connector.facts, target.account.facts)
    whole = content.for_target(draft, target)
    outgoing = content.outgoing(whole, {}, dedupe_key="", created_at=clock.now())
    length = counting.text_length(facts, preflight.text_of_part(facts, outgoing, 0))
    account_id = ids.encode("acc", target.account.id)
    return TargetValidation(target.platform, account_id, _type(draft, target), length, facts.text.max_length, [])


def _type(draft: PostDraft, target: TargetDraft) -> str:
    media = draft.media if target.media is None else target.media
    if draft.thread:
        return "thread"
    return "text" if not media else "media" if len(media) == 1 else "carousel"
