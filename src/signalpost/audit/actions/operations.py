"""The row of history that an operation leaves: its name, its caller, and the fields of the body before and after."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import UNSET, Struct

from signalpost.audit.actions.record import Entry, record
from signalpost.audit.documents import Change
from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.web.operations import Operation

_SECRET: Final = re.compile(r"password|secret|token|credential|verifier|hmac|hash|sealed|^(?:fields|key|code|state)$")
"""Names whose values never reach history, at any depth of a body."""
REDACTED: Final = "[redacted]"
_CHARACTERS_MAX: Final = 2_000
_BYTES_MAX: Final = 20_000
"""Of all changes of a row together; above it only the names of the fields are kept."""
_PLAIN: Final = (str, int, float, bool, datetime, UUID, list, tuple)


async def record_operation(db: Db, operation: Operation, result: Any) -> None:
    """Write that an operation succeeded, in its transaction."""
    named = operation.subject or getattr(result, "id", None)
    subject = named if isinstance(named, str) else None
    await record(
        db,
        Entry(
            workspace_id=ids.decode("wsp", subject or "") or operation.caller.workspace_id,
            action=operation.name,
            actor=operation.caller.actor,
            subject=subject,
            changes=changes_of(operation) or None,
        ),
    )


def changes_of(operation: Operation) -> list[Change]:
    """Return the members of the body with what they were before; of a row without a body, what it was."""
    pairs = _of_body(operation.data, operation.row) if operation.data is not None else _of_row(operation.row)
    changes = [
        Change(name, before, after)
        for name, old, new in pairs
        if (before := _value_of(name, old)) != (after := _value_of(name, new)) or after == REDACTED
    ]
    if len(msgspec.json.encode(changes)) > _BYTES_MAX:
        return [Change(change.field, None, "…") for change in changes]
    return changes


def _of_body(data: Any, row: Any) -> Iterator[tuple[str, Any, Any]]:
    if not isinstance(data, Struct):
        return
    for name in data.__struct_fields__:
        value = getattr(data, name)
        if value is not UNSET:
            yield name, getattr(row, name, None), value


def _of_row(row: Any) -> Iterator[tuple[str, Any, Any]]:
    for name in row.__struct_fields__ if isinstance(row, Struct) else ():
        value = getattr(row, name)
        if isinstance(value, _PLAIN) and value != [] and not _SECRET.search(name):
            yield name, value, None


def _value_of(name: str, value: Any) -> Any:
    """Return a value for history: JSON, cut, without secrets."""
    if _SECRET.search(name) and value is not None:
        return REDACTED
    match value:
        case ids.Id():
            return ids.encode(value.prefix, value)
        case str():
            return _text(value)
        case Struct() | dict():
            return {key.lower(): _value_of(key.lower(), entry) for key, entry in _members(value)}
        case list() | tuple() | set() | frozenset():
            return [_value_of(name, entry) for entry in value]
    return None if value is UNSET else msgspec.to_builtins(value, enc_hook=str)


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((str(key), entry) for key, entry in value.items())
    else:
        yield from ((name, getattr(value, name)) for name in value.__struct_fields__)


def _text(value: str) -> str:
    """Return a text, cut; of an address without its query, which may hold a signature."""
    if value.startswith(("http://", "https://")) and "?" in value:
        value = value.partition("?")[0] + "?…"
    return value if len(value) <= _CHARACTERS_MAX else value[:_CHARACTERS_MAX] + "…"
