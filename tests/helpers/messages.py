"""What the answer to a wrong request must say: what is wrong, where, and what to do."""

import re
from dataclasses import dataclass, field
from typing import Any

import httpx
from tests.helpers.contract import PreparedRequest

from signalpost.kit.problems import Problem

JARGON = re.compile(
    r"\^\[|\\S|\(\?|regex|Traceback|msgspec|asyncpg|psycopg|NoneType|\b\w+Error\b|UUID\(|`(?:str|int|array|bool|float)`"
    r"|enum value|codec can't|of length|invalid input syntax|violates|relation \"|\bdict\b|\btuple\b|datetime\b"
)


@dataclass
class Expected:
    """What an answer has to say: `says` is the value or field that `detail` names, `path` a place among `errors`."""

    status: int
    says: str = ""
    path: str | None = None


@dataclass
class Wrong:
    """A wrong request."""

    request: PreparedRequest
    expected: Expected
    changed: dict[str, Any] = field(default_factory=dict)


def faults_of(answer: httpx.Response, expected: Expected) -> list[str]:
    """Return what is missing in an answer."""
    problem = answer.json()
    errors = problem.get("errors", [])
    texts = [problem["detail"], problem.get("remediation", ""), *(issue["message"] for issue in errors)]
    checks = {
        f"status {answer.status_code}, not {expected.status}": answer.status_code == expected.status,
        "unknown code": problem["code"] in Problem.registry,
        "the detail is the title": problem["detail"].rstrip(".") != problem["title"].rstrip("."),
        f"the detail does not name {expected.says}": expected.says in problem["detail"],
        f"no issue at {expected.path}": expected.path is None or expected.path in {issue["path"] for issue in errors},
        "no next step": bool(problem.get("remediation")) or any(_leads_on(issue) for issue in errors),
        "a place twice": len({(issue["path"], issue["code"]) for issue in errors}) == len(errors),
        "a text without an end": all(text.endswith((".", "?")) or not text for text in texts),
        "jargon": not any(JARGON.search(text) for text in texts),
    }
    return [f"{fault}: {answer.text[:600]}" for fault, holds in checks.items() if not holds]


def _leads_on(issue: dict[str, Any]) -> bool:
    return bool({"allowed", "nearest", "known"} & set(issue.get("params") or {}))
