"""Telegram in the simulator, with a channel; what its documented errors mean stands with its fake."""

from collections.abc import Mapping
from typing import Any

from simulator import Destination
from tests.helpers.networks.telegram import CHANNEL
from tests.helpers.scenes.scene import Scene


def fields(network: Any) -> Mapping[str, str]:
    """Return the credential form of the bot."""
    bot = network.world.person(network.key, "alice")
    return {"botToken": network.add_token(bot), "chat": "@corner_bakery"}


SCENE = Scene(
    create_call="POST /bot{token}/sendMessage",
    destinations=(Destination(CHANNEL, "channel", "Corner Bakery", {"username": "corner_bakery"}),),
    fields=fields,
    tells=False,
    converts=(),
    errors=(),
)
