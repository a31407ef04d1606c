"""Tests that kill workers. Each has a database of its own: a worker process does whatever is due in its database."""

from collections.abc import AsyncIterator

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.publishing import StagedNetwork

from signalpost import networks
from signalpost.main import app
from signalpost.settings import Settings


@pytest.fixture
async def stage(settings: Settings, fresh_dsn: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StagedNetwork]:
    """A workspace with accounts on the ledger network; the network is registered during this test only."""
    monkeypatch.setattr(networks, "CONNECTORS", dict(networks.CONNECTORS))
    monkeypatch.setattr(networks, "PLATFORMS", (*networks.PLATFORMS, "ledger"))
    async with app.open_context(settings, fresh_dsn) as context, Api(app.create(context)) as api:
        make = Make(context, api)
        opened = StagedNetwork(context, make, await make.owner())
        yield opened
        await opened.close()
