"""Answers to comments at networks where an answer is a post that replies to another: they are published as one.

So an answer has the journal, the look-ups and the keys of a post in a thread, and is as little sent twice.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from signalpost.networks.contract import (
    Journal,
    NetworkSession,
    Outcome,
    Outgoing,
    OutgoingReply,
    Part,
    Published,
)
from signalpost.networks.outcome_mapping import Publish
from signalpost.networks.threads import PublicPart, part_step

Reply = Callable[[NetworkSession, OutgoingReply, Journal], Awaitable[Outcome]]


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
