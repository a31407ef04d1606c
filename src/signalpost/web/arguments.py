"""The arguments of a handler that path and query fill."""

from typing import Any

from signalpost.kit import problems
from signalpost.kit.db import Db
from signalpost.web import validation
from signalpost.web.inputs import Mine, Segment
from signalpost.web.paging import fingerprint, read_page
from signalpost.web.request import Call, query_values
from signalpost.web.routing import Endpoint

_PAGE = ("limit", "cursor")


async def path_values(endpoint: Endpoint, call: Call, connection: Db | None) -> dict[str, Any]:
    """Return the arguments that the path fills. A row takes a connection.

    Raises:
        NotFound: there is no such row or id.
    """
    values: dict[str, Any] = {}
    for path_input in endpoint.path_inputs:
        text = call.request.path_params[path_input.param]
        match path_input.source:
            case Segment():
                if "\0" in text or len(text) > 200:
                    raise problems.NotFound(f"No {path_input.param} has such a name.")
                values[path_input.argument] = text
            case Mine() as mine:
                values[path_input.argument] = await _row(mine, text, call, connection)
            case kind:
                if (row_id := kind.parse(text)) is None:
                    raise problems.NotFound(kind.not_found_detail(text))
                values[path_input.argument] = row_id
    return values


async def _row(mine: Mine[Any], text: str, call: Call, connection: Db | None) -> Any:
    """Return the row with this id that the caller may see.

    Raises:
        NotFound: there is none; it is not said whether it belongs to someone else.
    """
    row_id = mine.id.parse(text)
    if row_id is None or connection is None or call.caller is None:
        raise problems.NotFound(mine.id.not_found_detail(text))
    row = await mine.find(connection, call.caller, row_id)
    if row is None:
        reason = None if mine.why_absent is None else await mine.why_absent(connection, call.caller, row_id)
        raise problems.NotFound(reason or mine.id.not_found_detail(text))
    return row


def query_inputs(page_key: bytes, endpoint: Endpoint, call: Call) -> dict[str, Any]:
    """Return the arguments that the query fills; `page_key` signs cursors.

    Raises:
        ValidationFailed: a parameter is unknown or invalid.
    """
    parameters = query_values(call.request)
    values: dict[str, Any] = {}
    paged = endpoint.paged
    limit, cursor = (parameters.pop("limit", None), parameters.pop("cursor", None)) if paged else (None, None)
    if endpoint.query is not None:
        values["query"] = validation.decode_query(endpoint.query, parameters, besides=_PAGE if paged else ())
    elif parameters:
        raise problems.ValidationFailed(
            errors=[validation.unknown_parameter(name, _PAGE if paged else ()) for name in parameters]
        )
    if paged:
        workspace = call.caller.workspace_id.hex if call.caller else ""
        filters = fingerprint([endpoint.path, workspace, parameters])
        page = read_page(page_key, filters, limit, cursor, endpoint.limit_default)
        values.update({argument: page for argument, kind in endpoint.arguments.items() if kind == "page"})
    return values
