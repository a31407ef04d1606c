import dataclasses
from collections.abc import AsyncIterator

import pytest
from tests.helpers.api import Api

from signalpost.context import AppContext
from signalpost.main import app


@pytest.fixture(scope="session")
async def sold(context: AppContext) -> AppContext:
    """An installation that sells plans."""
    settings = dataclasses.replace(context.settings, billing_enabled=True)
    return dataclasses.replace(context, settings=settings, states={})


@pytest.fixture(scope="session")
async def shop(sold: AppContext) -> AsyncIterator[Api]:
    """A client of it."""
    async with Api(app.create(sold)) as opened:
        yield opened
