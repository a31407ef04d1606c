"""Everything that is wrong with a request, gathered by place and raised at once."""

from typing import Any

from signalpost.kit import problems
from signalpost.kit.problems import Issue, Problem
from signalpost.posts.times import InvalidTime

SHOWN_MAX = 100


class IssueCollector:
    """IssueCollector so far."""

    def __init__(self) -> None:
        self._issues: list[Issue] = []
        self._own: list[type[Problem] | None] = []

    def add(self, path: str, code: str, message: str, **params: Any) -> None:
        """Note a finding."""
        self._issues.append(Issue(path, code, message, params or None))
        self._own.append(None)

    def add_time(self, fault: InvalidTime) -> None:
        """Note what is wrong with a time."""
        self._issues.append(fault.issue)
        self._own.append(fault.problem)

    def raise_if_any(self) -> None:
        """Raise what was found: as the problem of its own kind when all of it is of that one kind.

        Raises:
            ValidationFailed, ScheduleInPast, ScheduleTooFar, TimezoneRequired: something was found.
        """
        if not self._issues:
            return
        kind = self._own[0]
        if kind is None or any(other is not kind for other in self._own):
            kind = problems.ValidationFailed
        raise kind(self._issues[0].message if len(self._issues) == 1 else None, errors=self._issues[:SHOWN_MAX])
