"""Operations of the API, called from inside: by the same routes, so with the same rights, limits and problems."""

from collections.abc import Awaitable, Mapping
from typing import Any, Protocol
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from signalpost.kit import problems
from signalpost.kit.problems import Problem, problem_document
from signalpost.web.router import API_PREFIX
from signalpost.web.routing import Endpoint


class OperationResponse(Struct, frozen=True):
    """What an operation answered: its document, or that of a problem."""

    status: int
    document: Any

    @property
    def is_problem(self) -> bool:
        """Whether the operation was refused."""
        return self.status >= 400


class Send(Protocol):
    """Sends a request to the service itself, with the credential of the call that is being served."""

    def __call__(
        self, method: str, target: str, body: Any = None, *, idempotency_key: str | None = None
    ) -> Awaitable[OperationResponse]: ...


Operations = Mapping[str, Endpoint]
"""The operations of the API by name."""


def refused(problem: Problem, path: str, base_url: str) -> OperationResponse:
    """Return a problem of our own as an operation answers it."""
    return OperationResponse(problem.status, msgspec.to_builtins(problem_document(problem, path, base_url)))


def target_of(endpoint: Endpoint, arguments: Mapping[str, Any]) -> str:
    """Return path and query of a call with these arguments.

    Raises:
        NotFound: an argument that is part of the path is no id.
        ValidationFailed: an argument is missing, or cannot be part of an address.
    """
    path, query = endpoint.path, {name: value for name, value in arguments.items() if value is not None}
    for path_input in endpoint.path_inputs:
        value = query.pop(path_input.param, None)
        if not isinstance(value, str):
            raise problems.invalid(path_input.param, "required", "This argument is required: an id, as text.")
        if path_input.id is None or path_input.id.parse(value) is None:
            detail = path_input.id.not_found_detail(value) if path_input.id else "There is nothing of this name."
            raise problems.NotFound(detail)
        path = path.replace(f"{{{path_input.param}}}", value)
    texts = {name: _text(name, value) for name, value in query.items()}
    return f"{API_PREFIX}{path}" + (f"?{urlencode(texts)}" if texts else "")


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise problems.invalid(name, "type", "Must be a text, a number or a boolean.")
