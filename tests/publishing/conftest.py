"""Publishing as it runs: the real engine over the real database; only the network is made up."""

from collections.abc import AsyncIterator

import pytest
from tests.helpers.factories import Make
from tests.helpers.publishing import World

from signalpost import networks
from signalpost.context import AppContext


@pytest.fixture
async def world(context: AppContext, make: Make, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    """A workspace with a network of its own, that answers as a test says."""
    opened = World(context, make, await make.owner())
    monkeypatch.setitem(networks.CONNECTORS, "stage", opened.connector)
    yield opened
    await opened.close()
