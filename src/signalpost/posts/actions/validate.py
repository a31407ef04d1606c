import msgspec

from signalpost import networks
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.networks import counting, preflight
from signalpost.posts import content
from signalpost.posts.actions.compose import Chosen, Composed, compose, issues
from signalpost.posts.actions.fetch import Fetched
from signalpost.posts.schemas import Checked, CheckedTarget
from signalpost.posts.wishes import CreatePost
from signalpost.web.caller import Caller


async def validate_post(db: Db, caller: Caller, wish: CreatePost, fetched: Fetched | None = None) -> Checked:
    """Say what publishing this post would be refused for, and save nothing."""
    try:
        composed = await compose(db, caller, wish, fetched=fetched)
    except problems.Problem as problem:
        if problem.status != 422:
            raise
        return Checked(
            valid=False, errors=[msgspec.to_builtins(issue) for issue in problem.errors], warnings=[], targets=[]
        )
    broken = issues(composed)
    warnings = [notice for notice in composed.warnings if notice.code not in {issue.code for issue in broken}]
    targets = [checked for one in composed.chosen if (checked := _checked(composed, one)) is not None]
    return Checked(not broken, [msgspec.to_builtins(issue) for issue in broken], warnings, targets)


def _checked(composed: Composed, one: Chosen) -> CheckedTarget | None:
    connector = networks.get(one.platform)
    if connector is None:
        return None
    facts = preflight.for_account(connector.facts, one.holder.facts)
    whole = content.for_target(composed, one)
    outgoing = content.outgoing(whole, {}, dedupe_key="", created_at=clock.now())
    length = counting.text_length(facts, preflight.text_of_part(facts, outgoing, 0))
    account_id = ids.encode("acc", one.holder.id)
    return CheckedTarget(one.platform, account_id, _type(composed, one), length, facts.text.max_length, [])


def _type(composed: Composed, one: Chosen) -> str:
    media = composed.media if one.media is None else one.media
    if composed.thread:
        return "thread"
    return "text" if not media else "media" if len(media) == 1 else "carousel"
