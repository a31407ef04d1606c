"""Run the simulator: `make simulator`, or `python -m simulator --help`."""

import argparse
import asyncio
import sys
from dataclasses import replace

from simulator.network import Network
from simulator.networks import NETWORKS
from simulator.networks.discord import Discord
from simulator.networks.graph_push import VERIFY_TOKEN, Pushing
from simulator.networks.lemmy import Lemmy
from simulator.networks.matrix import Matrix
from simulator.networks.nostr import Nostr
from simulator.networks.slack import Slack
from simulator.networks.telegram import Telegram
from simulator.networks.whatsapp import WhatsApp
from simulator.server import Simulator
from simulator.stripe import Stripe
from simulator.stripe.api import SECRET_KEY, WEBHOOK_SECRET
from simulator.world import App, Destination, World

FLAIRS = (
    {"id": "0f7a1c3e-5a11-11ef-9d6c-2a1c5f8e0b01", "text": "Recipe", "text_editable": True, "mod_only": False},
    {"id": "0f7a1c3e-5a11-11ef-9d6c-2a1c5f8e0b02", "text": "Announcement", "text_editable": False, "mod_only": True},
)
"""Of a subreddit at Reddit."""
DESTINATIONS = {
    "facebook": (Destination("1001", "page", "Corner Bakery"),),
    "google_business": (
        Destination("2001", "location", "Corner Bakery"),
        Destination("2002", "location", "Market stall", {"unverified": True}),
    ),
    "linkedin": (
        Destination("4711", "organization", "Corner Bakery"),
        Destination("4712", "organization", "Bakers of the Town", {"roles": ("ANALYST",)}),
    ),
    "pinterest": (
        Destination("5001", "board", "Bread", {"sections": {"88": "Rye", "89": "Wheat"}}),
        Destination("5002", "board", "Cakes"),
    ),
    "reddit": (
        Destination("bread", "subreddit", "Bread", {"flairs": FLAIRS}),
        Destination("baking", "subreddit", "Baking", {"flairs": FLAIRS, "requirements": {"is_flair_required": True}}),
        Destination("closed", "subreddit", "Closed", {"subreddit_type": "restricted"}),
    ),
    "telegram": (
        Destination("-1001234567890", "channel", "Corner Bakery", {"username": "corner_bakery"}),
        Destination("-1009876543210", "supergroup", "Regulars", {"topics": (7,)}),
    ),
    "tumblr": (Destination("t:6001", "blog", "corner-bakery"),),
    "youtube": (Destination("PL100", "playlist", "Recipes"), Destination("PL200", "playlist", "Behind the counter")),
}
"""What alice may publish to, or in whose name, so that everything that a network lets one choose can be tried."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="simulator", description="Stand-ins of the social networks, and of Stripe.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=7600, help="of control; the networks follow (default: %(default)s)")
    parser.add_argument(
        "--service", default="http://127.0.0.1:8000", help="address of the service, for the redirect addresses"
    )
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that each answer takes")
    arguments = parser.parse_args()
    try:
        asyncio.run(_run(arguments))
    except KeyboardInterrupt:
        sys.stderr.write("\n")


async def _run(arguments: argparse.Namespace) -> None:
    async with Simulator((*NETWORKS, Stripe), host=arguments.host, port=arguments.port) as simulator:
        simulator.world.latency_seconds = arguments.latency
        sys.stdout.write(f"# control: {simulator.control_url}\n{seed(simulator.world, arguments.service)}")
        sys.stdout.flush()
        await _notify(simulator.world, f"{arguments.service}/api/v1/billing/webhook")


async def _notify(world: World, url: str) -> None:
    """Deliver the events of Stripe as they come, also after a reset."""
    while True:
        stripe = world.networks["stripe"]
        assert isinstance(stripe, Stripe)  # noqa: S101 - it is the one of this key
        stripe.life.catch_up()
        stripe.notify(url)
        await stripe.outbox.deliver()
        await asyncio.sleep(0.5)


def seed(world: World, service_url: str) -> str:
    """Give each network an app and a person called `alice`; return the settings that point the service at them."""
    lines = [
        f"SIGNALPOST_STRIPE_BASE_URL={world.urls['stripe']}",
        f"SIGNALPOST_STRIPE_SECRET_KEY={SECRET_KEY}",
        f"SIGNALPOST_STRIPE_WEBHOOK_SECRET={WEBHOOK_SECRET}",
    ]
    for key, url in world.urls.items():
        if key == "stripe":
            continue
        world.add_person(key, "alice", destinations=list(map(replace, DESTINATIONS.get(key, ()))))
        app = world.add_app(key, f"{service_url}/api/v1/platforms/{key}/callback")
        name = f"SIGNALPOST_{key.upper()}"
        lines += [f"{name}_BASE_URL={url}"]
        network = world.networks[key]
        if isinstance(network, WhatsApp):
            lines += [f"# app of whatsapp: {app.client_id}; its webhook: {service_url}/api/v1/wa/webhook"]
            lines += [f"{name}_{setting}={value}" for setting, value in network.settings(app).items()]
        if isinstance(network, Telegram):
            chats = ", ".join(chat.id for chat in DESTINATIONS[key])
            token = network.add_token(world.person(key, "alice"))
            lines += [f"# token of the bot: {token}; its chats: {chats}", f"{name}_BOT_TOKEN={token}"]
        if isinstance(network, Discord):
            lines += [f"# of discord: {line}" for line in network.open_channel(world.person(key, "alice"))]
        if isinstance(network, Slack):
            lines += [f"# of slack: {line}" for line in network.open_channel(world.person(key, "alice"))]
            lines += [f"{name}_BOT_TOKEN={next(iter(network.bots))}", f"{name}_APP_TOKEN={network.add_app_token()}"]
        if isinstance(network, Matrix):
            opened = network.open_room(world.person(key, "alice"))
            lines += [f"# of matrix: {field} {value}" for field, value in opened.items()]
        if isinstance(network, Nostr | Lemmy):
            opened = network.open_account(world.person(key, "alice"))
            lines += [f"# of {key}: {field} {value}" for field, value in opened.items()]
        if network.oauth is not None:
            lines += [f"{name}_CLIENT_ID={app.client_id}", f"{name}_CLIENT_SECRET={app.client_secret}"]
            lines += _webhook(network, app, f"{service_url}/api/v1/platforms/{key}/webhook")
    return "\n".join(lines) + "\n"


def _webhook(network: Network, app: App, url: str) -> list[str]:
    if not isinstance(network, Pushing) or not network.push_object:
        return []
    return [
        f"# webhook of {network.key}: {url}; its app: {app.client_id}",
        f"SIGNALPOST_{network.key.upper()}_VERIFY_TOKEN={VERIFY_TOKEN}",
    ]


if __name__ == "__main__":
    main()
