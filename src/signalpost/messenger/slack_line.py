"""The connection of this process to Slack, over which Slack sends what people write.

Reading is a job, so one worker at a time does it, in turns of some seconds. Between two turns the connection stays
open: Slack hands what comes to any connection of the app, and opening a new one for each turn would leave gaps. If no
turn comes, because another worker has the job or this one ends, the connection is closed soon: what it was sent and
nobody confirmed comes again over another one.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from signalpost.kit.http.sockets import Socket

IDLE_SECONDS: Final = 5.0
"""How long a connection outlives a turn: longer than the pause between two turns, with some delay of the engine."""


class Line:
    """One for each process; a turn takes it, one at a time."""

    def __init__(self) -> None:
        self._socket: Socket | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self.is_leaving = False
        """Whether Slack is about to end the connection."""

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Use the connection; afterwards it waits for the next turn."""
        if self._timer is not None:
            self._timer.cancel()
        try:
            yield
        finally:
            self._timer = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._replace, None)

    @property
    def socket(self) -> "Socket | None":
        """The connection, unless it has ended or is about to."""
        usable = self._socket is not None and self._socket.is_open and not self.is_leaving
        return self._socket if usable else None

    def take(self, socket: "Socket") -> None:
        """Use this connection from now on. The one before is closed only now, so that there always was one."""
        self._replace(socket)

    def _replace(self, socket: "Socket | None") -> None:
        before, self._socket, self.is_leaving = self._socket, socket, False
        if before is not None:
            task = asyncio.get_running_loop().create_task(before.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
