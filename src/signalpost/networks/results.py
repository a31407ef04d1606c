"""What each function of a connector may return."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from signalpost.networks.contract import (
    Absent,
    Choice,
    Comments,
    Destination,
    Health,
    Identity,
    Metrics,
    NeedsReconnect,
    OAuthApp,
    OutcomeUnknown,
    Pending,
    Person,
    PreflightIssue,
    Published,
    PushedRequest,
    Refused,
    TryLater,
)
from signalpost.networks.contract.people import PEOPLE_MAX

_OUTCOMES: Final = (Published, Pending, Refused, NeedsReconnect, TryLater, OutcomeUnknown)
_RECONCILED: Final = (Published, Absent, OutcomeUnknown, NeedsReconnect, TryLater)
DESTINATIONS_MAX: Final = 500
CHOICES_MAX: Final = 500
_ISSUES_MAX: Final = 50


def _is_metrics(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(key, str) and isinstance(item, Metrics | None) for key, item in value.items()
    )


def _is_list_of(kind: type, items_max: int) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, Sequence) and len(value) <= items_max and all(isinstance(item, kind) for item in value)
    )


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _are_choices(value: Any) -> bool:
    listed = _is_list_of(Choice, CHOICES_MAX)
    return isinstance(value, Mapping) and all(isinstance(key, str) and listed(items) for key, items in value.items())


def _are_comments(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(key, str) and isinstance(item, Comments | None) for key, item in value.items()
    )


RESULTS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "publish": _is(*_OUTCOMES),
    "poll": _is(*_OUTCOMES),
    "reconcile": _is(*_RECONCILED),
    "explain": _is(*_OUTCOMES[1:]),
    "preflight": _is_list_of(PreflightIssue, _ISSUES_MAX),
    "delete": _is(type(None)),
    "comments": _are_comments,
    "reply": _is(*_OUTCOMES),
    "hide_comment": _is(type(None)),
    "like_comment": _is(type(None)),
    "delete_comment": _is(type(None)),
    "metrics": _is_metrics,
    "connect": _is(Identity),
    "destinations": _is_list_of(Destination, DESTINATIONS_MAX),
    "choices": _are_choices,
    "people": _is_list_of(Person, PEOPLE_MAX),
    "check": _is(Health),
    "refresh": _is(type(None)),
    "revoke": _is(type(None)),
    "exchange": _is(Identity),
    "register": _is(OAuthApp),
    "push": _is(PushedRequest),
    "client": _is(OAuthApp, type(None)),
    "describe": _is(Mapping),
}
"""What each function may return."""


def problem(name: str, result: Any) -> str | None:
    """Return what is wrong with what the function `name` returned; None if the contract allows it."""
    if RESULTS[name](result):
        return None
    return f"{name} returned {type(result).__name__}, which the contract does not allow"
