"""Reading the numbers of posts."""

from collections.abc import Mapping, Sequence
from typing import Any

from signalpost.networks.connectors.x.calls import call
from signalpost.networks.contract import ApiError, Metrics, NetworkSession
from signalpost.networks.responses import members

_PUBLIC, _ALL = "public_metrics", "public_metrics,non_public_metrics"
_BYTES_MAX = 2_000_000


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the numbers; clicks only of posts younger than 30 days, where X still shows them."""
    try:
        numbers = await _read(session, remote_ids, _ALL)
    except ApiError as error:
        if error.response.status != 403:
            raise
        numbers = {}
    rest = [post_id for post_id in remote_ids if post_id not in numbers]
    return numbers | (await _read(session, rest, _PUBLIC) if rest else {})


async def _read(session: NetworkSession, remote_ids: Sequence[str], fields: str) -> dict[str, Metrics | None]:
    query = {"ids": ",".join(remote_ids), "tweet.fields": fields}
    body = members(await call(session, "GET", "/2/tweets", params=query, bytes_max=_BYTES_MAX))
    numbers: dict[str, Metrics | None] = {
        error["value"]: None
        for error in _objects(body.get("errors"))
        if str(error.get("type")).endswith("/resource-not-found") and error.get("value") in remote_ids
    }
    for post in _objects(body.get("data")):
        if post.get("id") in remote_ids:
            numbers[post["id"]] = _metrics(_object(post.get(_PUBLIC)), _object(post.get("non_public_metrics")))
    return numbers


def _metrics(public: Mapping[str, Any], private: Mapping[str, Any]) -> Metrics:
    reposts = public.get("retweet_count", public.get("repost_count"))
    quotes = public.get("quote_count")
    return Metrics(
        views=public.get("impression_count"),
        impressions=public.get("impression_count"),
        likes=public.get("like_count"),
        comments=public.get("reply_count"),
        shares=reposts + quotes if isinstance(reposts, int) and isinstance(quotes, int) else reposts,
        saves=public.get("bookmark_count"),
        clicks=private.get("url_link_clicks"),
    )


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [member for member in value if isinstance(member, dict)] if isinstance(value, list) else []


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
