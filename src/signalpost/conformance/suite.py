"""Runs all checks on a connector and says what failed."""

import contextlib
import io
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from signalpost.conformance import answers, comments, publishing
from signalpost.conformance.fake import TOKEN, Case, NetworkFake
from signalpost.networks import claims
from signalpost.networks.contract import Connector

PROBLEMS_MAX: Final = 5
"""Of a check that are listed; the same fault shows in many places."""

Check = Callable[[Connector, NetworkFake], Iterator[str]]
CaseCheck = Callable[[Connector, NetworkFake, Case], AsyncIterator[str]]


def _claims(connector: Connector, _fake: NetworkFake) -> Iterator[str]:
    problem = claims.contract_problem(connector)
    yield from [] if problem is None else [problem]
    yield from claims.problems(connector)


CHECKS: Final[Mapping[str, Check]] = {
    "claims": _claims,
    "documented errors": answers.documented_errors,
    "any error response": answers.any_answer,
    "rate limits": answers.rate_limits,
    "hostile texts": answers.hostile_texts,
}
"""On the connector."""
CASE_CHECKS: Final[Mapping[str, CaseCheck]] = {
    "publish": publishing.faultless,
    **{words: partial(publishing.exactly_once, fault=fault) for fault, words in publishing.FAULTS.items()},
    "a backup is restored": publishing.restored,
    "hostile answers": publishing.hostile_answers,
    "hostile look-ups": publishing.hostile_look_ups,
}
"""On each case of the fake."""
POST_CHECKS: Final[Mapping[str, CaseCheck]] = {
    "unreadable success": publishing.unreadable_creates,
    "secrets": answers.secrets,
    "functions": answers.functions,
    "lists of comments": comments.lists,
    "answers to comments": comments.answers,
    "hostile answers to answers": comments.hostile_answers,
}
"""On the least post of the network."""


@dataclass(frozen=True)
class Result:
    """What a check said; `problems` is empty if it passed."""

    check: str
    case: str
    problems: tuple[str, ...]
    count: int  # of all problems


async def run(connector: Connector, fake: NetworkFake) -> list[Result]:
    """Run every check; none of them ends the others, whatever the connector does."""
    results = []
    with _captured() as printed:
        for name, check in CHECKS.items():
            results.append(await _result(name, "", _as_async(check(connector, fake))))
        for name, case_check in POST_CHECKS.items():
            results.append(await _result(name, "", case_check(connector, fake, Case(post=fake.post))))
        for case_name, case in fake.cases.items():
            for name, case_check in CASE_CHECKS.items():
                results.append(await _result(name, case_name, case_check(connector, fake, case)))
    leak = ("It prints or logs the token of the account.",) if TOKEN in printed.getvalue() else ()
    return [*results, Result("no token is logged", "", leak, len(leak))]


async def _as_async(problems: Iterator[str]) -> AsyncIterator[str]:
    for problem in problems:
        yield problem


async def _result(name: str, case: str, problems: AsyncIterator[str]) -> Result:
    listed: list[str] = []
    count = 0
    try:
        async for problem in problems:
            count += 1
            listed += [problem] if count <= PROBLEMS_MAX else []
    except Exception as error:  # noqa: BLE001 - whatever a connector raises is a problem of this check
        count += 1
        listed.append(f"{type(error).__name__}: {error}")
    return Result(name, case, tuple(listed), count)


@contextlib.contextmanager
def _captured() -> Iterator[io.StringIO]:
    """Collect what is printed and logged."""
    printed = io.StringIO()
    handler, root = logging.StreamHandler(printed), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            yield printed
    finally:
        root.setLevel(level)
        root.removeHandler(handler)


def as_text(results: list[Result]) -> str:
    """Return a line for each check, and below it what is wrong."""
    lines: list[str] = []
    for result in results:
        what = result.check + (f" ({result.case})" if result.case else "")
        lines.append(f"{'ok' if not result.count else 'FAILED':<7} {what}")
        lines += [f"{'':<8}{problem}" for problem in result.problems]
        if (more := result.count - len(result.problems)) > 0:
            lines.append(f"{'':<8}… and {more} more")
    failed = sum(bool(result.count) for result in results)
    lines.append(f"{len(results)} checks, {failed} failed.")
    return "\n".join(lines) + "\n"


def as_data(results: list[Result]) -> list[dict[str, Any]]:
    """Return the results as JSON values."""
    return [
        {"check": result.check, "case": result.case or None, "ok": not result.count, "problems": [*result.problems]}
        for result in results
    ]
