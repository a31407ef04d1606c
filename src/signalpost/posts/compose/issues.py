"""Collecting everything that is wrong with a request, to raise it at once."""

from typing import Any

from signalpost.kit import problems
from signalpost.kit.problems import Issue, Problem
from signalpost.posts.times import InvalidTime

ISSUES_MAX = 100
"""Most issues that one answer lists."""


class IssueCollector:
    """The issues found so far. Paths are JSON pointers into the body."""

    def __init__(self) -> None:
        self._issues: list[Issue] = []
        self._problems: list[type[Problem]] = []

    def add(self, path: str, code: str, message: str, **params: Any) -> None:
        """Add an issue of the body."""
        self.append(Issue(path, code, message, params or None))

    def append(self, issue: Issue, problem: type[Problem] = problems.ValidationFailed) -> None:
        """Add an issue; `problem` is what it makes if all issues make the same."""
        self._issues.append(issue)
        self._problems.append(problem)

    def add_time(self, time: InvalidTime) -> None:
        """Add what is wrong with a time."""
        self.append(time.issue, time.problem)

    def raise_if_any(self) -> None:
        """Raise if there are issues.

        Raises:
            ValidationFailed: or ScheduleInPast, ScheduleTooFar, TimezoneRequired if all issues are of that one kind.
        """
        if not self._issues:
            return
        kinds = set(self._problems)
        kind = kinds.pop() if len(kinds) == 1 else problems.ValidationFailed
        raise kind(errors=self._issues[:ISSUES_MAX])
