"""The texts of repetitions are checked with the post, so that nobody learns weeks later that one is too long."""

import asyncio

from msgspec.structs import replace

from signalpost.context import AppContext
from signalpost.kit.problems import Issue
from signalpost.posts.compose.draft import PostDraft, TargetDraft
from signalpost.posts.compose.preflight import errors_of, run_preflight
from signalpost.posts.errors import PreflightFailed

_ISSUES_MAX = 100


async def require_variations_accepted(context: AppContext, draft: PostDraft) -> None:
    """Ensure that no network would refuse a repetition because of its text.

    Raises:
        PreflightFailed: with the rules that the variations break.
    """
    if draft.is_draft or draft.post.recurrence is None:
        return
    issues: list[Issue] = []
    for index, text in enumerate(draft.post.recurrence.variations):
        targets = [TargetDraft(replace(target.row), target.account, target.index) for target in draft.targets]
        variant = replace(draft, post=replace(draft.post, text=text, warnings=[]), targets=targets)
        errors = errors_of(await run_preflight(context, variant))
        path = f"/recurrence/variations/{index}"
        issues += [Issue(path, error.code, error.message, error.params) for error in errors]
        if len(issues) >= _ISSUES_MAX:
            break
        await asyncio.sleep(0)
    if issues:
        raise PreflightFailed(errors=issues[:_ISSUES_MAX])
