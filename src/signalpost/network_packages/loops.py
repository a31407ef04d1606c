"""Runs a coroutine in the event loop of another thread, and what passes between both: results, errors, cancellation."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


def run_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop in this thread until it is stopped; then end what it was doing."""
    try:
        loop.run_forever()
        loop.run_until_complete(_end_tasks())
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _end_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def in_loop(loop: asyncio.AbstractEventLoop, function: Callable[[], Awaitable[T]]) -> T:
    """Await `function()` in another loop, with the context variables of the caller; cancelling this cancels it there.

    Raises:
        Whatever it raises there; SystemExit and its like as RuntimeError, since they would end the loop.
    """
    crossing = _Crossing(loop, function)
    loop.call_soon_threadsafe(crossing.start)
    try:
        result: T = await crossing.answer
    except asyncio.CancelledError:
        with suppress(RuntimeError):  # the other loop is closed
            loop.call_soon_threadsafe(crossing.cancel)
        raise
    return result


class _Crossing:
    """A coroutine in another loop, whose result is settled in this one."""

    def __init__(self, there: asyncio.AbstractEventLoop, function: Callable[[], Awaitable[Any]]) -> None:
        self._here = asyncio.get_running_loop()
        self._there = there
        self._function = function
        self._task: asyncio.Task[None] | None = None
        self.answer: asyncio.Future[Any] = self._here.create_future()

    def start(self) -> None:
        self._task = self._there.create_task(self._run())

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            result = await self._function()
        except asyncio.CancelledError:
            self._report(None, RuntimeError("it was cancelled"))
            raise
        except (SystemExit, KeyboardInterrupt, StopIteration) as error:
            self._report(None, RuntimeError(f"it raised {type(error).__name__}"))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
            self._report(None, error)
        else:
            self._report(result, None)

    def _report(self, result: Any, error: BaseException | None) -> None:
        with suppress(RuntimeError):  # nobody waits any more: the loop is closed
            self._here.call_soon_threadsafe(self._settle, result, error)

    def _settle(self, result: Any, error: BaseException | None) -> None:
        if self.answer.done():
            return
        if error is None:
            self.answer.set_result(result)
        else:
            self.answer.set_exception(error)
