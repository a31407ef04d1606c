"""Publishing as it runs: the real engine over the real database; only the network is made up."""

from collections.abc import AsyncIterator

import pytest
from tests.make import Make
from tests.publishing.world import World

from signalpost import networks
from signalpost.web.inputs import Tools


@pytest.fixture
async def world(tools: Tools, make: Make, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    """A workspace with a network of its own, that answers as a test says."""
    opened = World(tools, make, await make.owner())
    monkeypatch.setitem(networks.CONNECTORS, "stage", opened.connector)
    yield opened
    await opened.close()
