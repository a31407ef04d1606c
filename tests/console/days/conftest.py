from collections.abc import AsyncIterator

import pytest
from tests.console.browser import OpenPage
from tests.console.days.day import Day
from tests.console.days.hand import Way
from tests.console.days.town import Town, town


@pytest.fixture(scope="session")
async def here() -> AsyncIterator[Town]:
    async with town() as found:
        yield found


@pytest.fixture
def day(here: Town, open_page: OpenPage, way: Way) -> Day:
    return Day(here, open_page, way)
