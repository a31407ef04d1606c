"""How the tests of a run are shared among its processes, in a time that does not grow with what is done already."""

from collections.abc import Sequence

from xdist.scheduler import LoadGroupScheduling
from xdist.workermanage import WorkerController


class Distribution(LoadGroupScheduling):
    """What `--dist loadgroup` does. That looks for each test among all of them, and counts again, after each one, those
    that are done: with 15,000 tests, ten seconds of the process from which all others get their work.
    """

    _places: dict[str, int] | None = None

    def schedule(self) -> None:
        if self._places is None:
            # Those of one process are those of all: it is checked before any is sent.
            first: Sequence[str] = next(iter(self.registered_collections.values()))
            self._places = {nodeid: place for place, nodeid in enumerate(first)}
        super().schedule()

    def _assign_work_unit(self, node: WorkerController) -> None:
        assert self._places is not None
        scope, unit = self.workqueue.popitem(last=False)
        self.assigned_work[node][scope] = unit
        node.send_runtest_some([self._places[nodeid] for nodeid, is_done in unit.items() if not is_done])

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        nodeid = self.registered_collections[node][item_index]
        unit = self.assigned_work[node][self._split_scope(nodeid)]
        unit[nodeid] = True
        if all(unit.values()):
            del self.assigned_work[node][self._split_scope(nodeid)]
        self._reschedule(node)
