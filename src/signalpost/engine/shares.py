"""How many lanes of this process one workspace, one tenant and one network may hold. No I/O."""

from collections import Counter
from collections.abc import Iterable
from copy import copy
from typing import NamedTuple, Self, TypeVar
from uuid import UUID

from signalpost.kit.db import Row

K = TypeVar("K")


class Claimant(NamedTuple):
    """For whom a lane is held. Lanes of the installation itself have no tenant, those of jobs no network."""

    tenant_id: UUID | None
    workspace_id: UUID | None
    platform: str | None


def claimant_of(lane: Row) -> Claimant:
    """Return for whom a lane is held, from its row."""
    return Claimant(lane["tenant_id"], lane["workspace_id"], lane["platform"])


class Shares:
    """Counts the lanes that one source holds in this process, and says who may hold one more.

    A workspace holds at most `per_workspace`, and all workspaces of one owner, a tenant, at most `per_tenant`. Neither
    a tenant nor a network holds more than are free: one that hangs takes half of the lanes, two take two thirds, and so
    on, and as many as the greediest holds stay free for all others.
    """

    def __init__(self, lanes: int, per_workspace: int, per_tenant: int) -> None:
        self.free = lanes
        self.tenants: Counter[UUID] = Counter()
        self._workspaces: Counter[UUID] = Counter()
        self._platforms: Counter[str] = Counter()
        self._per_workspace = per_workspace
        self._per_tenant = per_tenant

    @property
    def room(self) -> int:
        """How many lanes may be claimed whoever they belong to."""
        of_workspace = self._per_workspace - max(self._workspaces.values(), default=0)
        most_of_tenant = max(self.tenants.values(), default=0)
        most = max(most_of_tenant, max(self._platforms.values(), default=0))
        return max(0, min(of_workspace, self._per_tenant - most_of_tenant, (self.free - most + 1) // 2))

    def may_hold(self, lane: Claimant) -> bool:
        """Whether one more lane may be claimed for them."""
        tenant_id, workspace_id, platform = lane
        return (
            self.free > 0
            and (workspace_id is None or self._workspaces[workspace_id] < self._per_workspace)
            and (tenant_id is None or self.tenants[tenant_id] < min(self.free, self._per_tenant))
            and (platform is None or self._platforms[platform] < self.free)
        )

    def hold(self, lane: Claimant) -> None:
        """Count a lane that was claimed."""
        tenant_id, workspace_id, platform = lane
        self.free -= 1
        if tenant_id is not None:
            self.tenants[tenant_id] += 1
        if workspace_id is not None:
            self._workspaces[workspace_id] += 1
        if platform is not None:
            self._platforms[platform] += 1

    def give_back(self, lane: Claimant) -> None:
        """Count a lane that was released."""
        tenant_id, workspace_id, platform = lane
        self.free += 1
        if tenant_id is not None:
            _decrement(self.tenants, tenant_id)
        if workspace_id is not None:
            _decrement(self._workspaces, workspace_id)
        if platform is not None:
            _decrement(self._platforms, platform)

    def with_lanes(self, lanes: Iterable[Claimant] = ()) -> Self:
        """Return a copy that holds these lanes too."""
        copied = copy(self)
        copied.tenants, copied._workspaces = self.tenants.copy(), self._workspaces.copy()  # noqa: SLF001 - of this class
        copied._platforms = self._platforms.copy()  # noqa: SLF001 - of this class
        for lane in lanes:
            copied.hold(lane)
        return copied


def _decrement(counter: Counter[K], key: K) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
