"""Reading what a person wrote at DEV, page by page."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.devto.calls import call_api
from signalpost.networks.contract import NetworkSession

PAGE_LENGTH: Final = 30
PAGES_MAX: Final = 20
Article = Mapping[str, Any]


async def page_of(session: NetworkSession, status: str, page: int) -> Sequence[Article]:
    """Return a page, from 1 on, of what the person wrote: drafts first, and then what was published last.

    `status` is `published`, or `all`, which has drafts too. A page that is shorter than `PAGE_LENGTH` is the last.
    """
    params = {"per_page": str(PAGE_LENGTH), "page": str(page)}
    response = await call_api(session, f"GET /articles/me/{status}", params=params)
    articles = response.json()
    if not isinstance(articles, list) or not all(isinstance(article, dict) for article in articles):
        raise BadResponse("the response is not a list of articles", status=response.status)
    return articles
