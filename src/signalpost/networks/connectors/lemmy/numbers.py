"""Reading the numbers of posts, one after the other."""

from collections.abc import Mapping, Sequence
from typing import Any

from signalpost.networks.connectors.lemmy.calls import call_api, code_of, object_of
from signalpost.networks.contract import ApiError, Metrics, NetworkSession
from signalpost.networks.responses import members, number


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the numbers of each post; None for those that are deleted, removed or were never there."""
    return {remote_id: await _metrics(session, remote_id) for remote_id in remote_ids}


async def _metrics(session: NetworkSession, remote_id: str) -> Metrics | None:
    try:
        response = await call_api(session, "GET /post", params={"id": remote_id})
    except ApiError as error:
        if code_of(error.response) in {"couldnt_find_post", "not_found"}:
            return None
        raise
    view = object_of(members(response).get("post_view"))
    post, counts = object_of(view.get("post")), object_of(view.get("counts"))
    if post.get("deleted") is True or post.get("removed") is True:
        return None
    return _read(counts)


def _read(counts: Mapping[str, Any]) -> Metrics:
    return Metrics(likes=number(counts.get("upvotes")), comments=number(counts.get("comments")))
