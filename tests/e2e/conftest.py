"""The parts of a first post: the service as a process, Bluesky's reference server, third-party receivers.

Tests that share one Bluesky server and this installation are in one xdist group; what has its own is in another.
"""

from collections.abc import AsyncIterator

import pytest
from tests.counterparts import ReferencePds
from tests.helpers.service_process import Api, Service, installed_with_owner


@pytest.fixture(scope="session")
async def home(pds: ReferencePds) -> AsyncIterator[tuple[Service, Api]]:
    """One installation with its first owner."""
    async with installed_with_owner(SIGNALPOST_BLUESKY_DIRECTORY_URL=pds.plc_url) as service:
        await service.start()
        yield service, await service.owner()


@pytest.fixture
async def service(home: tuple[Service, Api]) -> Service:
    """The running service; it is started again if the previous test stopped it."""
    service = home[0]
    return service if service.runs else await service.start()


@pytest.fixture
def api(home: tuple[Service, Api], service: Service) -> Api:
    """Calls of the owner to the running service."""
    return home[1]
