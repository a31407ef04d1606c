from collections.abc import AsyncIterator

import pytest
from tests.webhooks import support

from signalpost.engine.engine import Engine
from signalpost.web.inputs import Tools


@pytest.fixture
async def engine(tools: Tools) -> AsyncIterator[Engine]:
    """A worker that makes deliveries while the test runs."""
    async with support.sending(tools) as running:
        yield running
