from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from simulator import Simulator

START = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture(scope="session")
async def listening() -> AsyncIterator[Simulator]:
    async with Simulator(start=START) as simulator:
        yield simulator


@pytest.fixture
def simulator(listening: Simulator) -> Simulator:
    """All networks on ports of this process, with nobody in them yet; the clock stands still."""
    listening.world.reset()
    return listening
