import dataclasses
from collections.abc import AsyncIterator

import pytest
from simulator import Simulator
from simulator.stripe import Stripe
from simulator.stripe.api import SECRET_KEY, WEBHOOK_SECRET
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.till import Till

from signalpost.context import AppContext


@pytest.fixture(scope="session")
async def bank() -> AsyncIterator[Simulator]:
    """Stripe at the simulator, on a port of this process."""
    async with Simulator([Stripe]) as simulator:
        yield simulator


@pytest.fixture(scope="session")
async def paid(sold: AppContext, bank: Simulator) -> AppContext:
    """The context of an installation that takes payments."""
    settings = dataclasses.replace(
        sold.settings,
        stripe_secret_key=SECRET_KEY,
        stripe_webhook_secret=WEBHOOK_SECRET,
        stripe_base_url=bank.url("stripe"),
        billing_trial_days=0,
    )
    return dataclasses.replace(sold, settings=settings, states={})


@pytest.fixture(scope="session")
async def paying(paid: AppContext) -> AsyncIterator[Api]:
    from signalpost.main import app

    async with Api(app.create(paid)) as opened:
        yield opened


@pytest.fixture
async def till(bank: Simulator, paid: AppContext, paying: Api, make: Make) -> Till:
    """A new account at Stripe, with the prices of the catalogue."""
    bank.world.reset()
    bank.world.networks["stripe"].notify("http://signalpost.test/api/v1/billing/webhook", WEBHOOK_SECRET)
    opened = Till(bank, paid, paying, make)
    await opened.sync()
    return opened
