"""Publishing as it runs: the real engine over the real database; only the network is made up."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from tests.helpers.album import RULE, VIDEO_RULE, Album
from tests.helpers.factories import Make
from tests.helpers.publishing import StagedNetwork, staged

from signalpost import networks
from signalpost.context import AppContext


@pytest.fixture
async def stage(context: AppContext, make: Make, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StagedNetwork]:
    """A workspace with a network of its own, which does what the test says."""
    monkeypatch.setattr(networks, "PLATFORMS", (*networks.PLATFORMS, "stage"))
    async with staged(context, make) as opened:
        monkeypatch.setitem(networks.CONNECTORS, "stage", opened.connector)
        yield opened


@pytest.fixture
async def album(stage: StagedNetwork, monkeypatch: pytest.MonkeyPatch) -> Album:
    facts = replace(stage.connector.facts, media={"image": RULE, "video": VIDEO_RULE})
    monkeypatch.setitem(networks.CONNECTORS, "stage", replace(stage.connector, facts=facts))
    await stage.account("one")
    return Album(stage)
