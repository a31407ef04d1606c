"""Runs of one case of a fake: with a failure at each place where one can be, after a restore, with hostile answers."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from signalpost.conformance.fake import Case, FakeServer, NetworkFake
from signalpost.conformance.harness import (
    Broken,
    Clock,
    Failure,
    FakeHttp,
    FakeResponse,
    FaultInjector,
    MemoryJournal,
    publish_until_settled,
    session,
)
from signalpost.kit import clock
from signalpost.kit.http import HttpFailure
from signalpost.networks.contract import Absent, ApiError, Connector, NetworkSession, OutcomeUnknown, Pending, Published
from signalpost.networks.threads import RESTORED

FAULTS: Final[Mapping[Failure, str]] = {
    "kill": "the process dies",
    "lost": "a request is lost",
    "unsent": "a request is not sent",
    "answer_lost": "an answer is lost",
}
HOSTILE: Final = (
    b"", b"null", b"[]", b"{}", b'"x"', b'{"id":1,"uri":2,"result":[]}', b"<html>", b"\xff\x00", b'{"id":"a\\u0000b"}',
    b'{"id":{"id":{}},"data":[[]],"result":{"message_id":"x"}}', b"[" * 2_000, b'{"id":"' + b"x" * 20_000 + b'"}',
)  # fmt: skip
"""Bodies that no server should send with status 200."""


@dataclass
class Run:
    """A case with a server of its own, ready to run."""

    connector: Connector
    fake: NetworkFake
    case: Case
    injector: FaultInjector = field(default_factory=FaultInjector)
    clock: Clock = field(default_factory=Clock)
    secrets: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.journal = MemoryJournal(self.injector)
        self.server: FakeServer = (self.case.server or self.fake.server)(self.clock)
        self.http = FakeHttp(self.server, self.injector)

    def session(self) -> NetworkSession:
        return session(self.http, self.clock, **{**self.fake.account, **self.case.account})

    async def publish(self) -> Any:
        """Do what the service does until the target ends."""
        return await publish_until_settled(
            self.connector, self.session, self.case.post, self.journal, self.clock, tells=self.fake.tells
        )

    @property
    def texts(self) -> list[str]:
        """What has to be public in the end."""
        return [part.text for part in self.case.post.parts]


async def faultless(connector: Connector, fake: NetworkFake, case: Case) -> AsyncIterator[str]:
    """Yield what is wrong when nothing goes wrong."""
    run = Run(connector, fake, case)
    outcome = await run.publish()
    if not isinstance(outcome, Published):
        yield f"It ended as {outcome}, not Published."
        return
    if run.server.created != run.texts:
        yield f"Public are {run.server.created}, not {run.texts}."
    if len(outcome.thread_ids) != len(run.texts) - 1:
        yield f"thread_ids has {len(outcome.thread_ids)} ids for {len(run.texts)} parts."
    for index in range(len(run.texts)):
        writes = [kind for kind, step in run.journal.log if step == f"part:{index}"]
        if writes != ["intend", "done"]:
            yield f"The journal of part:{index} has {writes}; it has to have intend, then done."


async def exactly_once(connector: Connector, fake: NetworkFake, case: Case, fault: Failure) -> AsyncIterator[str]:
    """Yield at which places a failure makes a post disappear, appear twice or never end.

    Where the network cannot tell, the post may end as unknown, unless nothing was sent.
    """
    counted = Run(connector, fake, case, FaultInjector(None, fault))
    await counted.publish()
    for at in range(1, counted.injector.count + 1):
        run = Run(connector, fake, case, FaultInjector(at, fault))
        where = f"If {FAULTS[fault]} at place {at} of {counted.injector.count}"
        try:
            outcome = await run.publish()
        except Broken as broken:
            yield f"{where}: {broken}."
            continue
        if isinstance(outcome, Published) and run.server.created == run.texts and not run.journal.open:
            continue
        may_be_unknown = not fake.tells and fault != "unsent" and bool(run.journal.open)
        public = run.server.created
        if may_be_unknown and isinstance(outcome, OutcomeUnknown) and public == run.texts[: len(public)]:
            continue
        yield f"{where}, public are {run.server.created} instead of {run.texts}, and the outcome is {outcome}."


async def restored(connector: Connector, fake: NetworkFake, case: Case) -> AsyncIterator[str]:
    """Yield what is wrong when a database comes from a backup that is older than the post: only the time is known."""
    run = Run(connector, fake, case)
    since = run.clock.now
    await run.publish()
    run.journal = MemoryJournal.of_backup({"at": clock.wire(since), RESTORED: True})
    run.clock.advance(300)
    if connector.reconcile is None:
        yield "It has no reconcile."
        return
    outcome = await connector.reconcile(run.session(), case.post, run.journal)
    if isinstance(outcome, Absent):
        outcome = await run.publish()
    if run.server.created != run.texts or not isinstance(outcome, Published | OutcomeUnknown):
        yield f"Public are {run.server.created} instead of {run.texts}, and the outcome is {outcome}."


async def hostile_answers(connector: Connector, fake: NetworkFake, case: Case) -> AsyncIterator[str]:
    """Yield what each call makes of answers that no server should give."""
    counted = Run(connector, fake, case)
    await counted.publish()
    for at in range(len(counted.http.requests)):
        for body in HOSTILE:
            run = Run(connector, fake, case)
            run.http = _Answering(run.server, at, FakeResponse(200, body))
            try:
                await connector.publish(run.session(), case.post, run.journal)
            except (ApiError, HttpFailure):
                pass
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                request = counted.http.requests[at]
                yield f"{request.method} {request.path} answers {body[:40]!r}: {type(error).__name__}: {error}."


async def hostile_look_ups(connector: Connector, fake: NetworkFake, case: Case) -> AsyncIterator[str]:
    """Yield what looking for a post whose answer was lost makes of answers that no server should give."""
    run = Run(connector, fake, case)
    await run.publish()
    intended = {name: value for name, value in run.journal.values["part:0"].items() if name != "id"}
    for body in HOSTILE if connector.reconcile is not None else ():
        run.journal = MemoryJournal(values={"part:0": intended}, open={"part:0"})
        run.http = FakeHttp(lambda _, body=body: FakeResponse(200, body))  # type: ignore[misc]
        run.clock.advance(150)
        try:
            assert connector.reconcile is not None  # noqa: S101 - else there are no bodies
            await connector.reconcile(run.session(), case.post, run.journal)
        except (ApiError, HttpFailure):
            pass
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            yield f"reconcile gets {body[:40]!r}: {type(error).__name__}: {error}."


class _Answering(FakeHttp):
    """A client of which one request gets this response."""

    def __init__(self, server: FakeServer, at: int, answer: FakeResponse) -> None:
        super().__init__(server)
        self._at = at
        self._answer = answer

    async def request(self, method: str, url: str, **rest: Any) -> FakeResponse:
        response = await super().request(method, url, **rest)
        return self._answer if len(self.requests) - 1 == self._at else response


async def unreadable_creates(connector: Connector, fake: NetworkFake, case: Case) -> AsyncIterator[str]:
    """Yield where a success that cannot be read is taken for anything but unknown: the post may be public."""
    for body in HOSTILE[:-3]:
        run = Run(connector, fake, case)
        run.http = creating = _Creating(run.server, fake.create_call, FakeResponse(200, body))
        outcome: Any = None
        try:
            while not creating.answered and (outcome is None or isinstance(outcome, Pending)):
                outcome = await connector.publish(run.session(), case.post, run.journal)
                run.clock.advance(150)
        except HttpFailure:
            continue  # unknown as well, since an intent is open
        if not isinstance(outcome, OutcomeUnknown):
            yield f"{fake.create_call} answers 200 and {body[:40]!r}: {outcome}, not OutcomeUnknown."


class _Creating(FakeHttp):
    """A client of which the calls that make a post public get this response."""

    def __init__(self, server: FakeServer, call: str, answer: FakeResponse) -> None:
        super().__init__(server)
        self._method, _, self._path = call.partition(" ")
        self._answer = answer
        self.answered = False

    async def request(self, method: str, url: str, **rest: Any) -> FakeResponse:
        response = await super().request(method, url, **rest)
        if method != self._method or not self.requests[-1].path.endswith(self._path):
            return response
        self.answered = True
        return self._answer
