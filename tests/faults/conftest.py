"""Tests that kill workers. Each has a database of its own: a worker process does whatever is due in its database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.faults.hostile import HostileNetwork
from tests.faults.own_postgres import migrated_files
from tests.faults.scene import Scene, open_scene
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.publishing import StagedNetwork, staged

from signalpost import networks
from signalpost.main import app
from signalpost.settings import Settings


@pytest.fixture
async def stage(settings: Settings, fresh_dsn: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StagedNetwork]:
    """A workspace with accounts on the ledger network; the network is registered during this test only."""
    monkeypatch.setattr(networks, "CONNECTORS", dict(networks.CONNECTORS))
    monkeypatch.setattr(networks, "PLATFORMS", (*networks.PLATFORMS, "ledger"))
    async with (
        app.open_context(settings, fresh_dsn) as context,
        Api(app.create(context)) as api,
        staged(context, Make(context, api)) as opened,
    ):
        yield opened


@pytest.fixture
async def scene(settings: Settings, fresh_dsn: str, tmp_path: Path) -> AsyncIterator[Scene]:
    """An installation whose processes a test starts and harms; all of them are killed at the end."""
    async with open_scene(settings, fresh_dsn, tmp_path) as opened:
        yield opened


@pytest.fixture(scope="session")
async def server_files() -> AsyncIterator[Path]:
    """The files of a migrated server, for the servers of single tests."""
    async with migrated_files() as files:
        yield files


@pytest.fixture
async def network() -> AsyncIterator[HostileNetwork]:
    """A network that behaves as badly as a test wants."""
    async with HostileNetwork() as opened:
        yield opened
