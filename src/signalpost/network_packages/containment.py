"""The thread of a package: its functions run there, and what goes wrong in them ends as an error of that network alone.

An event loop that does not answer for `HANG_SECONDS` is given up with its thread, which cannot be ended from outside;
what it worked on fails as a lost response does, and the next call gets a new thread. After `THREADS_MAX` the network is
off. A time in which this process stood still itself is no fault of a package: see `PIECES`.
"""

import asyncio
import threading
import traceback
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from signalpost.kit import log
from signalpost.kit.http import BadResponse, HttpFailure
from signalpost.network_packages import status
from signalpost.network_packages.bridge import Bridge
from signalpost.network_packages.loops import in_loop, run_loop
from signalpost.network_packages.output import secret, without_secrets
from signalpost.networks.contract import ApiError, BadCredentials, IdentityUnknown, InvalidField

T = TypeVar("T")

HANG_SECONDS: Final = 10.0
"""How long the loop of a package may not answer. A connector waits for the network by `await`, never otherwise."""
CALL_SECONDS: Final = 250.0
"""For one call, unless its caller ends it before: an attempt to publish has 240 s."""
SYNC_SECONDS: Final = 0.5
"""For `explain` and `preflight`, which the service cannot await: so long a package holds it up, `THREADS_MAX` times."""
THREADS_MAX: Final = 3
"""Of a package, of which all but the last are lost."""
ALLOWED: Final = (ApiError, HttpFailure, BadCredentials, IdentityUnknown, InvalidField)
"""What a connector may raise."""
CALLS_MAX: Final = 200
"""Of a package at the same time."""
PIECES: Final = 4
"""In which a package is waited for. A machine that sleeps, or a step that holds the service's loop, ends one of them:
in the others the package has its chance."""
_logger = log.get("network_packages")


class PackageFailed(BadResponse):
    """A package raised, hung or returned what the contract does not allow. Its message is for users."""


class PackageThread:
    """Runs the functions of one package.

    Args:
        slug: of its network.
        package: name and version, for logs.
    """

    def __init__(
        self, slug: str, package: str | None, *, hang_seconds: float = HANG_SECONDS, sync_seconds: float = SYNC_SECONDS
    ) -> None:
        self._slug = slug
        self._package = package
        self._hang_seconds = hang_seconds
        self._sync_seconds = sync_seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lost = 0
        self._calls: dict[asyncio.Task[Any], asyncio.AbstractEventLoop] = {}
        self._watch: asyncio.Task[None] | None = None
        self._given_up: set[asyncio.Task[Any]] = set()

    async def call(
        self, name: str, function: Callable[..., Awaitable[Any]], *arguments: Any, secrets: tuple[str, ...] = ()
    ) -> Any:
        """Await a function of the package; `secrets` are not printed.

        Raises:
            PackageFailed: it raised something that it may not, hung, or is off.
            Whatever the contract allows it to raise, and what the service raised to it.
        """
        loop = self._usable_loop()
        bridge = Bridge(asyncio.get_running_loop(), loop)
        crossed = [bridge.crossed(argument) for argument in arguments]

        async def work() -> Any:
            async with asyncio.timeout(CALL_SECONDS):
                return await in_loop(loop, lambda: function(*crossed))

        with secret(secrets):
            task = asyncio.ensure_future(work())
            self._calls[task] = loop
            self._start_watch()
            try:
                return await task
            except asyncio.CancelledError:
                if task in self._given_up:
                    raise self._failed(name, "it hung") from None
                raise
            except PackageFailed:
                raise
            except Exception as error:
                if any(error is raised for raised in bridge.raised) or isinstance(error, ALLOWED):
                    raise
                self._log(name, error)
                raise self._failed(name, type(error).__name__) from None
            finally:
                self._forget(task)

    def call_now(self, name: str, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function that does not wait for anything; it has `SYNC_SECONDS`.

        Raises:
            PackageFailed: it raised, did not come to an end, or is off.
        """
        self._require_on(name)
        results: list[T] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                results.append(function(*arguments))
            except BaseException as error:  # noqa: BLE001 - it is handled below
                errors.append(error)

        thread = threading.Thread(target=run, name=f"network-{self._slug}-{name}", daemon=True)
        thread.start()
        for _ in range(PIECES):
            thread.join(self._sync_seconds / PIECES)
            if not thread.is_alive():
                break
        if results:
            return results[0]
        if errors:
            self._log(name, errors[0])
            raise self._failed(name, type(errors[0]).__name__)
        self._lose(f"{name} did not come to an end within {self._sync_seconds:g} s")
        raise self._failed(name, "it hung")

    def end(self) -> None:
        """Let the thread end; for processes that go on without the package."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._loop = None

    # --- the loop and its watch --------------------------------------------------------------------------------------

    def _usable_loop(self) -> asyncio.AbstractEventLoop:
        self._require_on("call")
        if len(self._calls) >= CALLS_MAX:
            raise PackageFailed(f"The package of {self._slug} has {CALLS_MAX} calls under way.")
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            thread = threading.Thread(target=run_loop, args=(self._loop,), name=f"network-{self._slug}", daemon=True)
            thread.start()
        return self._loop

    def _require_on(self, name: str) -> None:
        if self._lost >= THREADS_MAX:
            raise self._failed(name, "it is off since it hung several times")

    def _start_watch(self) -> None:
        if self._watch is None or self._watch.done():
            self._watch = asyncio.ensure_future(self._watch_calls())

    async def _watch_calls(self) -> None:
        """Ask the loop for a sign of life as long as calls are under way; give it up when there is none."""
        while self._calls and (loop := self._loop) is not None:
            if not await self._shows_life(loop):
                self._give_up(loop)
                return
            await asyncio.sleep(self._hang_seconds / 4)

    async def _shows_life(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether the loop of the package answers in time. One that is being ended answers with an error."""
        answer = asyncio.ensure_future(in_loop(loop, _answer))
        try:
            for _ in range(PIECES):
                done, _ = await asyncio.wait({answer}, timeout=self._hang_seconds / PIECES)
                if done:
                    answer.exception()  # so that nobody misses it
                    return True
        finally:
            answer.cancel()
        return False

    def _give_up(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._loop is loop:
            self._loop = None
            loop.call_soon_threadsafe(loop.stop)  # should it ever come back
            self._lose(f"its event loop did not answer for {self._hang_seconds:g} s")
        for task, its_loop in list(self._calls.items()):
            if its_loop is loop:
                self._given_up.add(task)
                task.cancel()

    def _forget(self, task: "asyncio.Task[Any]") -> None:
        if not task.done():
            task.cancel()
        self._calls.pop(task, None)
        self._given_up.discard(task)

    def _lose(self, why: str) -> None:
        self._lost += 1
        _logger.error("network_package.hangs", network=self._slug, package=self._package, why=why, lost=self._lost)
        if self._lost >= THREADS_MAX:
            status.put(status.PackageStatus(self._slug, self._package, "out_of_service", f"Last: {why}."))
            _logger.error("network_package.off", network=self._slug, package=self._package)

    # --- errors ------------------------------------------------------------------------------------------------------

    def _failed(self, name: str, what: str) -> PackageFailed:
        return PackageFailed(f"The package of {self._slug} failed in {name}: {what}.")

    def _log(self, name: str, error: BaseException) -> None:
        trace = without_secrets("".join(traceback.format_exception(error)))
        _logger.error(
            "network_package.failed", network=self._slug, package=self._package, function=name, exception=trace
        )


async def _answer() -> None:
    """Show that the loop runs."""
