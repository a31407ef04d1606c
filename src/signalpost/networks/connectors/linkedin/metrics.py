"""Numbers of posts: of an organization all in one call, of a member one kind of number at a time."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from signalpost.kit.http import BadResponse
from signalpost.networks.connectors.linkedin.calls import call, encoded
from signalpost.networks.contract import ApiError, Metrics, NetworkSession, Response
from signalpost.networks.responses import members, string

_OF_MEMBERS: Final = {
    "IMPRESSION": "impressions",
    "MEMBERS_REACHED": "reach",
    "REACTION": "likes",
    "COMMENT": "comments",
    "RESHARE": "shares",
    "POST_SAVE": "saves",
    "LINK_CLICKS": "clicks",
}
_OF_ORGANIZATIONS: Final = {
    "impressionCount": "impressions",
    "uniqueImpressionsCount": "reach",
    "likeCount": "likes",
    "commentCount": "comments",
    "shareCount": "shares",
    "clickCount": "clicks",
}
_WITHHELD: Final = frozenset({400, 403})


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the numbers of posts. LinkedIn leaves out posts without any, so a missing one is not a deleted one."""
    if ":organization:" in session.remote_id:
        return await _of_organization(session, remote_ids)
    return {urn: numbers for urn in remote_ids if (numbers := await _of_member(session, urn)) is not None}


async def _of_organization(session: NetworkSession, urns: Sequence[str]) -> Mapping[str, Metrics | None]:
    path = "/rest/organizationalEntityShareStatistics?q=organizationalEntity"
    path += f"&organizationalEntity={encoded(session.remote_id)}"
    for name, kind in (("shares", "urn:li:share:"), ("ugcPosts", "urn:li:ugcPost:")):
        if listed := [encoded(urn) for urn in urns if urn.startswith(kind)]:
            path += f"&{name}=List({','.join(listed)})"
    response = await call(session, "GET", path, headers={"X-RestLi-Method": "FINDER"})
    result: dict[str, Metrics | None] = {}
    for element in _elements(response):
        urn = string(element.get("share")) or string(element.get("ugcPost"))
        counts = element.get("totalShareStatistics")
        if urn is not None and urn in urns and isinstance(counts, dict):
            result[urn] = Metrics(**{name: counts.get(field) for field, name in _OF_ORGANIZATIONS.items()})
    return result


async def _of_member(session: NetworkSession, urn: str) -> Metrics | None:
    """Return the numbers of a member's post; None if LinkedIn gives none, as to apps that it did not approve."""
    kind = "ugc" if ":ugcPost:" in urn else "share"
    numbers: dict[str, Any] = {}
    for query, name in _OF_MEMBERS.items():
        path = f"/rest/memberCreatorPostAnalytics?q=entity&entity=({kind}:{encoded(urn)})"
        path += f"&queryType={query}&aggregation=TOTAL"
        try:
            response = await call(session, "GET", path, headers={"X-RestLi-Method": "FINDER"})
        except ApiError as error:
            if error.response.status not in _WITHHELD:
                raise
            if not numbers:
                return None
            continue  # a kind of number that this version does not have
        counts = [element.get("count") for element in _elements(response)]
        numbers[name] = sum(count for count in counts if type(count) is int)
    return Metrics(**numbers)


def _elements(response: Response) -> list[dict[str, Any]]:
    elements = members(response).get("elements")
    if not isinstance(elements, list):
        raise BadResponse("the response is not a list", status=response.status)
    return [element for element in elements if isinstance(element, dict)]
