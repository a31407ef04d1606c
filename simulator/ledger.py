"""What became public, whatever a client believes: the oracle of tests. And how its numbers grow with time."""

import hashlib
import math
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any


@dataclass
class Entry:
    """One post, reply or comment that the network showed, or still shows."""

    network: str
    account_id: str
    kind: str  # post, reply, comment, pin, video, story, ...
    remote_id: str
    text: str
    at: datetime
    media: tuple[str, ...] = ()
    """SHA-256 of each file, in order."""
    parent_id: str | None = None
    deleted_at: datetime | None = None
    details: dict[str, Any] = field(default_factory=dict)
    """What else the network keeps: alt texts, title, board, poll, visibility."""

    def as_json(self) -> dict[str, Any]:
        values = asdict(self)
        return values | {"at": self.at.isoformat(), "deleted_at": self.deleted_at and self.deleted_at.isoformat()}


class Ledger:
    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._by_account: dict[tuple[str, str], list[Entry]] = {}
        self._by_id: dict[tuple[str, str], Entry] = {}
        self._replies: dict[tuple[str, str], list[Entry]] = {}

    def add(self, entry: Entry) -> Entry:
        self.entries.append(entry)
        self._by_account.setdefault((entry.network, entry.account_id), []).append(entry)
        self._by_id[entry.network, entry.remote_id] = entry
        if entry.parent_id is not None:
            self._replies.setdefault((entry.network, entry.parent_id), []).append(entry)
        return entry

    def of(self, network: str, account_id: str | None = None, *, deleted: bool = False) -> list[Entry]:
        """Return what is public on a network, oldest first; with `deleted` also what no longer is."""
        own = self.entries if account_id is None else self._by_account.get((network, account_id), [])
        return [entry for entry in own if entry.network == network and (deleted or entry.deleted_at is None)]

    def replies(self, network: str, remote_id: str) -> list[Entry]:
        """Return what is public below a post, oldest first."""
        below = self._replies.get((network, remote_id), [])
        return [entry for entry in below if entry.deleted_at is None]

    def find(self, network: str, remote_id: str) -> Entry | None:
        """Return what is public under an id."""
        entry = self._by_id.get((network, remote_id))
        return None if entry is None or entry.deleted_at is not None else entry


def grown(entry: Entry, name: str, now: datetime, *, per_hour: float) -> int:
    """Return a count of a post: 0 at first, never less than before, fast in the first hours and slower later.

    The same post and name always give the same numbers, and two posts have different ones.
    """
    hours = max((now - entry.at).total_seconds(), 0) / 3600
    seed = hashlib.sha256(f"{entry.network}:{entry.remote_id}:{name}".encode()).digest()[0]
    return int(per_hour * (0.5 + seed / 255) * 10 * math.log1p(hours / 10))
