"""Maps the failures of `publish` to outcomes: error responses through `explain`, calls without a response by rule."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

from signalpost.kit import foreign
from signalpost.kit.http import HttpFailure, MaybeSent, NotSent, UnsafeUrl
from signalpost.networks.contract import (
    ApiError,
    Journal,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Refused,
    TryLater,
)
from signalpost.networks.threads import part_done

Publish = Callable[[NetworkSession, Outgoing, Journal], Awaitable[Outcome]]


@dataclass
class _TrackedJournal:
    """A journal that also tracks which intents of this attempt are open."""

    journal: Journal
    open: set[str] = field(default_factory=set)

    @property
    def steps(self) -> Mapping[str, Any]:
        return self.journal.steps

    async def record(self, step: str, value: Any) -> None:
        await self.journal.record(step, foreign.json(value))

    async def intend(self, step: str, value: Any) -> None:
        await self.journal.intend(step, value)
        self.open.add(step)

    async def done(self, step: str, value: Any) -> None:
        await self.journal.done(step, value)
        self.open.discard(step)


def map_errors(explain: Callable[[ApiError], Outcome]) -> Callable[[Publish], Publish]:
    """Return a decorator for `publish` functions that maps what goes wrong at the network to outcomes.

    An error response becomes what `explain` says. A call without a usable response is `OutcomeUnknown` while an intent
    is open, unless nothing was sent; before the intent it is `TryLater`. Every other exception passes through.
    """

    def wrap(publish: Publish) -> Publish:
        @wraps(publish)
        async def mapped(session: NetworkSession, outgoing: Outgoing, journal: Journal) -> Outcome:
            tracked = _TrackedJournal(journal)
            try:
                return await publish(session, outgoing, tracked)
            except ApiError as error:
                return _with_public_count(explain(error), outgoing, journal)
            except HttpFailure as failure:
                return failure_outcome(failure, creating=bool(tracked.open))

        return mapped

    return wrap


def _with_public_count(outcome: Outcome, outgoing: Outgoing, journal: Journal) -> Outcome:
    """Add to a refusal how much of the thread is public already."""
    public = sum(part_done(journal, index) is not None for index in range(len(outgoing.parts)))
    if public == 0 or not isinstance(outcome, Refused):
        return outcome
    return replace(
        outcome, message=f"{outcome.message} ({public} of {len(outgoing.parts)} posts of the thread are public)"
    )


def failure_outcome(failure: HttpFailure, *, creating: bool) -> OutcomeUnknown | TryLater:
    """Return what a call without a usable response means; `creating` says whether it could have made a post public."""
    if creating and not isinstance(failure, NotSent | UnsafeUrl):
        return OutcomeUnknown(message=failure.detail, http_status=failure.status)
    ours = isinstance(failure, NotSent) and failure.ours
    timed_out = isinstance(failure, MaybeSent) and failure.timed_out
    code = "platform_timeout" if timed_out else "network_error"
    return TryLater(message=failure.detail, code=code, http_status=failure.status, uncounted=ours)
