"""For whom a task works. What is scarce is shared out by that: connections, calls to others, lanes."""

from collections.abc import Hashable
from contextvars import ContextVar
from typing import NamedTuple


class Tenant(NamedTuple):
    """All workspaces of one owner count as one, so that nobody has more for having many; within, each has a share."""

    id: Hashable
    """The owner, or the client's address where no workspace is known."""
    workspace_id: Hashable = None


tenant: ContextVar[Tenant | None] = ContextVar("tenant", default=None)
"""For whom this task works; None for the installation itself, which has no bound."""
