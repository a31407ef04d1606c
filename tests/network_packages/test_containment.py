"""What a loaded package does wrong stays its own: each fault ends as an error of its network; nothing waits."""

import asyncio
import logging
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from tests.helpers.networks import FAKES, TOKEN

from signalpost.conformance.harness import (
    Clock,
    FakeHttp,
    FakeResponse,
    FaultInjector,
    MemoryJournal,
    image,
    json_response,
    outgoing,
    publish_until_settled,
    session,
)
from signalpost.engine.contract import LeaseLost
from signalpost.kit import log
from signalpost.kit.http import Part
from signalpost.network_packages import output, status
from signalpost.network_packages.connectors import contained
from signalpost.network_packages.containment import CALLS_MAX, HANG_SECONDS, THREADS_MAX, PackageFailed, PackageThread
from signalpost.networks import CONNECTORS, preflight
from signalpost.networks.contract import ApiError, Connector, NetworkSession, OutcomeUnknown, Published
from signalpost.networks.results import RESULTS

MASTODON = CONNECTORS["mastodon"]
ERROR = ApiError(json_response(500, {"error": "oops"}), "POST /x")


async def good(*_: Any) -> Any:
    return OutcomeUnknown(message="nobody knows")


@contextmanager
def running(**seconds: float) -> Iterator[PackageThread]:
    """The thread of a package. By itself it has as much time as any, whatever else the machine does."""
    thread = PackageThread("board", "signalpost-board 1.0", **seconds)
    yield thread
    thread.end()
    for one in threading.enumerate():
        if one.name.startswith("network-board"):
            one.join(5)
    status.forget("board")


@pytest.fixture
def thread() -> Iterator[PackageThread]:
    with running(sync_seconds=HANG_SECONDS) as thread:
        yield thread


@pytest.fixture
def hasty() -> Iterator[PackageThread]:
    """One that is soon given up."""
    with running(hang_seconds=1.2, sync_seconds=0.4) as thread:
        yield thread


def connector(thread: PackageThread, **functions: Any) -> Connector:
    return contained(replace(MASTODON, **{"publish": good, "reconcile": good} | functions), thread)


def account(http: Any = None) -> NetworkSession:
    return session(http or FakeHttp(lambda _: json_response(200)), Clock(), secrets={"accessToken": TOKEN})


async def publish(connector: Connector, http: Any = None) -> Any:
    return await connector.publish(account(http), outgoing("x"), MemoryJournal())


async def raises(*_: Any) -> Any:
    raise ValueError(f"with {TOKEN}")


async def exits(*_: Any) -> Any:
    raise SystemExit(3)


async def stops(*_: Any) -> Any:
    raise StopIteration


async def cancels(*_: Any) -> Any:
    raise asyncio.CancelledError


async def nothing(*_: Any) -> Any:
    return None


async def nested(*_: Any) -> Any:
    return raises()


FAULTS: dict[str, tuple[Callable[..., Any], str]] = {
    "raises": (raises, "ValueError"),
    "exits": (exits, "SystemExit"),
    "stops": (stops, "RuntimeError"),
    "cancels itself": (cancels, "RuntimeError"),
    "returns nothing": (nothing, "returned NoneType"),
    "returns a coroutine": (nested, "returned coroutine"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_is_an_unusable_answer_of_its_network(fault: str, thread: PackageThread) -> None:
    """So it is handled as one: tried later, or unknown once a create call may have been sent. The package goes on."""
    function, words = FAULTS[fault]
    with pytest.raises(PackageFailed) as caught:
        await publish(connector(thread, publish=function))
    assert words in caught.value.detail or fault == "exits"
    assert TOKEN not in str(caught.value)
    assert isinstance(await publish(connector(thread)), OutcomeUnknown)


async def test_a_package_that_hangs_is_given_up_and_the_service_goes_on(hasty: PackageThread) -> None:
    """Its own calls fail, also those that only waited beside it; this loop never stops; the next call works."""
    hanging, release, given_up = threading.Event(), threading.Event(), asyncio.Event()
    try:

        async def hangs(*_: Any) -> Any:
            hanging.set()
            release.wait(60)

        board = connector(hasty, publish=hangs, reconcile=_waits)
        calls = [publish(board), board.reconcile(account(), outgoing("x"), MemoryJournal())]  # type: ignore[misc]
        rounds = asyncio.ensure_future(_rounds(hanging, given_up))
        results = await asyncio.gather(*calls, return_exceptions=True)
        given_up.set()

        assert [type(result) for result in results] == [PackageFailed, PackageFailed]
        assert await rounds > 10
        assert isinstance(await publish(connector(hasty)), OutcomeUnknown)
    finally:
        release.set()


async def _waits(*_: Any) -> Any:
    await asyncio.Event().wait()


async def _rounds(since: threading.Event, until: asyncio.Event) -> int:
    """Return how often the loop of this test came round meanwhile: it would not, if it waited for the package."""
    rounds = 0
    while not until.is_set():
        await asyncio.sleep(0.01)
        rounds += since.is_set()
    return rounds


async def test_a_package_is_not_given_up_because_the_service_stood_still() -> None:
    """A machine that sleeps, or a step of the service that holds its loop, is no fault of the package."""
    begun, goes_on = threading.Event(), threading.Event()

    async def works(*_: Any) -> Any:
        begun.set()
        while not goes_on.is_set():
            await asyncio.sleep(0.01)
        return OutcomeUnknown(message="x")

    with running(hang_seconds=0.8) as thread:
        call = asyncio.ensure_future(publish(connector(thread, publish=works)))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        for _ in range(3):  # in the last one at the latest, an answer of the package is waited for
            threading.Event().wait(1)  # this loop stands still for longer than the package may
            await asyncio.sleep(0)
        goes_on.set()
        assert isinstance(await call, OutcomeUnknown)


def test_a_package_that_hangs_too_often_is_off_and_says_so(hasty: PackageThread) -> None:
    """`explain` cannot be awaited: it holds up the service for a moment, and only so often."""
    release, asked = threading.Event(), []

    def hangs(error: ApiError) -> Any:
        asked.append(error)
        release.wait(60)

    board = connector(hasty, explain=hangs)
    try:
        for _ in range(THREADS_MAX + 1):
            assert isinstance(board.explain(ERROR), OutcomeUnknown)
        assert len(asked) == THREADS_MAX
        package = status.of("board")
        assert package is not None
        assert package.reason == "out_of_service"
        assert package.problem
    finally:
        release.set()


async def test_what_cannot_be_explained_or_checked_is_unknown_or_refused(thread: PackageThread) -> None:
    def fails(*_: Any) -> Any:
        raise KeyError(TOKEN)

    board = connector(thread, explain=fails, preflight=fails)
    outcome = board.explain(ERROR)
    assert isinstance(outcome, OutcomeUnknown)
    assert outcome.http_status == 500
    issues = preflight.check(board, outgoing("x"), {})
    assert [(issue.rule, issue.severity) for issue in issues] == [("mastodon.package.failed", "error")]
    lying = connector(thread, explain=lambda _: Published(remote_id="1", url=None))
    assert isinstance(lying.explain(ERROR), OutcomeUnknown)


@pytest.mark.parametrize("way", ["print", "logging", "traceback"])
async def test_no_token_is_printed_or_logged(
    way: str, thread: PackageThread, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    output.guard()
    handler = logging.StreamHandler()
    logging.getLogger("board").addHandler(handler)

    async def talks(session: NetworkSession, *_: Any) -> Any:
        text = f"token {session.secrets['accessToken'][:3]}… = {session.secrets['accessToken']}"
        if way == "print":
            print(text)  # noqa: T201 - what a package must not do
        elif way == "logging":
            logging.getLogger("board").warning("got %s", text)
        else:
            raise ValueError(text)
        return OutcomeUnknown(message="x")

    try:
        await publish(connector(thread, publish=talks))
    except PackageFailed:
        assert way == "traceback"
    finally:
        logging.getLogger("board").removeHandler(handler)
    log.get("tests").info("the service's own lines are whole", token=TOKEN)
    captured = capsys.readouterr()
    printed = captured.out + captured.err
    assert "[redacted]" in printed
    assert printed.count(TOKEN) == 1


async def test_errors_of_the_service_come_out_as_they_went_in(thread: PackageThread) -> None:
    """Another worker took the target over: the attempt ends there, whatever the package is."""

    class Lost(MemoryJournal):
        async def intend(self, step: str, value: Any) -> None:
            raise LeaseLost

    async def intends(_session: Any, _outgoing: Any, journal: Any) -> Any:
        await journal.intend("part:0", {})

    with pytest.raises(LeaseLost):
        await connector(thread, publish=intends).publish(account(), outgoing("x"), Lost())
    with pytest.raises(ApiError):
        await publish(connector(thread, publish=_raises_api_error))


async def _raises_api_error(*_: Any) -> Any:
    raise ERROR


async def test_streams_cross_in_both_directions(thread: PackageThread) -> None:
    """A file of the service is read by the package, which makes a stream of its own of it, which the service sends."""
    sent: list[Any] = []

    async def uploads(session: NetworkSession, outgoing: Any, _journal: Any) -> Any:
        async def doubled() -> AsyncIterator[bytes]:
            async with aclosing(outgoing.media[0].read()) as pieces:
                async for piece in pieces:
                    yield piece * 2

        await session.server.call("PUT", "/file", data=doubled())
        await session.server.call("POST", "/file", data=[Part("file", doubled(), filename="x"), Part("a", "b")])
        return OutcomeUnknown(message="x")

    def serve(request: Any) -> FakeResponse:
        sent.append(request.body)
        return json_response(200)

    http = FakeHttp(serve)
    post = outgoing("x", media=(image(data=b"abc"),))
    await connector(thread, publish=uploads).publish(account(http), post, MemoryJournal())
    assert sent == [b"abcabc", b"abcabc"]


async def test_tokens_that_are_renewed_are_used_at_once(thread: PackageThread) -> None:
    stored: dict[str, str] = {}

    async def renews(session: NetworkSession, *_: Any) -> Any:
        await session.save_tokens({"accessToken": "second"}, None)
        return OutcomeUnknown(message=session.secrets["accessToken"])

    opened = account()

    async def save(secrets: Any, _expires_at: Any) -> None:
        stored.update(secrets)
        opened.secrets = {**opened.secrets, **secrets}

    opened.save_tokens = save
    outcome = await connector(thread, publish=renews).publish(opened, outgoing("x"), MemoryJournal())
    assert (outcome.message, stored) == ("second", {"accessToken": "second"})


async def test_a_call_that_is_ended_outside_is_ended_inside(thread: PackageThread) -> None:
    begun, ended = asyncio.Event(), asyncio.Event()
    here = asyncio.get_running_loop()

    async def waits(*_: Any) -> Any:
        here.call_soon_threadsafe(begun.set)
        try:
            await asyncio.Event().wait()
        finally:
            here.call_soon_threadsafe(ended.set)

    call = asyncio.ensure_future(publish(connector(thread, publish=waits)))
    await begun.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await ended.wait()


async def test_a_package_has_a_bound_of_calls(thread: PackageThread) -> None:
    board = connector(thread, publish=_waits)
    calls = [asyncio.ensure_future(publish(board)) for _ in range(CALLS_MAX)]
    await asyncio.sleep(0)
    with pytest.raises(PackageFailed, match="under way"):
        await publish(board)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)


def test_every_function_of_a_connector_is_contained(thread: PackageThread) -> None:
    for key, original in CONNECTORS.items():
        wrapped = contained(original, thread)
        for name in RESULTS:
            function = getattr(original, name, None)
            assert function is None or getattr(wrapped, name) is not function, (key, name)
        callables = {name for name in vars(original) if callable(getattr(original, name))}
        assert callables <= set(RESULTS)


@pytest.mark.parametrize("fault", ["kill", "lost", "answer_lost"])
async def test_a_thread_is_public_once_through_the_containment(fault: Any, thread: PackageThread) -> None:
    """Our own connector, with a failure at every third place, as if it came from a package."""
    board = contained(MASTODON, thread)
    for at in range(1, 20, 3):
        injector, time = FaultInjector(at, fault), Clock()
        server = FAKES["mastodon"].server(time)
        http = FakeHttp(server, injector)
        post = outgoing("one", "two")
        opened = lambda: session(http, time, **FAKES["mastodon"].account)  # noqa: B023, E731
        outcome = await publish_until_settled(board, opened, post, MemoryJournal(injector), time)
        assert isinstance(outcome, Published)
        assert server.created == ["one", "two"]
