"""What was measured: the result of each figure as it is stored, and how it stands beside its goal."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.figures.goals import GOALS, REASONS, Goal

STORED = Path(__file__).with_name("results.json")


@dataclass(frozen=True)
class Result:
    """One run of the tests of a figure."""

    date: str
    commit: str
    machine: str
    load: float
    """How many processes wanted a processor when the run began, which may be one of all figures."""
    seconds: int
    """Of its tests together, some of which ran at the same time."""
    tests: int
    tried: Mapping[str, int]
    measured: Mapping[str, float]
    seeds: Sequence[int] = field(default_factory=list)
    not_passed: Sequence[str] = field(default_factory=list)


def of_parts(parts: Sequence[Any]) -> tuple[dict[str, int], dict[str, float], list[int]]:
    """Put together what several tests recorded: numbers are added up, and of what is limited the worst counts."""
    tried: Counter[str] = Counter()
    measured: dict[str, float] = {}
    for part in parts:
        tried.update(part["tried"])
        for what, value in part["measured"].items():
            measured[what] = max(value, measured.get(what, value))
    return dict(tried), measured, sorted({part["seed"] for part in parts if part["seed"] is not None})


def of_sessions(
    found: Sequence[Any], *, date: str, commit: str, machine: str, load: float
) -> Result | None:  # fmt: skip
    """Put together what the plugin found in one session after another; None if no test has run."""
    tried, measured, seeds = of_parts([part for one in found for part in one["parts"]])
    passed, not_passed = sum(one["passed"] for one in found), [test for one in found for test in one["not_passed"]]
    if not passed and not not_passed:
        return None
    return Result(
        date=date, commit=commit, machine=machine, load=load, seconds=round(sum(one["seconds"] for one in found)),
        tests=passed, tried=tried, measured=measured, seeds=seeds, not_passed=sorted(set(not_passed)),
    )  # fmt: skip


def shortfalls(goal: Goal, result: Result | None) -> list[str]:
    """Return what keeps a figure from its goal; nothing if it is reached."""
    if result is None:
        return ["has not run"]
    found = [f"not passed: {test}" for test in result.not_passed]
    for what, least in goal.tried.items():
        if (number := result.tried.get(what, 0)) < least:
            found.append(f"{number:,} of {least:,} {what}")
    for what, most in goal.at_most.items():
        if what not in result.measured:
            found.append(f"{what}: not measured")
        elif result.measured[what] > most:
            found.append(f"{what}: {number_text(result.measured[what])}, not {number_text(most)}")
    return found


def failing(results: Mapping[str, Result], names: Sequence[str]) -> list[str]:
    """Return which of these figures fall short without a reason that was reviewed."""
    return [name for name in names if shortfalls(GOALS[name], results.get(name)) and name not in REASONS]


def load(file: Path = STORED) -> dict[str, Result]:
    if not file.exists():
        return {}
    return {name: Result(**values) for name, values in json.loads(file.read_text()).items()}


def store(results: Mapping[str, Result], file: Path = STORED) -> None:
    values = {name: asdict(results[name]) for name in GOALS if name in results}
    file.write_text(json.dumps(values, indent=1) + "\n")


def number_text(number: float) -> str:
    """Return a number as people read it: no more digits than say something."""
    return f"{number:,.0f}" if number == int(number) or number >= 100 else f"{number:.3g}"
