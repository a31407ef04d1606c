import pytest
from tests.helpers.api import Api
from tests.helpers.factories import Make

from signalpost.context import AppContext


@pytest.fixture(scope="session")
async def staff(context: AppContext, api: Api) -> str:
    """The key of a member of the staff."""
    return (await Make(context, api).staff()).key
