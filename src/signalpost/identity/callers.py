"""Resolved callers of this process, for at most a second, so that not every request reads its credential again."""

import hashlib
from collections import OrderedDict
from uuid import UUID

from signalpost.kit import clock
from signalpost.web.caller import Caller

REMEMBERED_SECONDS = 1.0
"""How long a credential may outlive its revocation in another process."""
CALLERS_MAX = 10_000
UNSETTLED_SECONDS = 30.0
"""How long after `forget` nothing is remembered of a subject: longer than the transaction that changes it may take."""
UNSETTLED_MAX = 10_000

_callers: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()
_unsettled: OrderedDict[UUID, float] = OrderedDict()


def name_of(bearer: str, workspace: str | None) -> bytes:
    """Return the name to remember a caller by; the credential itself is not kept."""
    return hashlib.sha256(f"{bearer}\0{workspace or ''}".encode("utf-8", "surrogatepass")).digest()


def recall(name: bytes) -> Caller | None:
    """Return the caller remembered under this name, if that is recent enough."""
    found = _callers.get(name)
    if found is None:
        return None
    if found[0] <= clock.monotonic():
        del _callers[name]
        return None
    return found[1]


def remember(name: bytes, caller: Caller) -> None:
    """Keep the caller for a second, unless something about it is being changed."""
    now = clock.monotonic()
    if any(_unsettled.get(subject, 0.0) > now for subject in _subjects(caller)):
        return
    _callers[name] = (now + REMEMBERED_SECONDS, caller)
    _callers.move_to_end(name)
    if len(_callers) > CALLERS_MAX:
        _callers.popitem(last=False)


def forget(subject: UUID) -> None:
    """Forget every caller of this user, workspace, key or session. Call it in the transaction that changes them.

    A request that reads the old rows before that transaction commits must not be remembered after it: for a while
    this subject is read from the database by every request.
    """
    now = clock.monotonic()
    _unsettled[subject] = now + UNSETTLED_SECONDS
    _unsettled.move_to_end(subject)
    while len(_unsettled) > UNSETTLED_MAX or next(iter(_unsettled.values())) <= now:
        _unsettled.popitem(last=False)
    for name in [name for name, (_, caller) in _callers.items() if subject in _subjects(caller)]:
        del _callers[name]


def _subjects(caller: Caller) -> list[UUID]:
    found = (caller.user_id, caller.workspace_id, caller.key_id, caller.session_id)
    return [subject for subject in found if subject is not None]
