"""The parts of a first post: the service as a process, Bluesky's own server, receivers that are not ours.

Everything here stands in one group, so that one server of Bluesky does for all.
"""

from collections.abc import AsyncIterator

import pytest
from tests.counterparts import ReferencePds, reference_pds
from tests.helpers.service_process import Api, Service, installed


@pytest.fixture(scope="session")
async def pds() -> AsyncIterator[ReferencePds]:
    async with reference_pds() as server:
        yield server


@pytest.fixture(scope="session")
async def home() -> AsyncIterator[tuple[Service, Api]]:
    """One installation with its first owner, made on the command line while it runs."""
    async with installed() as service:
        await service.start()
        yield service, await service.owner()


@pytest.fixture
async def service(home: tuple[Service, Api]) -> Service:
    """The service, running, whatever the test before did to it."""
    service = home[0]
    return service if service.runs else await service.start()


@pytest.fixture
def api(home: tuple[Service, Api], service: Service) -> Api:
    """The owner's way to the running service."""
    return home[1]
