"""Reads the numbers of posts, as many in a call as the network allows."""

from collections.abc import Mapping, Sequence

from signalpost.networks.contract import Connector, Metrics, NetworkSession


async def read(
    connector: Connector, session: NetworkSession, remote_ids: Sequence[str]
) -> Mapping[str, Metrics | None]:
    """Return the numbers of an account's posts; None for a post that the network no longer has.

    An id that is missing: the network did not say. So are all, if the connector reads no numbers.

    Raises:
        ApiError, kit.http.HttpFailure: a call failed; the numbers of earlier calls are lost with it.
    """
    numbers: dict[str, Metrics | None] = {}
    if connector.metrics is None:
        return numbers
    size = connector.facts.metrics_per_call
    for start in range(0, len(remote_ids), size):
        numbers |= await connector.metrics(session, remote_ids[start : start + size])
    return numbers
