"""Publishing an article in one call, finding it among those of the person, and making a draft of it again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from signalpost.kit import clock
from signalpost.kit.http import BadResponse
from signalpost.networks.articles import searched_since, too_early
from signalpost.networks.connectors.devto.calls import CREATE, call_api, explain
from signalpost.networks.connectors.devto.facts import FACTS
from signalpost.networks.connectors.devto.lists import PAGE_LENGTH, PAGES_MAX, Article, page_of
from signalpost.networks.contract import ApiError, NetworkSession, Outcome, OutcomeUnknown, Outgoing, Published, Refused
from signalpost.networks.in_parts import in_parts
from signalpost.networks.preflight import text_of_part
from signalpost.networks.responses import members, single_spaced, string
from signalpost.networks.threads import PublicPart, ThreadPart

_FIELDS: Final[Mapping[str, str]] = {
    "tags": "tags", "excerpt": "description", "series": "series", "canonicalUrl": "canonical_url",
    "coverImageUrl": "main_image", "organizationId": "organization_id",
}  # fmt: skip
"""Members of an article by the options that they are made of."""


async def delete(session: NetworkSession, remote_id: str, _thread_ids: Sequence[str]) -> None:
    """Take an article out of sight: DEV's API deletes none. One that is not there counts as deleted."""
    try:
        await call_api(session, f"PUT /articles/{remote_id}", json={"article": {"published": False}})
    except ApiError as error:
        if error.response.status != 404 or not members(error.response):
            raise


def _published(_session: NetworkSession, outgoing: Outgoing, posted: Sequence[PublicPart]) -> Published:
    is_draft = outgoing.options.get("status") == "draft"
    url = None if is_draft else posted[0].get("url")
    return Published(remote_id=posted[0]["id"], url=url, delivery="private" if is_draft else "live")


async def _create(part: ThreadPart) -> PublicPart | Outcome:
    outgoing, options = part.outgoing, part.outgoing.options
    article: dict[str, Any] = {
        "title": outgoing.title or "", "body_markdown": text_of_part(FACTS, outgoing, 0),
        "published": options.get("status") != "draft",
    }  # fmt: skip
    article |= {member: options[name] for name, member in _FIELDS.items() if options.get(name)}
    await part.intend({"at": clock.wire(part.session.now())})
    try:
        response = await call_api(part.session, CREATE, json={"article": article}, expect=(201,))
    except ApiError as error:
        outcome = explain(error)
        if part.intended is None or not isinstance(outcome, Refused) or outcome.code != "duplicate_content":
            raise
        return await _search(part, part.intended) or outcome  # an earlier attempt arrived after all
    return public_part(members(response))


async def find(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Look for an intended article; None when it is certainly not there."""
    return await _search(part, intended) or too_early(part, intended)


async def _search(part: ThreadPart, intended: Mapping[str, Any]) -> PublicPart | OutcomeUnknown | None:
    """Walk through drafts and articles of the person, the last published first, back to the intent.

    DEV lets nobody have two of the same title and text, so these tell an article.
    """
    since = searched_since(intended)
    title, text = single_spaced(part.outgoing.title), single_spaced(text_of_part(FACTS, part.outgoing, 0))
    for page in range(1, PAGES_MAX + 1):
        articles = await page_of(part.session, "all", page)
        for article in articles:
            published_at = _instant(article.get("published_at"))
            if published_at is not None and published_at < since:
                return None
            written = article.get("body_markdown")
            if (
                single_spaced(string(article.get("title"))) == title
                and isinstance(written, str)
                and single_spaced(written) == text
            ):
                return public_part(article)
        if len(articles) < PAGE_LENGTH:
            return None
    return OutcomeUnknown(message="The person has too many drafts and articles to find this one.")


def public_part(article: Article) -> PublicPart:
    """Return what is kept of an article.

    Raises:
        BadResponse: it has no id.
    """
    number = article.get("id")
    if type(number) is not int or not 0 < number < 1 << 63:
        raise BadResponse("the response names no article")
    return {"id": str(number), "url": string(article.get("url"))}


def _instant(value: Any) -> datetime | None:
    try:
        instant = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return instant if instant is not None and instant.tzinfo is not None else None


publish, _, reconcile = in_parts(explain, find=find, create=_create, published=_published)
