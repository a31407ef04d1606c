"""Reading the numbers of posts. Those of other servers reach this one only in part, so they are lower bounds."""

from collections.abc import Mapping, Sequence

from signalpost.networks.connectors.mastodon.calls import call
from signalpost.networks.contract import Metrics, NetworkSession
from signalpost.networks.responses import members


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Read each post: only recent servers give several at once."""
    numbers: dict[str, Metrics | None] = {}
    for post_id in remote_ids:
        response = await call(session, "GET", f"/api/v1/statuses/{post_id}", expect=(200, 404))
        status = members(response)
        numbers[post_id] = None
        if response.status == 200:
            numbers[post_id] = Metrics(
                likes=status.get("favourites_count"),
                shares=status.get("reblogs_count"),
                comments=status.get("replies_count"),
            )
    return numbers
