from collections.abc import AsyncIterator

import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Login, Make
from tests.helpers.feeds import Blog, Reader, blog_server

from signalpost.context import AppContext


@pytest.fixture(scope="module")
async def reader(context: AppContext, api: Api) -> AsyncIterator[Reader]:
    opened = Reader(context, api)
    yield opened
    await opened.stop()


@pytest.fixture
async def blog() -> AsyncIterator[Blog]:
    async with blog_server() as opened:
        yield opened


@pytest.fixture
async def owner(make: Make) -> Login:
    login = await make.owner()
    await make.account(login, username="bakery")
    return login
