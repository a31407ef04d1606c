import subprocess
import sys
from collections.abc import AsyncIterator

import httpx
import pytest
from tests.console.browser import (
    axe,
    console,
    console_at,
    mastodon,
    open_page,
    owned,
    places,
    service,
    signed_in,
    windows,
)
from tests.counterparts import tools

from signalpost.context import AppContext
from signalpost.identity.actions import first_run
from signalpost.main import app
from signalpost.settings import Settings

__all__ = [
    "axe",
    "console",
    "console_at",
    "mastodon",
    "open_page",
    "owned",
    "places",
    "service",
    "signed_in",
    "windows",
]


@pytest.fixture(scope="package", autouse=True)
def bundle() -> None:
    """Bundle the console as a release does: what is tested is what users get."""
    subprocess.run([sys.executable, tools.CHECKOUT / "scripts/bundle-console"], check=True)


@pytest.fixture
async def empty(settings: Settings, fresh_dsn: str) -> AsyncIterator[AppContext]:
    """A service without users."""
    async with app.open_context(settings, fresh_dsn) as opened:
        yield opened


@pytest.fixture
async def token(empty: AppContext) -> str:
    """The token of the first-run link."""
    async with empty.database.transaction() as db:
        issued = await first_run.issue_token(empty.keys, db)
    assert issued
    return issued


@pytest.fixture
async def visit(empty: AppContext) -> AsyncIterator[httpx.AsyncClient]:
    """A client with one address."""
    transport = httpx.ASGITransport(app=app.create(empty), client=("203.0.113.7", 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://signalpost.test") as client:
        yield client
