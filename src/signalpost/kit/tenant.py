"""For whom a task works, and whose rows it may see.

What is scarce is shared out by the tenant: connections, calls to others, lanes. The rows are those of its workspace;
without one there are none, unless the task says that it works across workspaces.
"""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Tenant(NamedTuple):
    """All workspaces of one owner count as one, so that nobody has more for having many; within, each has a share."""

    id: Hashable
    """The owner, or the client's address where no workspace is known."""
    workspace_id: Hashable = None


tenant: ContextVar[Tenant | None] = ContextVar("tenant", default=None)
"""For whom this task works; None for the installation itself, which has no bound."""

across: ContextVar[bool] = ContextVar("across", default=False)
"""Whether this task may see the rows of every workspace. A request begins without; see `across_workspaces`."""


def work_for(mine: Tenant) -> None:
    """Have the rest of this task count as that tenant's, and see the rows of its workspace only."""
    tenant.set(mine)
    across.set(False)


@contextmanager
def across_workspaces() -> Iterator[None]:
    """See the rows of every workspace: where the workspace is what is looked for, or the whole installation is meant.

    A test lists who does.
    """
    token = across.set(True)
    try:
        yield
    finally:
        across.reset(token)
