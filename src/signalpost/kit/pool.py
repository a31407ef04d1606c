"""A pool of PostgreSQL connections that is fair between tenants.

asyncpg's own pool spends more time on lending a connection than on a small statement, and serves whoever asks first:
decision 0130.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterable
from itertools import chain
from typing import Any, TypeAlias

import asyncpg

from signalpost.kit import isolation
from signalpost.kit.isolation import Visible

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

RESET_SECONDS = 2.0
"""How long the server may take to cancel the statement of a connection that came back in use; then it is cut."""


class Pool:
    """At most `size` connections, of which a tenant borrows at most half at a time. None is no tenant and has no bound.

    Who has to wait stands in the queue of its tenant; connections that come back go to the queues in turn. With
    `own_every_second`, every second one goes to work of no tenant that waits, however many tenants do.
    `visible` tells which rows the task that borrows may see. A connection that shows them already is preferred: to have
    it show others takes a statement, unless `show` does it.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[Connection]],
        *,
        size: int,
        idle_seconds: float,
        visible: Callable[[], Visible] = lambda: None,
        show: Callable[[Any, Visible], Awaitable[None]] | None = None,
        own_every_second: bool = False,
    ) -> None:
        self.size = size
        self.share = max(1, size // 2)
        self.visible = visible
        self._connect = connect
        self._show_by = show
        self._idle_seconds = idle_seconds
        self._idle: list[tuple[Connection, float]] = []  # the last one that came back is lent first; the rest may end
        self._shown: dict[Connection, Visible] = {}  # what open connections show
        self._lent: dict[Connection, Hashable | None] = {}
        self._places = size  # loans that may still be granted
        self._loans: dict[Hashable, int] = {}  # of each tenant that has any
        self._queues: dict[Hashable | None, deque[asyncio.Future[None]]] = {}  # in the order of their turns
        self._own_every_second = own_every_second
        self._own_was_last = False  # the last turn was that of no tenant
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Future[None] | None = None
        self._is_closed = False

    @property
    def connections(self) -> list[Connection]:
        """All open connections."""
        return [*(connection for connection, _ in self._idle), *self._lent]

    async def acquire(
        self, tenant: Hashable | None = None, *, timeout_seconds: float, is_set: bool = True
    ) -> Connection:
        """Borrow a connection. It shows what the task may see.

        `is_set` False: where that takes a statement, the caller has it do so; see `missing`.

        Raises:
            TimeoutError: none was free in time, or the server did not answer in time.
            asyncpg.InterfaceError: the pool is closed.
        """
        if self._closing is not None:
            raise asyncpg.InterfaceError("the pool is closed")
        until = asyncio.get_running_loop().time() + timeout_seconds
        if self._may_lend(tenant) and not self._queues:
            self._count(tenant)
        else:
            async with asyncio.timeout_at(until):
                await self._wait(tenant)
        visible = self.visible()
        connection = self._take_idle(visible)
        if connection is None:
            try:
                async with asyncio.timeout_at(until):
                    connection = await self._connect()
            except BaseException:
                self._give_back(tenant)
                raise
            if self._is_closed:
                connection.terminate()
                self._give_back(tenant)
                raise asyncpg.InterfaceError("the pool is closed")
        self._lent[connection] = tenant
        if (is_set or self._show_by) and self._shown.get(connection) != visible:
            await self._show(connection, visible)
        return connection

    def missing(self, connection: Connection) -> Visible:
        """Return what a connection still has to show to the current task; None: it does."""
        visible = self.visible()
        return None if self._shown.get(connection) == visible else visible

    def release(self, connection: Connection, *, at_rest: bool = True) -> None:
        """Return a connection. `at_rest`: whether all its statements have ended; if not, it is reset first."""
        if connection.is_closed():
            self._shown.pop(connection, None)
            self._give_back(self._lent.pop(connection))
        elif at_rest and not connection.is_in_transaction():
            self._take_back(connection)
        else:
            task = asyncio.get_running_loop().create_task(self._reset(connection))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def close(self, *, timeout_seconds: float) -> None:
        """Close all connections; cut those that are not returned in time."""
        self._closing = asyncio.get_running_loop().create_future()
        if self._timer is not None:
            self._timer.cancel()
        try:
            async with asyncio.timeout(timeout_seconds):
                if self._places < self.size:  # one is lent, or being opened
                    await self._closing
                await asyncio.gather(*self._tasks, return_exceptions=True)  # idle ones that are being closed
                while self._idle:
                    await self._idle.pop()[0].close()
        except TimeoutError:
            for connection in self.connections:
                connection.terminate()
        self._is_closed = True

    async def execute(self, statement: str, *arguments: Any) -> str:
        """Run one statement on a connection of its own."""
        status: str = await self._run("execute", statement, *arguments)
        return status

    async def fetch(self, statement: str, *arguments: Any) -> Any:
        """Run one statement on a connection of its own and return its rows."""
        return await self._run("fetch", statement, *arguments)

    async def fetchrow(self, statement: str, *arguments: Any) -> Any:
        """Run one statement on a connection of its own and return its first row."""
        return await self._run("fetchrow", statement, *arguments)

    async def fetchval(self, statement: str, *arguments: Any) -> Any:
        """Run one statement on a connection of its own and return the first value of its first row."""
        return await self._run("fetchval", statement, *arguments)

    async def _run(self, method: str, statement: str, *arguments: Any) -> Any:
        connection = await self.acquire(timeout_seconds=5)
        try:
            return await getattr(connection, method)(statement, *arguments)
        finally:
            self.release(connection)

    def _take_idle(self, visible: Visible) -> "Connection | None":
        """Take the connection that came back last, rather one that shows this; drop those that the server closed."""
        for index in range(len(self._idle) - 1, -1, -1):
            if self._shown.get(self._idle[index][0]) == visible and not self._idle[index][0].is_closed():
                return self._idle.pop(index)[0]
        while self._idle:
            connection, _ = self._idle.pop()
            if not connection.is_closed():
                return connection
            self._shown.pop(connection, None)
        return None

    async def _show(self, connection: Connection, visible: Visible) -> None:
        self._shown.pop(connection, None)  # until the server has said that it is set
        try:
            if self._show_by is not None:
                await self._show_by(connection, visible)
            else:
                await connection.execute(isolation.show_sql(visible))
        except BaseException:
            self.release(connection, at_rest=False)
            raise
        self._shown[connection] = visible

    def _may_lend(self, tenant: Hashable | None) -> bool:
        return self._places > 0 and (tenant is None or self._loans.get(tenant, 0) < self.share)

    def _count(self, tenant: Hashable | None) -> None:
        self._places -= 1
        if tenant is not None:
            self._loans[tenant] = self._loans.get(tenant, 0) + 1

    async def _wait(self, tenant: Hashable | None) -> None:
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(tenant, deque()).append(granted)
        self._grant()  # to those that wait already, or to this one: the others may all have reached their share
        try:
            await granted
        except BaseException:
            if granted.done() and not granted.cancelled():  # granted and cancelled in the same moment
                self._give_back(tenant)
            else:
                self._leave(tenant, granted)
            raise

    def _leave(self, tenant: Hashable | None, granted: "asyncio.Future[None]") -> None:
        queue = self._queues.get(tenant)
        if queue is None or granted not in queue:
            return  # it was passed over, after it gave up
        queue.remove(granted)
        if not queue:
            del self._queues[tenant]

    def _grant(self) -> None:
        """Grant loans to those that wait, one per tenant and turn. At most two tenants can have reached their share."""
        granted = True
        while granted and self._places:
            granted = False
            for tenant in self._turns():
                if self._may_lend(tenant):
                    self._own_was_last = tenant is None
                    queue = self._queues.pop(tenant)
                    waiter = queue.popleft()
                    if not waiter.cancelled():  # its task gave up, and has not run since
                        waiter.set_result(None)
                        self._count(tenant)
                    if queue:
                        self._queues[tenant] = queue  # its next turn comes after all others
                    granted = True
                    break

    def _turns(self) -> Iterable[Hashable | None]:
        if self._own_every_second and not self._own_was_last and None in self._queues:
            return chain((None,), self._queues)
        return self._queues

    def _give_back(self, tenant: Hashable | None) -> None:
        self._places += 1
        if tenant is not None:
            self._loans[tenant] -= 1
            if not self._loans[tenant]:
                del self._loans[tenant]
        if self._queues:
            self._grant()
        if self._closing is not None and self._places == self.size and not self._closing.done():
            self._closing.set_result(None)

    def _take_back(self, connection: Connection) -> None:
        loop = asyncio.get_running_loop()
        tenant = self._lent.pop(connection)
        if self._is_closed:
            connection.terminate()
            self._give_back(tenant)
            return
        self._idle.append((connection, loop.time()))
        if self._timer is None and self._closing is None:
            self._timer = loop.call_later(self._idle_seconds, self._close_idle)
        self._give_back(tenant)

    async def _reset(self, connection: Connection) -> None:
        self._shown.pop(connection, None)
        try:
            await connection.reset(timeout=RESET_SECONDS)
        except Exception:  # noqa: BLE001 - whatever it is, the connection cannot be lent again
            connection.terminate()
            self._give_back(self._lent.pop(connection))
        else:
            self._take_back(connection)

    def _close_idle(self) -> None:
        """Close the connections that nobody needed for `idle_seconds`."""
        loop = asyncio.get_running_loop()
        self._timer = None
        oldest = loop.time() - self._idle_seconds
        while self._idle and self._idle[0][1] <= oldest:
            connection, _ = self._idle.pop(0)
            self._shown.pop(connection, None)
            task = loop.create_task(connection.close())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if self._idle:
            self._timer = loop.call_at(self._idle[0][1] + self._idle_seconds, self._close_idle)
