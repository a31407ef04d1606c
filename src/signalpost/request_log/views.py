"""Rows of the request log as the API shows them."""

from signalpost.events import Actor
from signalpost.kit import clock, ids
from signalpost.request_log.queries import RequestLogRow
from signalpost.request_log.schemas import LoggedRequest
from signalpost.settings import BRAND_KEY


def logged_request(row: RequestLogRow) -> LoggedRequest:
    """Return an API call."""
    return LoggedRequest(
        id=ids.encode("rql", row.id),
        at=clock.wire(row.at),
        request_id=row.request_id,
        operation=row.operation,
        method=row.method,
        path=row.path,
        status=row.status,
        code=row.code,
        duration_ms=round(row.duration_ms, 1),
        mode=row.mode,
        actor=_actor(row),
        key_prefix=None if row.key_prefix is None else f"{BRAND_KEY}_{row.mode}_{row.key_prefix}",
        address=row.address,
        omitted=row.omitted,
    )


def _actor(row: RequestLogRow) -> Actor:
    if row.key_id is not None:
        return Actor(type="api_key", id=ids.encode("key", row.key_id), name=row.key_name)
    return Actor(type="user", id=ids.encode("usr", row.user_id), name=row.user_name)
