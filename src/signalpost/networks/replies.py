"""Answers to comments: those that are posts which reply to another, and those that are comments below a comment.

Both are published as the parts of a thread are: with its journal and its look-ups, so they are as little sent twice.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import Struct

from signalpost.kit import clock
from signalpost.networks.contract import (
    ApiError,
    Journal,
    NetworkSession,
    Outcome,
    OutcomeUnknown,
    Outgoing,
    OutgoingReply,
    Part,
    Published,
)
from signalpost.networks.outcome_mapping import Publish, map_errors
from signalpost.networks.responses import single_spaced
from signalpost.networks.threads import PublicPart, ThreadPart, part_step, publish_parts

Reply = Callable[[NetworkSession, OutgoingReply, Journal], Awaitable[Outcome]]
FindReply = Callable[[NetworkSession, OutgoingReply, datetime], Awaitable[PublicPart | OutcomeUnknown | None]]
"""Looks for an answer among what the account wrote below the comment since then; None: it is not listed."""
SendReply = Callable[[NetworkSession, OutgoingReply], Awaitable[PublicPart]]
"""Makes the one call that creates the answer, and returns its `id`, and its `url` if there is one."""
SKEW_SECONDS: Final = 60
"""Between the clock of a network and ours."""


def addressed(text: str, author_handle: str | None) -> str:
    """Return an answer with the handle of whoever is answered: without it in the text, they do not learn of it."""
    if not author_handle:
        return text
    named = rf"(?<![\w@])@{re.escape(author_handle)}(?![\w-]|[.@]\w)"
    return text if re.search(named, text, re.IGNORECASE) else f"@{author_handle} {text}"


class ReplyPost(Struct, frozen=True, kw_only=True):
    """An answer as the last part of a thread, whose other parts are public: what it replies to is the last of them."""

    before: Sequence[PublicPart]
    text: str
    options: Mapping[str, Any] = {}


def reply_as_part(
    publish: Publish,
    to_post: Callable[[OutgoingReply], ReplyPost],
    url_of: Callable[[PublicPart], str | None] = lambda part: part.get("url"),
) -> Reply:
    """Make `Connector.reply` of what publishes threads.

    Args:
        publish: publishes the missing parts of a thread.
        to_post: makes the thread of an answer.
        url_of: returns the address of the answer.
    """

    async def reply(session: NetworkSession, outgoing: OutgoingReply, journal: Journal) -> Outcome:
        post = to_post(outgoing)
        seeded = _SeededJournal(journal, post.before)
        parts = (*(Part(text="") for _ in post.before), Part(text=post.text))
        outcome = await publish(
            session,
            Outgoing(
                parts=parts,
                options=post.options,
                dedupe_key=outgoing.dedupe_key,
                created_at=outgoing.created_at,
                attempt=outgoing.attempt,
            ),
            seeded,
        )
        if not isinstance(outcome, Published):
            return outcome
        public = seeded.steps[part_step(len(post.before))]
        return Published(remote_id=public["id"], url=url_of(public))

    return reply


class _SeededJournal:
    """A journal that also knows what others published."""

    def __init__(self, journal: Journal, before: Sequence[PublicPart]) -> None:
        self._journal = journal
        self._before = {part_step(index): part for index, part in enumerate(before)}

    @property
    def steps(self) -> Mapping[str, Any]:
        return {**self._journal.steps, **self._before}

    async def record(self, step: str, value: Any) -> None:
        await self._journal.record(step, value)

    async def intend(self, step: str, value: Any) -> None:
        await self._journal.intend(step, value)

    async def done(self, step: str, value: Any) -> None:
        await self._journal.done(step, value)


def reply_as_comment(
    explain: Callable[[ApiError], Outcome], *, find: FindReply, send: SendReply, settles_seconds: float = 120.0
) -> Reply:
    """Make `Connector.reply` of a network whose answers are comments, without a key that names them.

    An answer whose response was lost is recognised by who wrote it, below what, and its words. Until
    `settles_seconds` have passed, the network may still list it; after that it is sent again.
    """

    async def reply(session: NetworkSession, outgoing: OutgoingReply, journal: Journal) -> Outcome:
        async def look(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
            at = datetime.fromisoformat(intended["at"])
            existing = await find(session, outgoing, at - timedelta(seconds=SKEW_SECONDS))
            return existing or _too_early(at + timedelta(seconds=settles_seconds) - part.session.now())

        async def create(part: ThreadPart) -> PublicPart | Outcome:
            await part.intend({"at": clock.wire(session.now())})
            return await send(session, outgoing)

        @map_errors(explain)
        async def publish(session: NetworkSession, post: Outgoing, journal: Journal) -> Outcome:
            return await publish_parts(session, post, journal, find=look, create=create, published=_published)

        post = Outgoing(
            parts=(Part(text=outgoing.text),),
            dedupe_key=outgoing.dedupe_key,
            created_at=outgoing.created_at,
            attempt=outgoing.attempt,
        )
        return await publish(session, post, journal)

    return reply


def _too_early(left: timedelta) -> OutcomeUnknown | None:
    if left <= timedelta(0):
        return None
    message = "It is too early to tell whether the network accepted the answer."
    return OutcomeUnknown(message=message, tells_after_seconds=left.total_seconds())


def _published(_session: NetworkSession, _outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    return Published(remote_id=posted[0]["id"], url=posted[0].get("url"))


def same_words(text: str | None, other: str | None) -> bool:
    """Return whether two texts differ by their white space at most."""
    return single_spaced(text) == single_spaced(other)
