"""How the tests of a run are shared among its processes, in a time that does not grow with what is done already."""

from collections import deque
from collections.abc import Sequence
from typing import Final

from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController

WAITING: Final = ("tests/engine/", "tests/faults/", "tests/webhooks/")
"""Tests that mostly wait: for the end of a lease, for the next attempt, for processes that are to die."""


class Distribution(LoadGroupScheduling):
    """What `--dist loadgroup` does, in another order.

    That begins with groups, which keep a processor busy: most are pages in a browser. What waits would come at the end,
    when there is nothing left to do meanwhile. So every other process begins with that.

    It also looks for each test among all of them, and counts again, after each one, those that are done: with 15,000
    tests, ten seconds of the process from which all others get their work.
    """

    _places: dict[str, int] | None = None
    _waiting: deque[str]

    def schedule(self) -> None:
        if self._places is None:
            # Those of one process are those of all: it is checked before any is sent.
            first: Sequence[str] = next(iter(self.registered_collections.values()))
            self._places = {nodeid: place for place, nodeid in enumerate(first)}
            self._waiting = deque(
                nodeid for nodeid in first if nodeid.startswith(WAITING) and self._split_scope(nodeid) == nodeid
            )
        super().schedule()

    def _assign_work_unit(self, node: WorkerController) -> None:
        assert self._places is not None
        scope = self._next_scope(node)
        unit = self.workqueue.pop(scope)
        self.assigned_work[node][scope] = unit
        node.send_runtest_some([self._places[nodeid] for nodeid, is_done in unit.items() if not is_done])

    def _next_scope(self, node: WorkerController) -> str:
        while self._waiting and self.nodes.index(node) % 2:
            if (scope := self._waiting.popleft()) in self.workqueue:
                return scope
        return next(iter(self.workqueue))

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        nodeid = self.registered_collections[node][item_index]
        unit = self.assigned_work[node][self._split_scope(nodeid)]
        unit[nodeid] = True
        if all(unit.values()):
            del self.assigned_work[node][self._split_scope(nodeid)]
        self._reschedule(node)
