from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from signalpost import networks
from signalpost.context import AppContext
from signalpost.kit import clock, ids, problems
from signalpost.kit.db import Db
from signalpost.networks import counting, fitting, preflight
from signalpost.networks.contract import Facts
from signalpost.posts import content, document_views, recurrences, views
from signalpost.posts.compose.draft import Existing, PostDraft, TargetDraft, build_draft
from signalpost.posts.compose.fetch import Fetched
from signalpost.posts.compose.preflight import errors_of, run_preflight, without_bytes
from signalpost.posts.content import Content
from signalpost.posts.schemas.requests import PostCreate
from signalpost.posts.schemas.validation import DerivedMedia, MediaPart, PostValidation, TargetValidation
from signalpost.web.caller import Caller

REPEATS_SHOWN: Final = 5


async def validate_post(
    context: AppContext, db: Db, caller: Caller, data: PostCreate, fetched: Fetched | None = None
) -> PostValidation:
    """Say why publishing this post would be refused; save nothing."""
    try:
        draft = await build_draft(context, db, caller, data, existing=Existing(fetched or {}))
    except problems.Problem as problem:
        if problem.status != 422:
            raise
        errors = [msgspec.to_builtins(issue) for issue in problem.errors]
        return PostValidation(valid=False, errors=errors, warnings=[], targets=[], repeats=[])
    issues = errors_of(await run_preflight(context, draft))
    codes = {issue.code for issue in issues}
    return PostValidation(
        valid=not issues,
        errors=[msgspec.to_builtins(issue) for issue in issues],
        warnings=[
            *(document_views.warning(warning) for warning in draft.post.warnings if warning.code not in codes),
            *map(views.hold_warning, views.row_holds(draft.post, draft.target_rows)),
        ],
        targets=[checked for target in draft.targets if (checked := _validated(draft, target)) is not None],
        repeats=_repeats(draft),
    )


def _repeats(draft: PostDraft) -> list[str]:
    """Return the first repetitions of the post, as its rule is followed later."""
    rule, first = draft.post.recurrence, draft.post.scheduled_at
    if rule is None or first is None:
        return []
    return [clock.wire(repetition.at) for repetition in islice(recurrences.occurrences(rule, first), REPEATS_SHOWN)]


def _validated(draft: PostDraft, target: TargetDraft) -> TargetValidation | None:
    connector = networks.get(target.row.platform)
    if connector is None:
        return None
    facts = preflight.for_account(connector.facts, target.account.facts)
    sent = content.for_target(draft.post, target.row)
    text = preflight.text_with_link(facts, sent.text, sent.link, has_media=bool(sent.media))
    return TargetValidation(
        platform=target.row.platform,
        account_id=ids.encode("acc", target.account.id),
        type=_type(sent),
        text_length=counting.text_length(facts, text),
        limit=facts.text.max_length,
        overflow_at=_overflow(facts, text, sent.text),
        thread_lengths=[counting.text_length(facts, part.text) for part in sent.thread]
        if facts.thread_parts_max
        else [],
        thread_overflows=[_overflow(facts, part.text, part.text) for part in sent.thread]
        if facts.thread_parts_max
        else [],
        derived_media=list(_derived(draft, facts, sent, target.row.platform)),
    )


def _overflow(facts: Facts, text: str, written: str) -> int | None:
    """Return where `written`, with which `text` begins, passes the limit; None where it does not."""
    at = counting.overflow(facts.text, text)
    return None if at is None or at >= len(written) else len(written[:at].encode("utf-16-le", "surrogatepass")) // 2


def _derived(draft: PostDraft, facts: Facts, sent: Content, platform: str) -> Iterator[DerivedMedia]:
    """Yield what has to be made of the files of a target."""
    crops = sent.crops(platform)
    for media_id in dict.fromkeys(sent.media_ids()):
        row = draft.media.files.get(media_id)
        if row is None:
            continue
        file = without_bytes(row, crops.get(media_id))
        if (needed := fitting.fit(facts, file, sent.options, auto=draft.post.auto_fit)) is None:
            continue
        taken = needed.apply(file)
        yield DerivedMedia(
            media_id=ids.encode("med", media_id),
            rules=[f"{facts.key}.media.{rule}" for rule in needed.rules],
            mime_type=taken.mime_type,
            max_size=needed.bytes_max,
            width=taken.width,
            height=taken.height,
            part=None if (part := needed.part(file)) is None else MediaPart(**part._asdict()),
        )


def _type(sent: Content) -> str:
    if sent.thread:
        return "thread"
    return "text" if not sent.media else "media" if len(sent.media) == 1 else "carousel"
