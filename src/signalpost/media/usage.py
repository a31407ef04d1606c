"""Who needs a file: a question this room passes on, since posts and profiles stand above or beside it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from signalpost.kit.db import Db


class Usage(NamedTuple):
    """How often a file is used: in all, and by what has not gone out yet (or always needs it, as a watermark)."""

    posts: int = 0
    waiting: int = 0


Counter = Callable[[Db, UUID, Sequence[UUID]], Awaitable[Mapping[UUID, Usage]]]
"""(db, workspace id, media ids) -> the usage of those that have any."""

_counters: list[Counter] = []


def counted_by(counter: Counter) -> None:
    """Ask `counter` too from now on; `main` fills this once. Twice the same: once."""
    if counter not in _counters:
        _counters.append(counter)


async def count(db: Db, workspace_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Usage]:
    """Return the usage of every one of `ids`."""
    found = dict.fromkeys(ids, Usage())
    for counter in _counters if ids else ():
        for media_id, use in (await counter(db, workspace_id, ids)).items():
            known = found[media_id]
            found[media_id] = Usage(known.posts + use.posts, known.waiting + use.waiting)
    return found
