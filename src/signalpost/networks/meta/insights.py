"""The numbers of a post, and what else is read in the same way by all three networks."""

from collections.abc import Mapping
from typing import Any, Final

from signalpost.networks.contract import ApiError
from signalpost.networks.meta.errors import MetaError, read_error
from signalpost.networks.meta.graph import Graph
from signalpost.networks.responses import string

_MISSING: Final = 33
_UNSUPPORTED: Final = frozenset({100, 3001})


def is_missing(error: MetaError | None) -> bool:
    """Return whether the object does not exist; for some tokens it may also be out of sight."""
    return error is not None and error.code == 100 and error.subcode == _MISSING


async def delete_object(graph: Graph, remote_id: str) -> None:
    """Delete an object; one that does not exist counts as deleted.

    Meta says the same of an object that cannot be deleted (code 100, subcode 33), so it is read before that counts.

    Raises:
        ApiError: it is still there.
    """
    try:
        await graph.delete(remote_id)
    except ApiError as error:
        if not is_missing(read_error(error.response)):
            raise
        try:
            await graph.get(remote_id, fields="id")
        except ApiError as unread:
            if is_missing(read_error(unread.response)):
                return
            raise
        raise


async def insights(graph: Graph, remote_id: str, metrics: str, *, edge: str = "insights") -> Mapping[str, int]:
    """Return the numbers of one family of metrics; empty if the network has ended one of them.

    One unknown metric makes the whole call fail, so each family has a call of its own.
    """
    try:
        body = await graph.get(f"{remote_id}/{edge}", metric=metrics)
    except ApiError as error:
        meta = read_error(error.response)
        if meta is None or meta.code not in _UNSUPPORTED or is_missing(meta):
            raise
        return {}
    numbers = {}
    for item in nested({"insights": body}, "insights"):
        name, value = string(item.get("name")), _value(item)
        if name is not None and value is not None:
            numbers[name] = value
    return numbers


def _value(item: Mapping[str, Any]) -> int | None:
    total, values = item.get("total_value"), item.get("values")
    last = values[-1] if isinstance(values, list) and values else None
    for holder in (total, last):
        value = holder.get("value") if isinstance(holder, dict) else None
        if type(value) is int:
            return value
    return None


def nested(body: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects of an edge that was read together with its object."""
    edge = body.get(name)
    data = edge.get("data") if isinstance(edge, dict) else None
    return [item for item in data if isinstance(item, dict)] if isinstance(data, list) else []
