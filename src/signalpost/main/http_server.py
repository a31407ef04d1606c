"""The HTTP server: it binds an address, or takes the listening socket that a service manager holds."""

import os
import socket
from typing import Any

from granian._granian import SocketHolder
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server

from signalpost.main.listening import Listening
from signalpost.web.connections import Connections, settled

IDLE_SECONDS = 75
"""How long a connection may be idle between requests: longer than proxies keep theirs."""
_BACKLOG = 1024
_BACKLOG_BETWEEN = 4096
"""So many connections wait while one process ends and the next one starts."""


class _ServerOfSocket(Server):
    """Accepts from a socket that others hold too: what it has not accepted when it stops waits for the next process."""

    def __init__(self, handed_over: socket.socket, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        handed_over.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it
        self._descriptor = os.dup(handed_over.fileno())  # the server accepts from this one, and closes it

    def _init_shared_socket(self) -> None:
        """Replace what would bind the address."""
        holder: Any = SocketHolder  # its stub leaves out: descriptor, whether it is of a Unix path, backlog
        is_unix_path = False
        self._ssp, self._shd = None, holder(self._descriptor, is_unix_path, _BACKLOG_BETWEEN)

    def stop_accepting(self) -> None:
        """Leave new connections to the next process.

        Granian stops accepting and closes connections without a request in one step, which breaks those whose request
        is on its way. So it is first given another socket to accept from, at which nobody connects.
        """
        with socket.create_server(("127.0.0.1", 0)) as nobodys:
            nobodys.setblocking(False)  # noqa: FBT003 - its signature
            os.dup2(nobodys.fileno(), self._descriptor, inheritable=False)


def create(connections: Connections, listening: Listening, connections_max: int) -> Server:
    """Return the server of an application; it serves when its `serve()` is awaited."""
    options: dict[str, Any] = {
        "address": listening.address,
        "port": listening.port,
        "interface": Interfaces.ASGINL,
        "log_enabled": False,
        "websockets": False,
        "backlog": _BACKLOG,
        "backpressure": connections_max,
        "http": HTTPModes.http1,  # what proxies use; with `auto`, silent connections are never closed
        "http1_settings": HTTP1Settings(header_read_timeout=IDLE_SECONDS * 1_000),
    }
    if listening.handed_over is not None:
        return _ServerOfSocket(listening.handed_over, connections, **options)
    return Server(connections, **options)


async def stop(server: Server, connections: Connections, port: int) -> None:
    """Stop: requests under way are answered before the server's `serve()` returns."""
    if isinstance(server, _ServerOfSocket):
        server.stop_accepting()
        await settled(connections, port)
    server.stop()  # type: ignore[no-untyped-call]
