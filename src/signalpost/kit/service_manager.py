"""What a service manager hands to a process and wants to hear from it: a listening socket, and how the process is.

The protocols are those of systemd, in sd_listen_fds(3) and sd_notify(3). Without such a manager nothing is handed over
and nothing is sent.
"""

import asyncio
import os
import re
import socket
from collections.abc import MutableMapping
from typing import Self

from signalpost.kit import log
from signalpost.kit.errors import OperatorError

FIRST_DESCRIPTOR = 3
_VARIABLES = (
    "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"
)  # fmt: skip
_NUMBER = re.compile(r"[0-9]{1,15}", re.ASCII)
_logger = log.get("service_manager")


class BadHandover(OperatorError):
    """What was handed over is not a listening TCP socket, or the variables that describe it are wrong."""


class ServiceManager:
    """The manager that started this process. `socket` is None, and `notify` does nothing, where there is none."""

    def __init__(
        self, listening: socket.socket | None = None, address: str | None = None, watchdog_seconds: float | None = None
    ) -> None:
        self.socket = listening
        self.watchdog_seconds = watchdog_seconds
        """It ends the process when it has not heard of it for so long; None: it does not look."""
        self._address = address

    @classmethod
    def of_process(cls, environment: MutableMapping[str, str] = os.environ) -> Self:
        """Take what the manager handed over, once: its variables are removed, since they are not for our children.

        Raises:
            BadHandover: a value is wrong, or there is something else than one listening TCP socket.
        """
        values = {name: environment.pop(name, "") for name in _VARIABLES}
        listening = _socket(values)
        watched = _is_ours(values, "WATCHDOG_PID", default=True) and _number(values, "WATCHDOG_USEC")
        return cls(listening, _address(values["NOTIFY_SOCKET"]), watched / 1_000_000 if watched else None)

    def notify(self, state: str) -> None:
        """Report a state: `READY=1`, `STOPPING=1`, `WATCHDOG=1`. That it cannot be reached is logged."""
        if self._address is None:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.sendto(state.encode(), self._address)
        except OSError as error:
            _logger.warning("service_manager.unreachable", state=state, reason=error.strerror)

    async def feed_watchdog(self) -> None:
        """Report for ever that the event loop turns, twice in the time after which the manager would end us."""
        while self.watchdog_seconds:
            self.notify("WATCHDOG=1")
            await asyncio.sleep(self.watchdog_seconds / 2)


def _socket(values: dict[str, str]) -> socket.socket | None:
    """Return the listening socket that was handed to this process.

    Raises:
        BadHandover: see `of_process`.
    """
    count = _number(values, "LISTEN_FDS")
    if not count or not _is_ours(values, "LISTEN_PID", default=False):
        return None
    names = values["LISTEN_FDNAMES"].split(":") if values["LISTEN_FDNAMES"] else []
    if names and len(names) != count:
        raise BadHandover(f"LISTEN_FDS says {count}, but LISTEN_FDNAMES has {len(names)} names. One of them is wrong.")
    named = f" ({', '.join(names)})" if names else ""
    if count > 1:
        raise BadHandover(
            f"{count} listening sockets were handed over{named}, and the service takes one. Leave one ListenStream="
            " in the socket unit; [::]:8000 is for IPv4 too."
        )
    try:
        listening = socket.socket(fileno=FIRST_DESCRIPTOR)
    except OSError as error:
        raise BadHandover(
            f"LISTEN_FDS says that file descriptor {FIRST_DESCRIPTOR} is a socket{named}: {error.strerror}."
        ) from None
    is_tcp = listening.family in (socket.AF_INET, socket.AF_INET6) and listening.type == socket.SOCK_STREAM
    if not is_tcp or not listening.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        listening.detach()
        raise BadHandover(
            f"The socket that was handed over{named} is not a listening TCP socket. In the socket unit, use"
            " ListenStream= with an address and a port, such as 127.0.0.1:8000, and Accept=no."
        )
    listening.set_inheritable(False)
    return listening


def _is_ours(values: dict[str, str], name: str, *, default: bool) -> bool:
    """Return whether the variable names this process; without it, `default`."""
    if not values[name]:
        return default
    if (pid := _number(values, name)) == os.getpid():
        return True
    _logger.warning(
        "service_manager.other_process",
        variable=name,
        names=pid,
        this=os.getpid(),
        remedy="It is ignored. Let the unit start signalpost itself, or a script that ends with `exec signalpost`.",
    )
    return False


def _number(values: dict[str, str], name: str) -> int:
    if not values[name]:
        return 0
    if not _NUMBER.fullmatch(values[name]):
        raise BadHandover(f"{name} must be a whole number, not {values[name]!r}. A service manager sets it.")
    return int(values[name])


def _address(value: str) -> str | None:
    """Return the address of the manager's socket; names that begin with `@` are abstract ones.

    Raises:
        BadHandover: it is neither a path nor an abstract name.
    """
    if not value:
        return None
    if value[0] not in "/@":
        raise BadHandover(f"NOTIFY_SOCKET must be a path or begin with @, not {value!r}. A service manager sets it.")
    return "\0" + value[1:] if value[0] == "@" else value
