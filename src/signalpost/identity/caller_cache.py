"""Resolved callers of this process, cached for at most a second, so that not every request reads its credential.

Other processes may use an old state for as long: decision 0040.
"""

import hashlib
from uuid import UUID

from signalpost.kit import clock
from signalpost.kit.lru import LruDict
from signalpost.web.caller import Caller

CACHE_SECONDS = 1.0
"""How long a credential may outlive its revocation in another process."""
CALLERS_MAX = 10_000
CHANGING_SECONDS = 30.0
"""Nothing about a subject is cached for so long after `invalidate`: longer than the transaction that changes it."""
CHANGING_MAX = 10_000


def cache_key(bearer: str, workspace: str | None) -> bytes:
    """Return the key under which a caller is cached; the credential itself is not kept."""
    return hashlib.sha256(f"{bearer}\0{workspace or ''}".encode("utf-8", "surrogatepass")).digest()


class CallerCache:
    """The callers of one process: `context.state(CallerCache)`."""

    def __init__(self) -> None:
        self.seconds = CACHE_SECONDS
        self.entries: LruDict[bytes, tuple[float, Caller]] = LruDict(CALLERS_MAX)
        self.changing: LruDict[UUID, float] = LruDict(CHANGING_MAX)

    def get(self, key: bytes) -> Caller | None:
        """Return the cached caller unless it has expired."""
        entry = self.entries.get(key)
        if entry is None:
            return None
        expires_at, caller = entry
        return caller if clock.monotonic() < expires_at else None

    def knows(self, key: bytes) -> bool:
        """Whether this credential was good when it was last read, so that it cannot be a guess."""
        return key in self.entries

    def forget(self, key: bytes) -> None:
        """Drop a credential that is no longer good."""
        self.entries.pop(key)

    def put(self, key: bytes, caller: Caller) -> None:
        """Cache the caller for a second, unless something about it is being changed."""
        now = clock.monotonic()
        if any((self.changing.get(subject) or 0.0) > now for subject in _subjects(caller)):
            return
        self.entries[key] = now + self.seconds, caller

    def invalidate(self, subject: UUID) -> None:
        """Drop every caller of this user, workspace, key or session. Call it in the transaction that changes them.

        A request that reads the old rows before that transaction commits must not be cached after it: for a while
        every request of this subject reads the database.
        """
        self.changing[subject] = clock.monotonic() + CHANGING_SECONDS
        for key in [key for key, (_, caller) in self.entries.items() if subject in _subjects(caller)]:
            self.entries.pop(key)


def _subjects(caller: Caller) -> list[UUID]:
    subjects = (caller.user_id, caller.workspace_id, caller.key_id, caller.session_id)
    return [subject for subject in subjects if subject is not None]
