"""Reading the numbers of posts, one at a time: Tumblr counts notes, and how many of them are likes and reblogs."""

from collections.abc import Mapping, Sequence

from signalpost.networks.connectors.tumblr.calls import answer_of, blog_path, call
from signalpost.networks.contract import Metrics, NetworkSession
from signalpost.networks.responses import number

BYTES_MAX = 5_000_000


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read the numbers of each post; None for those that are not there. What is no like or reblog is a reply."""
    numbers: dict[str, Metrics | None] = {}
    for post_id in remote_ids:
        query = {"id": post_id, "mode": "conversation"}
        path = blog_path(session, "notes")
        response = await call(session, "GET", path, params=query, expect=(200, 404), bytes_max=BYTES_MAX)
        if response.status == 404:
            numbers[post_id] = None
            continue
        answer = answer_of(response)
        names = ("total_notes", "total_likes", "total_reblogs")
        notes, likes, reblogs = (number(answer.get(name)) for name in names)
        replies = None if notes is None or likes is None or reblogs is None else max(notes - likes - reblogs, 0)
        numbers[post_id] = Metrics(likes=likes, shares=reblogs, comments=replies)
    return numbers
