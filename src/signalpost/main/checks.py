"""Results of `signalpost doctor`, and how they are printed."""

import msgspec
from msgspec import Struct


class Check(Struct):
    """What was looked at, and the result. `fix` says what to do; with `ok` it is advice."""

    check: str
    ok: bool
    detail: str
    fix: str | None = None


def as_json(checks: list[Check]) -> str:
    """Return one line: a list of objects."""
    return msgspec.json.encode(checks).decode() + "\n"


def as_text(checks: list[Check]) -> str:
    """Return a line for each check, and below it what to do."""
    width = max(len(check.check) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{'ok' if check.ok else 'PROBLEM':<7}  {check.check:<{width}}  {check.detail}")
        if check.fix:
            lines.append(f"{'':<7}  {'':<{width}}  {'Advice: ' if check.ok else 'To do: '}{check.fix}")
    return "\n".join(lines) + "\n"
