"""A plugin of pytest that runs tests of figures: `-p tests.figures.plugin --figures R1,R4 --figures-to FILE`.

Those that measure times run with `--alone`, the others without it. A run that broke off writes no file.
"""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import pytest
from tests.figures.record import PROPERTY

NONE: Final = "none"
"""Stands for the tests that hold no figure."""
_HOLDS: Final = "holds"
_WHOLE: Final = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--figures", required=True, help=f"run only tests that hold one of these; {NONE}: that hold none")
    parser.addoption("--figures-to", required=True, type=Path, help="write here what they recorded")
    parser.addoption(
        "--alone", action="store_true", help="run the tests that are marked as alone instead of the others"
    )


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        names = config.getoption("--figures").split(",")
        config.pluginmanager.register(_Collector(names, config.getoption("--figures-to")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with those that may take longest: the last one of them would keep one process alone."""
    wanted, alone = set(config.getoption("--figures").split(",")), config.getoption("--alone")
    chosen = []
    for item in items:
        names = sorted({mark.args[0] for mark in item.iter_markers("figure")} or {NONE})
        item.user_properties.append((_HOLDS, names))
        if wanted & set(names) and alone == (item.get_closest_marker("alone") is not None):
            chosen.append(item)
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = sorted(chosen, key=_seconds_max, reverse=True)


def _seconds_max(item: pytest.Item) -> float:
    mark = item.get_closest_marker("timeout")
    return mark.args[0] if mark else 0.0


class _Collector:
    """Hears of every test, in the controlling process."""

    def __init__(self, names: list[str], file: Path) -> None:
        self._names, self._file = names, file
        self._parts: dict[str, list[Any]] = defaultdict(list)
        self._seconds: dict[str, float] = defaultdict(float)
        self._passed: dict[str, set[str]] = defaultdict(set)
        self._not_passed: dict[str, set[str]] = defaultdict(set)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # Of a test whose process died nobody says what it holds: no figure is reached then.
        names: Any = next((value for key, value in report.user_properties if key == _HOLDS), self._names)
        for name in names:
            self._seconds[name] += report.duration
            if report.outcome != "passed":
                self._not_passed[name].add(report.nodeid)
            elif report.when == "call":
                self._passed[name].add(report.nodeid)
        if report.when == "call":
            for part in [part for key, part in report.user_properties if key == PROPERTY]:
                self._parts[part["name"]].append(part)  # type: ignore[index]  # ours

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus in _WHOLE:
            self._file.write_text(json.dumps({name: self._found(name) for name in self._names}))

    def _found(self, name: str) -> dict[str, Any]:
        not_passed = self._not_passed[name]
        return {
            "parts": self._parts[name], "passed": len(self._passed[name] - not_passed),
            "not_passed": sorted(not_passed), "seconds": self._seconds[name],
        }  # fmt: skip
