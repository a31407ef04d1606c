"""What a connector makes of comments: of lists that no server should give, and of answers whose calls fail."""

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import replace

from signalpost.conformance.fake import Case, NetworkFake
from signalpost.conformance.harness import Broken, FakeHttp, FakeResponse, FaultInjector, Headers, Killed, MemoryJournal
from signalpost.conformance.publishing import FAULTS, HOSTILE, Run
from signalpost.kit.http import HttpFailure
from signalpost.networks import results
from signalpost.networks.contract import (
    ApiError,
    Connector,
    NeedsReconnect,
    Outcome,
    OutcomeUnknown,
    OutgoingReply,
    Published,
    Refused,
)

REQUESTS_MAX: Final = 100
"""For the comments of one post: a server may give the same page for ever."""
ATTEMPTS_MAX: Final = 20
SECONDS_MAX: Final = 1.0
"""Of a processor, for one list."""
ENDLESS: Final = (
    b'{"data":[{"id":"1"}],"items":[{"id":"1"}],"comments":[{"id":"1"}],"cursor":"x","next":"x","nextPageToken":"x",'
    b'"meta":{"next_token":"x","pagination":{"next":2}},"paging":{"cursors":{"after":"x"},"next":"https://x.example/n"}}'
)
NEXT: Final = Headers({"Link": '<https://x.example/n>; rel="next"'})
LISTS: Final = (*HOSTILE, ENDLESS, b'{"data":[' + b"{}," * 50_000 + b"{}]}", b"[" + b'{"id":"1"},' * 50_000 + b"{}]")
"""Bodies that no server should send with status 200 for the comments under a post."""


async def lists(connector: Connector, fake: NetworkFake, case: Case) -> AsyncIterator[str]:
    """Yield what is wrong with `comments`, whatever a server lists."""
    if connector.comments is None:
        return
    public = await Run(connector, fake, case).publish()
    remote_id = public.remote_id if isinstance(public, Published) else "1"
    for body in LISTS:
        run = Run(connector, fake, case)
        run.http = endless = _Endless(FakeResponse(200, body, NEXT))
        began = time.thread_time()
        try:
            listed = await connector.comments(run.session(), [remote_id], None)
        except (ApiError, HttpFailure, Broken):
            pass  # such a post is asked for again later
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            yield f"comments gets {body[:40]!r}: {type(error).__name__}: {error}."
        else:
            if (problem := results.problem("comments", listed)) is not None:
                yield f"comments gets {body[:40]!r}: {problem}."
        if endless.count > REQUESTS_MAX:
            yield f"comments gets {body[:40]!r} each time, and asks more than {REQUESTS_MAX} times."
        if (seconds := time.thread_time() - began) > SECONDS_MAX:
            yield f"comments gets {body[:40]!r}: that takes {seconds:.1f} s of CPU time."


class _Endless(FakeHttp):
    """A client whose requests all get the same response."""

    def __init__(self, answer: FakeResponse) -> None:
        super().__init__(lambda _: answer)
        self.count = 0

    async def request(self, method: str, url: str, **rest: Any) -> FakeResponse:
        self.count += 1
        if self.count > REQUESTS_MAX:
            raise Broken(f"it makes more than {REQUESTS_MAX} requests")
        return await super().request(method, url, **rest)


async def _comment(connector: Connector, fake: NetworkFake, case: Case) -> tuple[Run, OutgoingReply]:
    """Return a server with a comment, and an answer to it that is yet to be sent.

    Raises:
        Broken: the connector does not publish the post, or does not list the comment.
    """
    run = Run(connector, fake, case)
    if fake.comment is not None:
        return run, fake.comment
    public = await run.publish()
    if not isinstance(public, Published) or fake.write_comment is None or connector.comments is None:
        raise Broken(f"the post ended as {public}")
    run.clock.advance(600)
    fake.write_comment(run.server, public.remote_id)
    listed = (await connector.comments(run.session(), [public.remote_id], None))[public.remote_id]
    if listed is None or len(listed.items) != 1:
        raise Broken(f"comments lists {listed} in place of one comment")
    comment = listed.items[0]
    return run, OutgoingReply(
        post_id=public.remote_id,
        comment_id=comment.remote_id,
        author_handle=comment.author_handle,
        reference=comment.reference,
        text="Thank you!",
        dedupe_key="reply-1",
        created_at=run.clock.now,
    )


@dataclass
class _Reply:
    """An answer that is sent as the service sends it: by `reply` again, until it ends."""

    run: Run
    outgoing: OutgoingReply

    @classmethod
    async def of(cls, connector: Connector, fake: NetworkFake, case: Case, injector: FaultInjector) -> "_Reply":
        """Return an answer whose calls fail as `injector` says."""
        run, outgoing = await _comment(connector, fake, case)
        run.injector, run.journal = injector, MemoryJournal(injector)
        run.http = FakeHttp(run.server, injector)
        return cls(run, outgoing)

    async def send(self) -> Outcome | None:
        """Return how it ended, None if it did not."""
        function = self.run.connector.reply
        if function is None:
            raise Broken("it has no reply")
        began_at = self.run.clock.now
        for attempt in range(1, ATTEMPTS_MAX + 1):
            try:
                outgoing = replace(self.outgoing, created_at=began_at, attempt=attempt)
                outcome = await function(self.run.session(), outgoing, self.run.journal)
            except (Killed, HttpFailure):
                outcome = OutcomeUnknown(message="nobody knows")
            if isinstance(outcome, Published | Refused | NeedsReconnect):
                return outcome
            self.run.clock.advance(150)
        return None

    @property
    def times_public(self) -> int:
        server = self.run.server
        texts: list[str] = getattr(server, "all_texts", server.created)
        return sum(text.endswith(self.outgoing.text) for text in texts)


async def answers(connector: Connector, fake: NetworkFake, case: Case) -> AsyncIterator[str]:
    """Yield at which places a failure makes an answer disappear, appear twice or never end."""
    if connector.reply is None or not (fake.comment or fake.write_comment):
        return
    for fault, words in FAULTS.items():
        counted = await _Reply.of(connector, fake, case, FaultInjector())
        await counted.send()
        for at in range(counted.run.injector.count + 1):  # at 0 nothing fails
            answer = await _Reply.of(connector, fake, case, FaultInjector(at, fault))
            outcome = await answer.send()
            may_be_unknown = not fake.tells and bool(answer.run.journal.open) and outcome is None
            if (isinstance(outcome, Published) and answer.times_public == 1) or (
                may_be_unknown and answer.times_public <= 1
            ):
                continue
            where = f"If {words} at place {at}" if at else "Without a failure"
            yield f"{where}, an answer is public {answer.times_public} times, and its outcome is {outcome}."


async def hostile_answers(connector: Connector, fake: NetworkFake, case: Case) -> AsyncIterator[str]:
    """Yield what `reply` makes of responses that no server should give."""
    if connector.reply is None or not (fake.comment or fake.write_comment):
        return
    for body in HOSTILE:
        run, outgoing = await _comment(connector, fake, case)
        run.journal = MemoryJournal()
        run.http = FakeHttp(lambda _, body=body: FakeResponse(200, body))  # type: ignore[misc]
        try:
            outcome = await connector.reply(run.session(), replace(outgoing, created_at=run.clock.now), run.journal)
        except (ApiError, HttpFailure):
            continue
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            yield f"reply gets {body[:40]!r}: {type(error).__name__}: {error}."
            continue
        if (problem := results.problem("reply", outcome)) is not None:
            yield f"reply gets {body[:40]!r}: {problem}."
        elif isinstance(outcome, Published):
            yield f"reply gets {body[:40]!r} and takes that for an answer that is public."
