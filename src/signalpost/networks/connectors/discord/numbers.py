"""Reading the numbers of messages, one at a time: how many reactions each has. Discord gives no views."""

from collections.abc import Mapping, Sequence
from typing import Any

from signalpost.networks.connectors.discord.calls import call_message, code_of
from signalpost.networks.contract import ApiError, Metrics, NetworkSession
from signalpost.networks.responses import members, number


async def metrics(session: NetworkSession, remote_ids: Sequence[str]) -> Mapping[str, Metrics | None]:
    """Count the reactions of each message."""
    numbers: dict[str, Metrics | None] = {}
    for remote_id in remote_ids:
        try:
            message = members(await call_message(session, "GET", remote_id))
        except ApiError as error:
            if code_of(error.response) not in {10008, 10003}:
                raise
            numbers[remote_id] = None
        else:
            if "id" in message:
                numbers[remote_id] = Metrics(likes=_reactions(message.get("reactions")))
    return numbers


def _reactions(value: Any) -> int:
    """Return how many reactions there are, of all kinds; a message without any does not mention them."""
    reactions = value if isinstance(value, list) else []
    return sum(number(kind.get("count")) or 0 for kind in reactions if isinstance(kind, dict))
