"""The state behind all networks: time, apps, people, grants, faults, quotas, requests, and what became public."""

import hashlib
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Protocol

from simulator.ledger import Ledger


class SimulatedNetwork(Protocol):
    """What the world asks of a network, which in turn is made with the world."""

    key: ClassVar[str]
    calls: Any
    oauth: Any
    speaks_websocket: ClassVar[bool]

    def __init__(self, world: "World") -> None: ...
    def new_id(self) -> str: ...


@dataclass
class Clock:
    """Runs with the machine's clock, or stands still if it was made with an instant; both can be moved."""

    frozen_at: datetime | None = None
    offset: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        return (self.frozen_at or datetime.now(UTC)) + self.offset

    def advance(self, seconds: float) -> None:
        self.offset += timedelta(seconds=seconds)

    def set(self, instant: datetime) -> None:
        self.offset += instant - self()


@dataclass(frozen=True)
class App:
    """An app that an operator registered at a network."""

    network: str
    client_id: str
    client_secret: str
    redirect_uris: tuple[str, ...] = ()
    scopes: frozenset[str] | None = None  # None: every scope of the network
    details: Mapping[str, Any] = field(default_factory=dict)  # trial access, no review, ...


@dataclass
class Destination:
    """A page, board, channel or organization that a person may publish to."""

    id: str
    kind: str
    name: str
    details: dict[str, Any] = field(default_factory=dict)


@dataclass
class Person:
    """An account of a network."""

    network: str
    id: str
    username: str
    name: str
    destinations: list[Destination] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)  # subscription, suspended, followers, ...

    def destination(self, destination_id: str) -> Destination | None:
        return next((found for found in self.destinations if found.id == destination_id), None)


@dataclass
class Fault:
    """Something that goes wrong at a network.

    The frame knows these kinds: `lost` (the effect happens, then the connection drops), `dropped` (it drops before),
    `slow` (waits `seconds`), `late` (answers with what is there now, `seconds` later), `status` (answers `status` in
    the network's words, without effect), `status_after` (the same after the effect), `revoked` (the token dies just
    before the call), `answer` (the effect happens; answers `status`, `headers` and `body` instead). Each network adds
    its own: `processing_fails`, `eventual`, ...
    """

    network: str
    kind: str
    call: str = "*"
    """`METHOD /path` with the placeholders of the route; `*` strikes every call."""
    times: int | None = 1
    """None: until the faults are cleared."""
    after: int = 0
    """How many calls pass before."""
    seconds: float = 0
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None


@dataclass
class Quota:
    """A window of a rate limit after a call was counted in it."""

    limit: int
    remaining: int
    reset: datetime
    allowed: bool = True


@dataclass
class Logged:
    """One request that a network received."""

    network: str
    call: str
    target: str
    headers: Mapping[str, str]
    status: int | None  # None: the connection dropped
    at: datetime
    body: bytes = b""

    def as_json(self) -> dict[str, Any]:
        hidden = {name: value for name, value in self.headers.items() if name != "authorization"}
        values = asdict(self) | {"headers": hidden, "at": self.at.isoformat(), "body": None}
        return values | {"bytes": len(self.body)}


LOGGED_MAX = 10_000


class World:
    """Everything that the networks know. `reset` forgets it and keeps the addresses."""

    def __init__(self, networks: Iterable[type[SimulatedNetwork]], *, start: datetime | None = None) -> None:
        self._classes = tuple(networks)
        self._start = start
        self.urls: dict[str, str] = {network.key: f"http://{network.key}.invalid" for network in self._classes}
        self.latency_seconds = 0.0
        self.networks: dict[str, SimulatedNetwork] = {}
        self.reset()

    def reset(self) -> None:
        self.clock = Clock(self._start)
        self.ledger = Ledger()
        self.apps: list[App] = []
        self.people: list[Person] = []
        self.faults: list[Fault] = []
        self.log: list[Logged] = []
        self._numbers = itertools.count(1)
        self._windows: dict[tuple[Any, ...], tuple[datetime, int]] = {}
        self.networks.clear()
        self.networks.update({network.key: network(self) for network in self._classes})

    # --- seeds ---------------------------------------------------------------------------------------------------

    def add_app(self, network: str, *redirect_uris: str, **values: Any) -> App:
        """Register an app at a network."""
        number = self.next_number()
        defaults: dict[str, Any] = {"client_id": f"{network}-app-{number}", "client_secret": self.secret("secret")}
        app = App(network=network, redirect_uris=redirect_uris, **defaults | values)
        self.apps.append(app)
        return app

    def add_person(self, network: str, username: str, **values: Any) -> Person:
        """Open an account; `details` and `destinations` are what the network's part reads."""
        defaults: dict[str, Any] = {"id": self.networks[network].new_id(), "name": username.title()}
        person = Person(network=network, username=username, **defaults | values)
        self.people.append(person)
        return person

    def person(self, network: str, username: str) -> Person:
        return next(one for one in self.people if (one.network, one.username) == (network, username))

    def app(self, network: str, client_id: str) -> App | None:
        return next((app for app in self.apps if (app.network, app.client_id) == (network, client_id)), None)

    # --- faults, quotas, ids -------------------------------------------------------------------------------------

    def add_fault(self, network: str, kind: str, call: str = "*", **values: Any) -> Fault:
        """Script a fault. The call is checked, so that no test waits for one that does not exist."""
        fault = Fault(network, kind, call, **values)
        if call != "*" and call not in self.networks[network].calls:
            raise ValueError(f"{network} has no call {call!r}; it has {sorted(self.networks[network].calls)}")
        self.faults.append(fault)
        return fault

    def strike(self, network: str, call: str, kinds: Iterable[str]) -> Fault | None:
        """Return the fault that strikes this call, if there is one, and count it."""
        for fault in self.faults:
            if fault.network != network or fault.kind not in kinds or fault.call not in {"*", call} or fault.times == 0:
                continue
            if fault.after > 0:
                fault.after -= 1
                continue
            if fault.times is not None:
                fault.times -= 1
            return fault
        return None

    def count(self, key: tuple[Any, ...], limit: int, seconds: float) -> Quota:
        """Count a call in its window; beyond the limit it is not allowed, and not counted."""
        now = self.clock()
        start, used = self._windows.get(key, (now, 0))
        if now - start >= timedelta(seconds=seconds):
            start, used = now, 0
        reset = start + timedelta(seconds=seconds)
        if used >= limit:
            return Quota(limit, 0, reset, allowed=False)
        self._windows[key] = (start, used + 1)
        return Quota(limit, limit - used - 1, reset)

    def next_number(self) -> int:
        return next(self._numbers)

    def secret(self, prefix: str) -> str:
        """Return a token: new each time, the same in each run."""
        return f"{prefix}-{hashlib.sha256(f'{prefix}{self.next_number()}'.encode()).hexdigest()}"
