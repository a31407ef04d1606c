"""How a test records a figure: `@holds("R1")`, and the fixture `record`, called once before its assertions.

    record("R1", seed=SEED, tried={"posts": posts}, measured={"doubles": len(doubles), "missing": missing})

What is recorded goes with the report of the test; `tests.figures.plugin` collects it.
"""

from collections.abc import Mapping

import pytest
from tests.figures.goals import GOALS, is_time

PROPERTY = "figure"


def holds(name: str) -> pytest.MarkDecorator:
    """Mark a test as one that measures this figure."""
    assert name in GOALS, f"{name} is not among the goals"
    return pytest.mark.figure(name)


class Record:
    """Records what one test has measured."""

    def __init__(self, node: pytest.Item) -> None:
        self._names = {mark.args[0] for mark in node.iter_markers("figure")}
        self._is_alone = node.get_closest_marker("alone") is not None
        self._properties = node.user_properties

    def __call__(
        self, name: str, *, tried: Mapping[str, int], measured: Mapping[str, float], seed: int | None = None
    ) -> None:
        """Record a part of a figure.

        Args:
            name: of a figure that the test holds.
            tried: how many of what. The numbers of all parts are added up.
            measured: some of what the goal limits. Of all parts the worst counts.
            seed: what repeats it.
        """
        goal = GOALS[name]
        assert name in self._names, f"the test does not say that it holds {name}"
        assert tried.keys() <= goal.tried.keys(), tried.keys() - goal.tried.keys()
        assert measured.keys() <= goal.at_most.keys(), measured.keys() - goal.at_most.keys()
        assert self._is_alone or not any(map(is_time, measured)), "only a test that is marked as alone measures times"
        part = {"name": name, "tried": dict(tried), "measured": dict(measured), "seed": seed}
        self._properties.append((PROPERTY, part))


@pytest.fixture
def record(request: pytest.FixtureRequest) -> Record:
    return Record(request.node)
