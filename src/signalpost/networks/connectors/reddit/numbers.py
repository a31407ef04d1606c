"""Reading the numbers of posts, up to a hundred at once."""

from collections.abc import Mapping, Sequence
from typing import Any

from signalpost.networks.connectors.reddit.calls import call, listed
from signalpost.networks.contract import Metrics, NetworkSession

BYTES_MAX = 5_000_000


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the numbers of each post; None for those that are deleted or were never there."""
    query = {"id": ",".join(remote_ids)}
    posts, _ = listed(await call(session, "GET", "/api/info", params=query, bytes_max=BYTES_MAX))
    by_id = {post.get("name"): post for post in posts if post.get("removed_by_category") != "deleted"}
    return {remote_id: _metrics(by_id[remote_id]) if remote_id in by_id else None for remote_id in remote_ids}


def _metrics(post: Mapping[str, Any]) -> Metrics:
    """Return the numbers: `ups` is Reddit's score, up minus down, and `view_count` is for moderators at most."""
    return Metrics(
        likes=post.get("ups"),
        comments=post.get("num_comments"),
        shares=post.get("num_crossposts"),
        views=post.get("view_count"),
    )
