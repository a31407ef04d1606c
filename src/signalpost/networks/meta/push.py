"""What Meta's networks push about comments: an object, its accounts, and what changed at each.

Source: developers.facebook.com, "Webhooks for Pages" and "Page subscribed apps" of the Graph API, read 2026-11-30. In
production: a call with `post_id`, `comment_id` and `verb` in restfb/restfb issue 741, 2017-06-13; the permission that a
subscription takes, `pages_manage_metadata`, in jgorset/facebook-messenger issue 280, 2023-03-02.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from signalpost.kit import foreign

ENTRIES_MAX: Final = 1_000
"""Changes of one call, as Meta says; of a longer one the rest is left out."""
CALLS_MAX: Final = 100
"""Of a body that is a list."""


def changes(payload: Any, kind: str, field: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what a call says of a field: the id of the account, and what changed there."""
    count = 0
    for entry in [entry for call in calls(payload) if call.get("object") == kind for entry in _list(call.get("entry"))]:
        account_id = identifier(entry.get("id")) if isinstance(entry, Mapping) else None
        if account_id is None:
            continue
        for change in (*_list(entry.get("changes")), entry):  # one login of Instagram sends a change without a list
            value = change.get("value") if isinstance(change, Mapping) and change.get("field") == field else None
            if isinstance(value, Mapping) and count < ENTRIES_MAX:
                count += 1
                yield account_id, value


def calls(payload: Any) -> list[Mapping[str, Any]]:
    """Return what came in one call: Meta's examples have an object, and some of them a list of one."""
    listed = payload[:CALLS_MAX] if isinstance(payload, list) else [payload]
    return [call for call in listed if isinstance(call, Mapping)]


def identifier(value: Any) -> str | None:
    """Return an id, which Meta sends as text or as a number."""
    return foreign.identifier(str(value) if type(value) is int and abs(value) < 10**30 else value, 200)


def _list(value: Any) -> list[Any]:
    return value[:ENTRIES_MAX] if isinstance(value, list) else []
