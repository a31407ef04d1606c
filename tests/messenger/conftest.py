from collections.abc import AsyncIterator

import pytest
from tests.helpers.factories import Login
from tests.helpers.messenger import Messenger, opened

from signalpost.context import AppContext


@pytest.fixture(scope="session")
async def messenger(context: AppContext) -> AsyncIterator[Messenger]:
    """The service with a messenger, and the simulated network that it talks to."""
    async with opened(context) as found:
        yield found


@pytest.fixture(autouse=True)
def no_faults(messenger: Messenger) -> None:
    messenger.simulator.world.faults.clear()


@pytest.fixture
async def owner(messenger: Messenger) -> Login:
    """An owner in Berlin with a sandbox account."""
    login = await messenger.make.owner()
    answer = await messenger.api.patch(f"/profiles/{login.profile}", json={"timezone": "Europe/Berlin"}, key=login.key)
    assert answer.status_code == 200
    await messenger.make.account(login, username="bakery")
    return login
