"""A published post whose comments a test writes."""

import pytest
from tests.helpers.api import Api
from tests.helpers.comments import Commented, serve
from tests.helpers.factories import Login, Make

from signalpost.context import AppContext


@pytest.fixture
async def owner(make: Make) -> Login:
    owner = await make.owner()
    await make.account(owner)
    return owner


@pytest.fixture
async def post(context: AppContext, api: Api, make: Make, owner: Login, monkeypatch: pytest.MonkeyPatch) -> Commented:
    """Its network lists what is on its wall."""
    commented = await Commented(context, api, owner).publish(make)
    serve(monkeypatch, commented)
    return commented
