"""Who comes next while more lanes are ready than this process may hold: tenants take turns, as do their workspaces."""

from bisect import insort
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from signalpost.engine.clock import boottime
from signalpost.engine.shares import Claimant, Shares, claimant_of
from signalpost.kit.db import Row

FRESH_SECONDS = 1.0
"""How long a list is used; arrivals are added meanwhile, so only what was committed late is missing from it."""


class ReadyLane(NamedTuple):
    """A lane that was ready when we looked. Ordered by turn, within a turn by how long it has been ready."""

    turn: int
    wake_at: datetime
    key: UUID
    claimant: Claimant


class Backlog:
    """Ready lanes in the order in which to claim them, kept only while some have to wait.

    Turns are those of start-time fair queueing: a tenant's lanes get the turns after the last one that it had, and
    who had none for a while joins at the present turn. So a tenant with one post waits for at most one post of each
    other tenant, however many lanes and workspaces those have, and nobody saves up turns. The workspaces of a tenant
    share its turns alike. A list is no claim: a lane may be gone by the time it is claimed.
    """

    def __init__(self) -> None:
        self.active = False
        self.seen_until = datetime.min.replace(tzinfo=UTC)
        """Lanes that became ready until then are in the list; by the database clock."""
        self._lanes: list[ReadyLane] = []
        self._known: set[UUID] = set()
        self._waiting: Counter[UUID | None] = Counter()
        self._served: dict[UUID | None, int] = {}  # the last turn of each tenant
        self._past = 0  # the last turn before the present one
        self._read_at = float("-inf")  # by boottime()

    @property
    def ahead(self) -> tuple[list[UUID], list[int]]:
        """The tenants that have had later turns than the present one, and by how many; as two columns."""
        columns = [(tenant, turn - self._past) for tenant, turn in self._served.items() if tenant is not None]
        return [tenant for tenant, _ in columns], [turns for _, turns in columns]

    @property
    def seconds_left(self) -> float:
        """How long the list may still be used; 0 or less: read a new one."""
        return self._read_at + FRESH_SECONDS - boottime() if self._lanes else 0.0

    def begin(self, shares: Shares) -> None:
        """Some lanes may have to wait from now on. What the tenants hold already counts as turns."""
        self.active = True
        self._served = {}
        self._served.update(shares.tenants.items())
        self._past = 0
        self._lanes = []

    def replace(self, rows: Sequence[Row]) -> None:
        """Take a new list of all ready lanes, best first. With an empty one the backlog is over."""
        self._lanes, self._known, self._waiting = [], set(), Counter()
        self._served = {tenant: turn for tenant, turn in self._served.items() if turn > self._past}
        self._read_at = boottime()
        self.add(rows)
        self.active = bool(self._lanes)

    def add(self, rows: Sequence[Row]) -> None:
        """Add lanes that have become ready since."""
        if rows:
            self.seen_until = rows[0]["seen_until"]
        for row in rows:
            key, tenant = row["key"], row["tenant_id"]
            if key not in self._known:
                self._known.add(key)
                self._waiting[tenant] += 1
                turn = max(self._served.get(tenant, 0), self._past) + self._waiting[tenant]
                insort(self._lanes, ReadyLane(turn, row["wake_at"], key, claimant_of(row)))

    def take(self, count: int, shares: Shares) -> list[UUID]:
        """Remove and return the next lanes that may be held; the others stay."""
        held = shares.with_lanes()
        taken: list[ReadyLane] = []
        left: list[ReadyLane] = []
        for place, lane in enumerate(self._lanes):
            if len(taken) == count:
                left += self._lanes[place:]
                break
            if held.may_hold(lane.claimant):
                held.hold(lane.claimant)
                taken.append(lane)
            else:
                left.append(lane)
        self._lanes = left
        for lane in taken:
            self._count(lane)
        return [lane.key for lane in taken]

    def _count(self, lane: ReadyLane) -> None:
        self._known.discard(lane.key)
        tenant = lane.claimant.tenant_id
        self._waiting[tenant] -= 1
        self._served[tenant] = max(self._served.get(tenant, 0), lane.turn)
        self._past = max(self._past, lane.turn - 1)
