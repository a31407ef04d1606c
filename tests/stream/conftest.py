"""Fixtures of the stream."""

import pytest
from tests.helpers.factories import Login, Make
from tests.stream.listening import Listen, listen_to

from signalpost.context import AppContext
from signalpost.main import app


@pytest.fixture
def listen(context: AppContext) -> Listen:
    """Open a stream, and leave it at the end."""
    return listen_to(app.create(context))


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    return owner
