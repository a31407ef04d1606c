"""Run the simulator: `make simulator`, or `python -m simulator --help`."""

import argparse
import asyncio
import sys

from simulator.server import Simulator
from simulator.world import World


def main() -> None:
    parser = argparse.ArgumentParser(prog="simulator", description="Stand-ins of the social networks.")
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
    async with Simulator(host=arguments.host, port=arguments.port) as simulator:
        simulator.world.latency_seconds = arguments.latency
        sys.stdout.write(f"# control: {simulator.control_url}\n{seed(simulator.world, arguments.service)}")
        sys.stdout.flush()
        await asyncio.Event().wait()


def seed(world: World, service_url: str) -> str:
    """Give each network an app and a person called `alice`; return the settings that point the service at them."""
    lines = []
    for key, url in world.urls.items():
        world.add_person(key, "alice")
        app = world.add_app(key, f"{service_url}/api/v1/platforms/{key}/callback")
        name = f"SIGNALPOST_{key.upper()}"
        lines += [f"{name}_BASE_URL={url}"]
        if world.networks[key].oauth is not None:
            lines += [f"{name}_CLIENT_ID={app.client_id}", f"{name}_CLIENT_SECRET={app.client_secret}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
