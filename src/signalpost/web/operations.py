"""An operation that changes something, as history needs it: who, what, and how it was before."""

import copy
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct

from signalpost.kit import ids
from signalpost.kit.db import Db
from signalpost.web.caller import Caller
from signalpost.web.routing import Endpoint


class Operation(Struct, frozen=True, kw_only=True):
    """One call of an endpoint that history records as such.

    Args:
        name: the id of the operation, such as `update_profile`.
        caller: who called it.
        row: the row that its path names, as it was before; None: there is none.
        subject: the public id of that row.
        data: the body.
    """

    name: str
    caller: Caller
    row: Any
    subject: str | None
    data: Any


Record = Callable[[Db, Operation, Any], Awaitable[None]]
"""(connection, operation, result of the handler): writes the row of history."""


def begin(
    endpoint: Endpoint, caller: Caller | None, params: Mapping[str, str], values: Mapping[str, Any]
) -> Operation | None:
    """Return the operation that is about to run, if history records it as such. Handlers may change the row."""
    if endpoint.history != "operation" or not endpoint.writes or caller is None:
        return None
    row, subject = None, None
    for path_input in endpoint.path_inputs:
        if path_input.id is not None:
            value, row_id = values[path_input.argument], path_input.id.parse(params[path_input.param])
            row = copy.copy(value) if isinstance(value, Struct) else None
            subject = ids.encode_or_none(path_input.id.prefix, row_id)
    return Operation(name=endpoint.name, caller=caller, row=row, subject=subject, data=values.get("data"))
