"""Slack in the simulator, by a bot; what its documented errors mean stands with its fake."""

from collections.abc import Mapping
from typing import Any

from tests.helpers.scenes.scene import Scene


def fields(network: Any) -> Mapping[str, str]:
    """Return the credential form of a bot that was added to a channel."""
    channel = network.add_channel()
    token = network.add_bot(channel, network.world.person(network.key, "alice"))
    return {"botToken": token, "channelId": channel.id}


SCENE = Scene(
    create_call="POST /api/chat.postMessage", errors=(), converts=(), fields=fields, replies="root",
)  # fmt: skip
