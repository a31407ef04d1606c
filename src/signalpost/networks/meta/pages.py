"""The Pages of a person: those ticked in the dialog, and those that they have through a business portfolio."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from signalpost.networks.contract import ApiError
from signalpost.networks.meta.graph import Graph
from signalpost.networks.responses import members, string

BUSINESSES_MAX: Final = 50
PAGES_MAX: Final = 1_000
_NOT_ALLOWED: Final = frozenset({3, 10, 100, *range(200, 300)})
"""Codes of a person who did not allow `business_management`, or of an app that has no such permission."""


async def pages(graph: Graph, fields: str) -> AsyncIterator[Mapping[str, Any]]:
    """Yield each Page once, at most `PAGES_MAX` of them. Only those with an `access_token` can be posted to."""
    seen: set[str] = set()
    async for page in _all(graph, fields):
        page_id = string(page.get("id"))
        if page_id is not None and page_id not in seen and len(seen) < PAGES_MAX:
            seen.add(page_id)
            yield page


async def _all(graph: Graph, fields: str) -> AsyncIterator[Mapping[str, Any]]:
    async for page in graph.items("me/accounts", fields=fields, limit="100"):
        yield page
    for business_id in await _businesses(graph):
        for edge in ("owned_pages", "client_pages"):
            for page in await _allowed(graph, f"{business_id}/{edge}", fields):
                yield page


async def _businesses(graph: Graph) -> list[str]:
    business_ids = [string(business.get("id")) for business in await _allowed(graph, "me/businesses", "id")]
    return [business_id for business_id in business_ids if business_id is not None and business_id.isdecimal()][
        :BUSINESSES_MAX
    ]


async def _allowed(graph: Graph, path: str, fields: str) -> list[Mapping[str, Any]]:
    """Return the objects of an edge; none if it is not for this person, who keeps the Pages that they ticked."""
    try:
        return [item async for item in graph.items(path, fields=fields, limit="100")]
    except ApiError as error:
        body = members(error.response).get("error")
        if not isinstance(body, dict) or body.get("code") not in _NOT_ALLOWED:
            raise
        return []
