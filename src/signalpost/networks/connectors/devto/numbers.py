"""Reading the numbers of articles from the list of what the person published, thirty at a time."""

from collections.abc import Mapping, Sequence

from signalpost.networks.connectors.devto.lists import PAGE_LENGTH, PAGES_MAX, page_of
from signalpost.networks.contract import Metrics, NetworkSession
from signalpost.networks.responses import number


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Return the numbers of these articles; None for one that is not published any more.

    One that is older than all that is read is missing.
    """
    numbers: dict[str, Metrics | None] = {}
    for page in range(1, PAGES_MAX + 1):
        articles = await page_of(session, "published", page)
        for article in articles:
            if (remote_id := str(article.get("id"))) in remote_ids:
                numbers[remote_id] = Metrics(
                    views=number(article.get("page_views_count")),
                    likes=number(article.get("public_reactions_count")),
                    comments=number(article.get("comments_count")),
                )
        if len(articles) < PAGE_LENGTH:
            return {remote_id: numbers.get(remote_id) for remote_id in remote_ids}
        if len(numbers) == len({*remote_ids}):
            break
    return numbers
