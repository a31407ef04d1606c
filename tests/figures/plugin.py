"""A plugin of pytest that runs the tests of one figure: `-p tests.figures.plugin --figure R1 --figure-to FILE`."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.figures.record import PROPERTY

NONE = "none"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--figure", required=True, help=f"run only the tests that hold this one; {NONE}: hold none")
    parser.addoption("--figure-to", required=True, type=Path, help="write here what they recorded")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Collector(config.getoption("--figure"), config.getoption("--figure-to")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = config.getoption("--figure")

    def is_wanted(item: pytest.Item) -> bool:
        names = {mark.args[0] for mark in item.iter_markers("figure")}
        return not names if wanted == NONE else wanted in names

    config.hook.pytest_deselected(items=[item for item in items if not is_wanted(item)])
    items[:] = [item for item in items if is_wanted(item)]


class _Collector:
    """Hears of every test, in the controlling process."""

    def __init__(self, name: str, file: Path) -> None:
        self._name, self._file = name, file
        self._parts: list[Any] = []
        self._passed: set[str] = set()
        self._not_passed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self._not_passed.add(report.nodeid)
        elif report.when == "call":
            self._passed.add(report.nodeid)
        if report.when == "call":
            found = [part for key, part in report.user_properties if key == PROPERTY]
            self._parts += [part for part in found if part["name"] == self._name]  # type: ignore[index]  # ours

    def pytest_sessionfinish(self) -> None:
        passed = len(self._passed - self._not_passed)
        found = {"parts": self._parts, "passed": passed, "not_passed": sorted(self._not_passed)}
        self._file.write_text(json.dumps(found))
