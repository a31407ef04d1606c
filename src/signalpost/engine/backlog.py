"""Who comes next while more lanes are ready than this process may hold: workspaces take turns."""

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from signalpost.engine.clock import boottime
from signalpost.kit.db import Row

FRESH_SECONDS = 1.0
"""How long a list is used; arrivals are added meanwhile, so only what was committed late is missing from it."""


class ReadyLane(NamedTuple):
    """A lane that was ready when we looked. Ordered by turn, within a turn by how long it has been ready."""

    turn: int
    wake_at: datetime
    key: UUID
    workspace_id: UUID | None


class Backlog:
    """Ready lanes in the order in which to claim them, kept only while some have to wait.

    A lane's turn is the number of leases that its workspace had since the backlog began, plus its place among the ready
    lanes of its workspace. So a workspace with one post waits for one post of each other workspace, however many
    lanes those have. A list is no claim: a lane may be gone by the time it is claimed.
    """

    def __init__(self) -> None:
        self.active = False
        self.seen_until = datetime.min.replace(tzinfo=UTC)
        """Lanes that became ready until then are in the list; by the database clock."""
        self._lanes: list[ReadyLane] = []
        self._known: set[UUID] = set()
        self._waiting: Counter[UUID | None] = Counter()
        self._served: Counter[UUID | None] = Counter()
        self._read_at = float("-inf")  # by boottime()

    @property
    def served(self) -> tuple[list[UUID], list[int]]:
        """How many leases each workspace has had, as two columns."""
        columns = [(workspace, leases) for workspace, leases in self._served.items() if workspace is not None]
        return [workspace for workspace, _ in columns], [leases for _, leases in columns]

    @property
    def seconds_left(self) -> float:
        """How long the list may still be used; 0 or less: read a new one."""
        return self._read_at + FRESH_SECONDS - boottime() if self._lanes else 0.0

    def begin(self, in_flight: Counter[UUID]) -> None:
        """Some lanes may have to wait from now on; `in_flight`: the leases of each workspace in this process."""
        self.active = True
        self._served = Counter(in_flight)
        self._lanes = []

    def replace(self, rows: Sequence[Row]) -> None:
        """Take a new list of all ready lanes, best first. With an empty one the backlog is over."""
        self._lanes, self._known, self._waiting = [], set(), Counter()
        self._read_at = boottime()
        self.add(rows)
        self.active = bool(self._lanes)

    def add(self, rows: Sequence[Row]) -> None:
        """Add lanes that have become ready since."""
        if rows:
            self.seen_until = rows[0]["seen_until"]
        for row in rows:
            key, workspace = row["key"], row["workspace_id"]
            if key not in self._known:
                self._known.add(key)
                self._waiting[workspace] += 1
                turn = self._served[workspace] + self._waiting[workspace]
                insort(self._lanes, ReadyLane(turn, row["wake_at"], key, workspace))

    def take(self, count: int, in_flight: Counter[UUID], cap: int) -> list[UUID]:
        """Remove and return the next lanes of workspaces that hold fewer than `cap` leases; the others stay."""
        held = Counter(in_flight)
        taken: list[ReadyLane] = []
        left: list[ReadyLane] = []
        for place, lane in enumerate(self._lanes):
            if len(taken) == count:
                left += self._lanes[place:]
                break
            if lane.workspace_id is None or held[lane.workspace_id] < cap:
                if lane.workspace_id is not None:
                    held[lane.workspace_id] += 1
                taken.append(lane)
            else:
                left.append(lane)
        self._lanes = left
        for lane in taken:
            self._known.discard(lane.key)
            self._waiting[lane.workspace_id] -= 1
        return [lane.key for lane in taken]

    def count(self, rows: Iterable[Row]) -> None:
        """Count claimed lanes as turns of their workspaces."""
        if self.active:
            self._served.update(row["workspace_id"] for row in rows)
