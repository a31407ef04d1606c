"""The parts of a first post: the service as a process, Bluesky's own server, receivers that are not ours.

Everything here stands in one group, so that one server of Bluesky does for all.
"""

from collections.abc import AsyncIterator

import pytest
from tests.counterparts import ReferencePds, reference_pds
from tests.e2e.service import Api, Service, installed


@pytest.fixture(scope="session")
async def pds() -> AsyncIterator[ReferencePds]:
    async with reference_pds() as server:
        yield server


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    """A running service, new and empty."""
    async with installed() as fresh:
        yield await fresh.start()


@pytest.fixture
async def api(service: Service) -> Api:
    """The first owner of `service`, made on the command line."""
    return await service.owner()
