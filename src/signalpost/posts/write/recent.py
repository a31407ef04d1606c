"""Profiles with accounts as creates of this process read them less than a second ago, for the next create.

Nothing here need be true: the write of a post proves that what it was built from still holds (`Seen`), and nothing is
refused before it was read again (decision 0064).
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec

from signalpost.kit import clock
from signalpost.kit.lru import LruDict
from signalpost.posts.queries import ProfileWithAccounts
from signalpost.posts.schemas.requests import PostCreate
from signalpost.web.caller import Caller, Mode

RECENT_SECONDS: Final = 1.0
"""So long the clock of the database is known from a read, without another one."""
READS_MAX: Final = 256

_Key = tuple[UUID, Mode, UUID, tuple[UUID, ...]]


class RecentReads:
    """The reads of one process: `context.state(RecentReads)`."""

    def __init__(self) -> None:
        self._reads: LruDict[_Key, tuple[float, ProfileWithAccounts]] = LruDict(READS_MAX)

    def get(self, caller: Caller, data: PostCreate) -> ProfileWithAccounts | None:
        """Return what the same read said, with the time that it is now by the clock of the database."""
        if (key := _key(caller, data)) is None or (entry := self._reads.get(key)) is None:
            return None
        read_at, profile = entry
        age = clock.monotonic() - read_at
        if age > RECENT_SECONDS or not caller.may_see_profile(data.profile_id):
            return None
        return msgspec.structs.replace(profile, now=profile.now + timedelta(seconds=age))

    def put(self, caller: Caller, data: PostCreate, profile: ProfileWithAccounts) -> None:
        """Keep what was read just now for this body."""
        if (key := _key(caller, data)) is not None:
            self._reads[key] = clock.monotonic(), profile


def _key(caller: Caller, data: PostCreate) -> _Key | None:
    """Return what the read depends on; None if it has to find out which accounts there are on a platform."""
    if data.targets is None and data.platforms is not None:
        return None
    return (
        caller.workspace_id,
        caller.mode,
        data.profile_id,
        tuple([target.account_id for target in data.targets or ()]),
    )
