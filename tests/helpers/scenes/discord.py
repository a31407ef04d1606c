"""Discord in the simulator, by a webhook; bots, and what errors mean, are with its fake in `tests/helpers/networks`."""

from collections.abc import Mapping
from typing import Any

from tests.helpers.scenes.scene import Scene


def fields(network: Any) -> Mapping[str, str]:
    """Return the credential form of a webhook that was made for a channel."""
    webhook = network.add_webhook(network.add_channel(network.add_guild()))
    return {"webhookUrl": f"{network.url}/api/webhooks/{webhook.id}/{webhook.token}"}


SCENE = Scene(
    create_call="POST /api/v10/webhooks/{webhook}/{token}", errors=(), converts=(), fields=fields, tells=False,
    replies=False,
)  # fmt: skip
