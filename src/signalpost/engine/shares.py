"""How many lanes of this process one workspace and one network may hold. No I/O."""

from collections import Counter
from collections.abc import Iterable
from typing import Self, TypeVar
from uuid import UUID

K = TypeVar("K")


class Shares:
    """Counts the lanes that one source holds in this process, and says who may hold one more.

    A workspace holds at most `per_workspace`. A network holds no more than are free: one that hangs takes half of the
    lanes, two take two thirds, and so on, and as many as the greediest holds stay free for all others. Lanes without a
    network (jobs, webhooks) are bound by their workspaces only.
    """

    def __init__(self, lanes: int, per_workspace: int) -> None:
        self.free = lanes
        self.workspaces: Counter[UUID] = Counter()
        self._per_workspace = per_workspace
        self._platforms: Counter[str] = Counter()

    @property
    def room(self) -> int:
        """How many lanes may be claimed whoever they belong to."""
        of_workspace = self._per_workspace - max(self.workspaces.values(), default=0)
        of_platform = (self.free - max(self._platforms.values(), default=0) + 1) // 2
        return max(0, min(of_workspace, of_platform))

    def may_hold(self, workspace_id: UUID | None, platform: str | None) -> bool:
        """Whether one more lane may be claimed for them."""
        return (
            self.free > 0
            and (workspace_id is None or self.workspaces[workspace_id] < self._per_workspace)
            and (platform is None or self._platforms[platform] < self.free)
        )

    def hold(self, workspace_id: UUID | None, platform: str | None) -> None:
        """Count a lane that was claimed."""
        self.free -= 1
        if workspace_id is not None:
            self.workspaces[workspace_id] += 1
        if platform is not None:
            self._platforms[platform] += 1

    def give_back(self, workspace_id: UUID | None, platform: str | None) -> None:
        """Count a lane that was released."""
        self.free += 1
        if workspace_id is not None:
            _decrement(self.workspaces, workspace_id)
        if platform is not None:
            _decrement(self._platforms, platform)

    def with_lanes(self, lanes: Iterable[tuple[UUID | None, str | None]] = ()) -> Self:
        """Return a copy that holds these lanes too, given by workspace and network."""
        copied = type(self)(self.free, self._per_workspace)
        copied.workspaces = self.workspaces.copy()
        copied._platforms = self._platforms.copy()  # noqa: SLF001 - of the same class
        for workspace_id, platform in lanes:
            copied.hold(workspace_id, platform)
        return copied


def _decrement(counter: Counter[K], key: K) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
