"""What a request for many posts answers about those that were refused. Pure."""

from collections.abc import Iterable, Mapping
from itertools import chain, zip_longest
from typing import Any

from signalpost.kit.problems import Issue, Problem, ValidationFailed, problem_document
from signalpost.posts.compose.issues import ISSUES_MAX


def placed(problem: Problem, place: str) -> Problem:
    """Return the problem of one post with the places of its issues in the whole body."""
    if not problem.errors:
        return problem
    errors = [Issue(place + issue.path, issue.code, issue.message, issue.params) for issue in problem.errors]
    return type(problem)(errors=errors, headers=problem.headers, **problem.members)


def document(problem: Problem, path: str, base_url: str) -> dict[str, Any]:
    """Return a problem as a member of a response; `path` is that of the request."""
    return problem_document(problem, f"/api/v1{path}", base_url)


def nothing_created(refused: Mapping[str, Problem], total: int) -> ValidationFailed:
    """Return the refusal of the whole request. `refused`: the problems of posts by their places.

    If there are too many issues, each post is named at least once before any of them a second time.
    """
    issues = [_issues(place, problem) for place, problem in refused.items()]
    listed = list(_rounds(issues))[:ISSUES_MAX]
    first = listed[0]
    count = f"None of the {total} posts was" if total > 1 else "The post was not"
    return ValidationFailed(f"{count} created. {first.path}: {first.message}", errors=listed)


def _issues(place: str, problem: Problem) -> list[Issue]:
    if problem.errors:
        return problem.errors
    return [Issue(place, problem.code, problem.detail, dict(problem.members) or None)]


def _rounds(issues: Iterable[list[Issue]]) -> Iterable[Issue]:
    """Return the first issue of each post, then the second of each, and so on; what several have in common once."""
    in_turn = (issue for issue in chain.from_iterable(zip_longest(*issues)) if issue is not None)
    return {(issue.path, issue.code): issue for issue in in_turn}.values()
