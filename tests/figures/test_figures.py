"""RELIABILITY.md says what was measured, and no figure counts as reached that is not."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.counterparts.tools import CHECKOUT
from tests.figures import page, results
from tests.figures.goals import ELSEWHERE, GOALS, OTHERS, REASONS, Goal
from tests.figures.plugin import NONE
from tests.figures.record import PROPERTY, Record
from tests.figures.results import Result

_HEAVY = re.compile(r"mark\.heavy|\bheavy=")
GOAL = Goal("R1", "Promise", {"posts": 10, "kills": 2}, {"doubles": 0, "seconds": 1.5}, ())
REACHED = Result(
    "2026-11-23 06:00", "abc", "a machine", 0.1, 3, 1, {"posts": 10, "kills": 3}, {"doubles": 0, "seconds": 1.5}, [7]
)


def test_the_page_is_what_was_measured() -> None:
    assert page.FILE.read_text() == page.page(results.load()), "run `make reliability`"


@pytest.mark.parametrize(
    ("result", "short"),
    [
        (REACHED, []),
        (None, ["has not run"]),
        (replace(REACHED, tried={"posts": 9, "kills": 3}), ["9 of 10 posts"]),
        (replace(REACHED, tried={"posts": 10}), ["0 of 2 kills"]),
        (replace(REACHED, measured={"doubles": 0}), ["seconds: not measured"]),
        (replace(REACHED, measured={"doubles": 1, "seconds": 1.5}), ["doubles: 1, not 0"]),
        (replace(REACHED, measured={"doubles": 0, "seconds": 1.51}), ["seconds: 1.51, not 1.5"]),
        (replace(REACHED, not_passed=["tests/a.py::test"]), ["not passed: tests/a.py::test"]),
    ],
)
def test_what_falls_short_is_told(result: Result | None, short: list[str]) -> None:
    assert results.shortfalls(GOAL, result) == short


def test_the_parts_of_a_figure_are_put_together() -> None:
    """Numbers are added up; of what is limited, the worst part counts."""
    parts = [
        {"tried": {"posts": 4}, "measured": {"doubles": 0, "seconds": 2.0}, "seed": 3},
        {"tried": {"posts": 6, "kills": 1}, "measured": {"doubles": 1}, "seed": None},
        {"tried": {}, "measured": {"seconds": 0.5}, "seed": 1},
    ]

    assert results.of_parts(parts) == ({"posts": 10, "kills": 1}, {"doubles": 1, "seconds": 2.0}, [1, 3])


def test_a_figure_with_a_reason_does_not_fail_a_run_and_stays_short(monkeypatch: pytest.MonkeyPatch) -> None:
    assert results.failing({}, ["R1", "R7"]) == ["R1", "R7"]
    monkeypatch.setitem(REASONS, "R7", "Because.")

    assert results.failing({}, ["R1", "R7"]) == ["R1"]
    assert "- **R7**: has not run. Because." in page.page({})


def test_results_come_back_as_they_were_stored(tmp_path: Path) -> None:
    results.store({"R1": REACHED}, tmp_path / "results.json")

    assert results.load(tmp_path / "results.json") == {"R1": REACHED}


def test_every_goal_has_tests_that_hold_it() -> None:
    """Where the goal says they are."""
    files = {name: [file for path in goal.paths if (file := CHECKOUT / path).exists()] for name, goal in GOALS.items()}
    without = [name for name in GOALS if not any(f'holds("{name}")' in file.read_text() for file in files[name])]

    assert without == []
    assert [name for name, found in files.items() if len(found) < len(GOALS[name].paths)] == []


def test_something_runs_every_heavy_test() -> None:
    """`make faults`, or a command that CONTRIBUTING.md or README.md names."""
    run = {*OTHERS, *ELSEWHERE, *(path for goal in GOALS.values() for path in goal.paths)}
    files = [file for file in (CHECKOUT / "tests").rglob("*.py") if _HEAVY.search(file.read_text())]
    paths = {file.relative_to(CHECKOUT).as_posix() for file in files}

    assert [path for path in paths if not any(path.startswith(name) for name in run)] == []
    assert [name for name in run if not (CHECKOUT / name).exists()] == []
    read = (CHECKOUT / "CONTRIBUTING.md").read_text() + (CHECKOUT / "README.md").read_text()
    assert [command for command in ELSEWHERE.values() if command not in read] == []


def test_only_what_the_goal_names_is_recorded(request: pytest.FixtureRequest) -> None:
    request.node.add_marker(pytest.mark.figure("R1"))
    request.node.add_marker(pytest.mark.figure("R4"))
    record = Record(request.node)
    with pytest.raises(AssertionError, match="marked as alone"):
        record("R4", tried={}, measured={"p99 of the good ones, s": 0.1})
    with pytest.raises(AssertionError):
        record("R1", tried={"post": 1}, measured={})
    with pytest.raises(AssertionError):
        record("R1", tried={}, measured={"double": 1})
    with pytest.raises(AssertionError, match="does not say that it holds R6"):
        record("R6", tried={}, measured={})
    record("R1", tried={"posts": 1}, measured={"doubles": 0}, seed=5)

    part = {"name": "R1", "tried": {"posts": 1}, "measured": {"doubles": 0}, "seed": 5}
    assert request.node.user_properties == [(PROPERTY, part)]
    request.node.user_properties.clear()


TESTS = """
import pytest
from tests.figures.record import record

@pytest.mark.figure("R10")
def test_counts(record):
    record("R10", tried={"restarts": 3}, measured={"doubles": 0}, seed=4)

@pytest.mark.alone
@pytest.mark.figure("R10")
@pytest.mark.figure("R4")
def test_takes_time(record):
    record("R10", tried={"restarts": 2}, measured={"s until the API is well": 1.5})
    record("R4", tried={}, measured={"crashes": 0})
    raise AssertionError

@pytest.mark.figure("R1")
def test_other_figure():
    raise AssertionError

def test_no_figure():
    raise KeyboardInterrupt
"""
OPTIONS = (
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "tests.figures.plugin",
    "-c",
    "/dev/null",
    "--rootdir",
    ".",
    "-W",
    "ignore",
)


def found_by(folder: Path, figures: str, *options: str) -> Any:
    """Run the plugin over these tests in a process of its own; None: it has written nothing."""
    (folder / "test_these.py").write_text(TESTS)
    file = folder / "found"
    command = (sys.executable, "-m", "pytest", *OPTIONS, "--figures", figures, "--figures-to", str(file), *options)
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run((*command, "test_these.py"), cwd=folder, env=environment, capture_output=True, check=False)
    return json.loads(file.read_text()) if file.exists() else None


def test_one_run_measures_several_figures(tmp_path: Path) -> None:
    """First what may run beside others, then the rest; what failed, failed each figure that it holds."""
    beside, alone = found_by(tmp_path, "R10,R4"), found_by(tmp_path, "R10,R4", "--alone")
    values: Any = {"date": "", "commit": "", "machine": "", "load": 0.1}
    result = results.of_sessions([beside["R10"], alone["R10"]], **values)

    assert result is not None
    assert (result.tests, result.tried, result.seeds) == (1, {"restarts": 5}, [4])
    assert result.measured == {"doubles": 0, "s until the API is well": 1.5}
    assert result.not_passed == ["test_these.py::test_takes_time"]
    assert results.of_sessions([beside["R4"]], **values) is None
    other = results.of_sessions([beside["R4"], alone["R4"]], **values)
    assert other is not None
    assert (other.tests, other.measured, other.not_passed) == (0, {"crashes": 0}, result.not_passed)


def test_a_run_that_broke_off_has_found_nothing(tmp_path: Path) -> None:
    assert found_by(tmp_path, NONE) is None
