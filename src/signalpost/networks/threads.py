"""The loops over the parts of a post: publish what is missing, or find what an earlier attempt made public.

A part is a journal step: `intend` before the one call that makes it public, `done` after it. `done` always has the
remote `id`, and that alone tells a public part from an open intent.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct, structs

from signalpost.kit import foreign
from signalpost.kit.http import HttpFailure, NotSent
from signalpost.networks.contract import (
    Absent,
    ApiError,
    Journal,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    Part,
    Published,
    Reconciled,
)
from signalpost.networks.responses import response_text

PublicPart: TypeAlias = Mapping[str, Any]
"""What the journal keeps of a public part: the value of its intent, its remote `id`, and what the connector adds."""


class ThreadPart(Struct, frozen=True, kw_only=True):
    """One part of a post that is not known to be public, with all that is needed to publish or find it."""

    session: NetworkSession
    outgoing: Outgoing
    journal: Journal
    index: int  # 0 is the post itself
    intended: Mapping[str, Any] | None  # what an earlier attempt gave to `intend`, if its call may have succeeded
    posted: Sequence[PublicPart]  # the parts before this one

    @property
    def content(self) -> Part:
        return self.outgoing.parts[self.index]

    @property
    def parent(self) -> PublicPart | None:
        """The part that this one replies to; None for the post itself."""
        return self.posted[-1] if self.posted else None

    async def intend(self, value: Mapping[str, Any]) -> None:
        """Commit the intent to make this part public; `find` gets `value` as `intended`."""
        await self.journal.intend(part_step(self.index), value)


FindPart: TypeAlias = Callable[[ThreadPart, Mapping[str, Any]], Awaitable[PublicPart | OutcomeUnknown | None]]
"""Looks for a part that was intended, and may be public.

The second argument is `part.intended`. Returns the remote `id` and what else the journal should keep of the part; None
when it is certainly not there, or when creating it again does no harm; OutcomeUnknown when the network cannot tell, or
when the list is longer than what is read of it.
ApiError and HttpFailure count as the last. Of an intent that `is_restored`, only the time `at` is known.
"""
CreatePart: TypeAlias = Callable[[ThreadPart], Awaitable[PublicPart | Outcome]]
"""Prepares a part, commits the intent by `part.intend`, and makes the one call that publishes it.

Returns the remote `id` and what else the journal should keep of the part, or the outcome that stops the thread here.
`part.intended` is set if the part was looked for and may be created again.
"""
ToPublished: TypeAlias = Callable[[NetworkSession, Outgoing, Sequence[PublicPart]], Published]
"""Makes the outcome once all parts are public."""


async def publish_parts(
    session: NetworkSession,
    outgoing: Outgoing,
    journal: Journal,
    *,
    find: FindPart,
    create: CreatePart,
    published: ToPublished,
) -> Outcome:
    """Publish the post and then its thread. Public parts stay as they are; open intents are looked for first."""
    posted: list[PublicPart] = []
    for index in range(len(outgoing.parts)):
        public = part_done(journal, index)
        if public is None:
            part = _part(session, outgoing, journal, index, posted)
            result = await find_part(find, part) or await create(_as_new(part))
            if not isinstance(result, Mapping):
                return result
            public = await _done(part, _with_url(session, outgoing, index, result, published))
        posted.append(public)
    return published(session, outgoing, posted)


async def reconcile_parts(
    session: NetworkSession, outgoing: Outgoing, journal: Journal, *, find: FindPart, published: ToPublished
) -> Reconciled:
    """Find out whether the intended parts are public; creates nothing."""
    posted: list[PublicPart] = []
    for index in range(len(outgoing.parts)):
        public = part_done(journal, index)
        if public is None:
            part = _part(session, outgoing, journal, index, posted)
            result = await find_part(find, part)
            if result is None:
                return Absent()
            if isinstance(result, OutcomeUnknown):
                return result
            public = await _done(part, _with_url(session, outgoing, index, result, published))
        posted.append(public)
    return published(session, outgoing, posted)


async def find_part(find: FindPart, part: ThreadPart) -> PublicPart | OutcomeUnknown | None:
    """Return what `find` returns, None for a part that was never intended; when `find` fails, nobody can tell."""
    if part.intended is None:
        return None
    try:
        return await find(part, part.intended)
    except ApiError as error:
        return OutcomeUnknown(
            message=f"The network did not say whether the post is there: {error}.",
            http_status=error.response.status,
            response=response_text(error.response),
        )
    except HttpFailure as failure:
        return OutcomeUnknown(
            message=failure.detail, http_status=failure.status, uncounted=isinstance(failure, NotSent) and failure.ours
        )


def _part(
    session: NetworkSession, outgoing: Outgoing, journal: Journal, index: int, posted: Sequence[PublicPart]
) -> ThreadPart:
    return ThreadPart(
        session=session,
        outgoing=outgoing,
        journal=journal,
        index=index,
        intended=part_intended(journal, index) or _inherited(posted),
        posted=tuple(posted),
    )


RESTORED: Final = "restored"
"""In the value of an intent: nothing but its time is known, since the database came from a backup that is older."""


def is_restored(intended: Mapping[str, Any]) -> bool:
    """Whether only the text can show that a part is public: who sent it, and what for, was not in the backup."""
    return intended.get(RESTORED) is True


def _inherited(posted: Sequence[PublicPart]) -> Mapping[str, Any] | None:
    """Return the intent of a part after one that was found after a restore: whoever sent that may have gone on."""
    if not posted or not is_restored(posted[-1]):
        return None
    return {"at": posted[-1]["at"], RESTORED: True}


def _as_new(part: ThreadPart) -> ThreadPart:
    """Return a part as `create` has to see it: one that the saved instance did not publish was never intended."""
    return structs.replace(part, intended=None) if part.intended is not None and is_restored(part.intended) else part


def part_step(index: int) -> str:
    """Return the name of the journal step that makes part `index` of a post public."""
    return f"part:{index}"


def part_done(journal: Journal, index: int) -> PublicPart | None:
    """Return what `done` kept of part `index`, or None while it is not known to be public."""
    step = journal.steps.get(part_step(index))
    return step if isinstance(step, Mapping) and "id" in step else None


def part_intended(journal: Journal, index: int) -> Mapping[str, Any] | None:
    """Return the open intent of part `index`, or None."""
    step = journal.steps.get(part_step(index))
    return step if isinstance(step, Mapping) and "id" not in step else None


def _with_url(
    session: NetworkSession, outgoing: Outgoing, index: int, part: PublicPart, published: ToPublished
) -> PublicPart:
    """Add the address of the post to its first part: if the thread ends early, users see what is public."""
    return {"url": published(session, outgoing, [part]).url, **part} if index == 0 else part


async def _done(part: ThreadPart, public: PublicPart) -> PublicPart:
    done = {**(part_intended(part.journal, part.index) or part.intended or {}), **foreign.json(public)}
    await part.journal.done(part_step(part.index), done)
    return done
