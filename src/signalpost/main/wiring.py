"""Who hears which event, which routes are served, which sources the engine runs."""

import importlib
import importlib.util
from typing import Any

from signalpost.web.routing import Endpoint

ROOMS = ("identity", "profiles", "accounts", "media", "posts", "publishing", "webhooks", "status")


def endpoints() -> list[Endpoint]:
    """Return every operation of the service, in the order of the reference."""
    found: list[Endpoint] = []
    for room in ROOMS:
        name = f"signalpost.{room}.routes"
        if importlib.util.find_spec(f"signalpost.{room}") and importlib.util.find_spec(name):
            module: Any = importlib.import_module(name)
            found += module.routes
    return found
