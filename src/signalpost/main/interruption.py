"""SIGINT, SIGTERM and SIGHUP: the first one ends a command in order, the second one at once."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(Exception):
    """A signal ended the command; `status` is the exit status that shells expect."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.status = 128 + number


class Interruption:
    """What a signal does: it cancels the task, or, once there is a `stop` event, sets that."""

    def __init__(self, task: "asyncio.Task[object]") -> None:
        self._task = task
        self._terminals = [stream for stream in (1, 2) if os.isatty(stream)]
        self.received: int | None = None
        self.stop: asyncio.Event | None = None

    def receive(self, number: int) -> None:
        """Act upon a signal. Of a terminal that closes, two programs may report the end."""
        if number == signal.SIGHUP:
            self._leave_terminal()
        elif self.received is not None:
            os._exit(128 + number)  # whatever holds it up; as after kill -9, the next start recovers
        if self.received is None:
            self.received = number
            if self.stop is None:
                self._task.cancel()
            else:
                self.stop.set()

    def _leave_terminal(self) -> None:
        """Write nowhere instead of to a terminal that is gone, which would fail in the middle of stopping."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in self._terminals:
            os.dup2(nowhere, stream)
        os.close(nowhere)


@contextmanager
def interruptible() -> Iterator[Interruption]:
    """Handle the signals for the current task, except those that our parent made us ignore (`nohup`).

    Raises:
        Interrupted: a signal cancelled the block.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101 - we are called inside one
    interruption = Interruption(task)
    usual = {number: signal.getsignal(number) for number in SIGNALS}
    handled = [number for number in SIGNALS if usual[number] is not signal.SIG_IGN]
    for number in handled:
        loop.add_signal_handler(number, interruption.receive, number)
    try:
        yield interruption
    except asyncio.CancelledError:
        if interruption.received is None:
            raise
        raise Interrupted(interruption.received) from None
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
            signal.signal(number, usual[number])
