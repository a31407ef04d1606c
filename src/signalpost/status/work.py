"""Work of this room: a sample of every component each minute, and the news for subscribers."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from signalpost import networks
from signalpost.context import AppContext
from signalpost.engine.contract import Lease
from signalpost.engine.jobs import JobKind
from signalpost.kit import clock
from signalpost.status.actions import deliver, incidents, notify, samples, subscribers
from signalpost.status.actions.deliver import Delivery
from signalpost.status.actions.notify import News

SAMPLE_JOB: Final = "status.sample"
EVERY_SECONDS: Final = 60


def jobs(context: AppContext) -> list[JobKind]:
    """Return the jobs of this room."""

    async def tell(lease: Lease, payload: Mapping[str, Any]) -> None:
        async with lease.transaction() as db:
            await deliver.give(context, db, msgspec.convert(payload, News))

    async def send(lease: Lease, payload: Mapping[str, Any]) -> None:
        delivery = msgspec.convert(payload, Delivery)
        error = await deliver.attempt(context, delivery)
        async with lease.transaction() as db:
            await deliver.settle(db, delivery, error)

    async def run(lease: Lease, _payload: Mapping[str, Any]) -> None:
        await sample(context, lease)

    return [JobKind(SAMPLE_JOB, run, EVERY_SECONDS), JobKind(notify.JOB, tell), JobKind(deliver.JOB, send)]


async def sample(context: AppContext, lease: Lease) -> None:
    """Judge automatic components, begin maintenance that is due, and count the minute."""
    engine = None if context.engine is None else await context.engine.status()
    async with lease.transaction() as db:
        await samples.seed(db, enabled_platforms(context))
        await samples.apply(db, await samples.measure(db, engine))
        await incidents.begin_maintenance(db)
        await samples.sample(db, clock.actual())
    more = True
    while more:
        async with lease.transaction() as db:
            more = await subscribers.purge(db)
    await context.hooks.publish_status_page(context)


def enabled_platforms(context: AppContext) -> dict[str, str]:
    """Return key -> name of the networks that accounts can be connected to here."""
    return {
        key: connector.facts.name
        for key, connector in networks.CONNECTORS.items()
        if key != "sandbox" and (not connector.facts.app_credentials or context.settings.network(key, "client_id"))
    }
