"""No history of payments, changes of owners, deletions, lost notices and passing time charges or serves anyone wrongly.

The same seed draws the same histories; a broken one is printed with its steps.
"""

import os
import random

import pytest
from simulator import Simulator
from simulator.stripe.api import WEBHOOK_SECRET
from tests.billing.model import History
from tests.figures.record import Record, holds
from tests.helpers.api import Api
from tests.helpers.factories import Make
from tests.helpers.till import Till

from signalpost.context import AppContext

SEED = int(os.environ.get("FAULTS_SEED", "20261124"))
STEPS = 24
_SIZES = [
    pytest.param(SEED, 10, id="quick", marks=pytest.mark.small),
    *[pytest.param(SEED + 1_000_000 * n, 500, id=f"heavy-{n}", marks=pytest.mark.heavy) for n in range(1, 3)],
]


@holds("R20")
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(("seed", "histories"), _SIZES)
async def test_every_history_of_payments_keeps_the_promises(
    bank: Simulator, paid: AppContext, paying: Api, make: Make, record: Record, seed: int, histories: int
) -> None:
    steps, calls, broken = 0, 0, dict[int, list[str]]()
    for number in range(seed, seed + histories):
        bank.world.reset()
        bank.world.networks["stripe"].notify("http://signalpost.test/api/v1/billing/webhook", WEBHOOK_SECRET)
        till = Till(bank, paid, paying, make)
        await till.sync()
        history = History(till, random.Random(number))
        await history.begin()
        found: list[str] = []
        for step in range(1, STEPS + 1):
            await history.step()
            if step % 12 == 0 and (found := await history.settle()):
                break
        steps, calls = steps + len(history.steps), calls + history.calls
        if found:
            broken[number] = [*found, *history.steps]
    tried = {"histories": histories, "steps": steps, "calls": calls}
    record("R20", seed=seed, tried=tried, measured={"broken promises": len(broken)})
    assert not broken, "\n".join(f"{number}: {'; '.join(what)}" for number, what in broken.items())
